//! Captures: the links and hosts that they mean.

use crate::declarations::capture::CaptureDecl;
use crate::model::{Capture, CapturePoint, NodeIndex, NodeKind};
use crate::resolving::directory::{Directory, look_up};
use crate::resolving::links::{LinkFinder, links_of};
use crate::text::codes::Code;
use crate::text::sink::Sink;

/// A capture, one for each link or host.
pub(crate) fn capture(
    decl: &CaptureDecl,
    finder: &LinkFinder<'_>,
    directory: &Directory<'_>,
    sink: &Sink<'_>,
) -> Option<Vec<Capture>> {
    let snaplen = decl.snaplen.value;
    match (finder.find(&decl.at.value), directory.get(decl.at.value.name.as_str())) {
        (Ok(Some(picked)), None) => {
            let links = links_of(&decl.at, picked).into_iter();
            Some(links.map(|l| Capture { at: CapturePoint::Link(l), snaplen }).collect())
        }
        (Ok(None), Some(_)) => {
            let (picked, kind) = look_up(&decl.at, directory, sink)?;
            if kind == NodeKind::Router {
                let error =
                    sink.at(Code::WrongNode, decl.at.origin, format!("{} is a router", decl.at.value));
                sink.push(error.help("packets are captured at links and hosts; name one of its links"));
                return None;
            }
            let nodes = (picked.first..picked.first + picked.len).map(|i| NodeIndex(i as u32));
            Some(nodes.map(|n| Capture { at: CapturePoint::Node(n), snaplen }).collect())
        }
        (Ok(Some(_)), Some(_)) => {
            let message = format!("{} is the name of a link and also of a host or router", decl.at.value);
            let error = sink.at(Code::AmbiguousName, decl.at.origin, message);
            sink.push(error.help("give one of the two another `name`"));
            None
        }
        (Ok(None), None) => {
            let hosts: Vec<&str> =
                directory.iter().filter(|(_, n)| n.kind == NodeKind::Host).map(|(name, _)| *name).collect();
            finder.unknown(&decl.at, &hosts, sink);
            None
        }
        (Err(why), _) => {
            sink.error(Code::WrongMember, decl.at.origin, why);
            None
        }
    }
}
