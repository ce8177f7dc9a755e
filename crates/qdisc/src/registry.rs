//! Registration of a discipline: its description, and the macro of the table.
//!
//! The table itself is in [`crate::disciplines`]: one line a discipline, from which `qdiscs!` derives the module,
//! [`QdiscConfig`](crate::QdiscConfig), [`Qdisc`](crate::Qdisc) (dispatch by `match`, no box a packet) and
//! [`catalog`](crate::catalog).

use crate::discipline::{LinkView, QueueDiscipline};
use crate::host_rules::HostRules;
use crate::tc::{TcDifference, TcError, TcLine, TcWords};
use crate::testing::TestPacket;
use tailrace_core::params::{ParamInfo, Parameters, Value};
use tailrace_core::{Duration, Limit, Packet, Rate};

pub use tailrace_core::params::Invalid;

/// The configuration of one discipline: its parameters, its description, and how to build it.
pub trait Discipline: Parameters {
    /// The description.
    const ABOUT: About;
    /// Whether it singles out flows and reports them as flagged and cleared.
    const CLASSIFIES: bool = false;
    /// First words of a tc line that mean this discipline; none where tc does not know it.
    const TC_KINDS: &'static [&'static str] = &[];
    /// Queue that the configuration builds.
    type Queue<P: Packet>: QueueDiscipline<P>;

    /// Whether the parameters go together.
    ///
    /// # Errors
    /// The parameter at fault and why.
    fn validate(&self) -> Result<(), Invalid>;
    /// An empty queue for `link`. The configuration has passed [`Discipline::validate`].
    fn build<P: Packet>(&self, link: &LinkView) -> Self::Queue<P>;
    /// Rules by which hosts return and present labels, where the discipline needs that.
    fn host_rules(&self) -> Option<HostRules> {
        None
    }
    /// Reads the words after `kind`, one of [`Discipline::TC_KINDS`], of a tc line.
    ///
    /// # Errors
    /// The word at fault and why.
    fn from_tc(kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        Err(words.error(format!("tc has no {kind}")))
    }
    /// The same with every value written out that `"auto"` or a profile stands for on `link`, as far as it does not
    /// follow the traffic. What [`Discipline::to_tc`] writes, and what its line is compared with.
    #[must_use]
    fn explicit(&self, _link: &LinkView) -> Self {
        self.clone()
    }
    /// The tc line that comes nearest; `None` where Linux has no such discipline. The configuration is explicit. What
    /// tc has no word for is left out and found by reading the line back, so it must read back.
    fn to_tc(&self) -> Option<TcLine> {
        None
    }
    /// The limit, where the configuration is a tail-drop FIFO without a law.
    fn plain_fifo(&self) -> Option<Limit> {
        None
    }
    /// Whether the discipline holds packets back though its link is free: estimates then reckon with its rate.
    fn shaping(&self) -> Shaping {
        Shaping::None
    }
}

/// Rate that a discipline itself sends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shaping {
    /// None: packets leave as fast as the link takes them.
    None,
    /// A constant rate.
    At(Rate),
    /// A rate that cannot be told beforehand, as it follows the traffic.
    Unknown,
}

impl Shaping {
    /// Rate of a discipline that shapes to `rate` what a discipline inside sends like this.
    pub(crate) fn at_most(self, rate: Rate) -> Self {
        match self {
            Self::None => Self::At(rate),
            Self::At(inner) => Self::At(inner.min(rate)),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The parameters of `params` that have another value, or none, there than here.
pub(crate) fn differences(
    params: &'static [ParamInfo],
    here: impl Fn(&str) -> Option<Value>,
    there: impl Fn(&str) -> Option<Value>,
) -> Vec<TcDifference> {
    let shown = |value: Option<Value>| match value {
        Some(Value::Text(text)) => text,
        Some(value) => value.shown(),
        None => "none".into(),
    };
    let differs = params.iter().map(|p| (p.name, here(p.name), there(p.name))).filter(|(_, a, b)| a != b);
    differs.map(|(param, a, b)| TcDifference { param, here: shown(a), there: shown(b) }).collect()
}

/// Description of a discipline, from its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Family, for grouping: `"fifo"`, `"red"`, `"blue"`, `"price"`, `"delay"`, `"fair"`, `"shaper"` or `"priority"`.
    pub family: &'static str,
    /// Summary in a sentence.
    pub summary: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// Treatment of ECN-capable packets; `"ignored"` if it never marks.
    pub ecn: &'static str,
    /// State kept for each flow; begins with `"none"` if there is none.
    pub per_flow_state: &'static str,
}

/// Row of [`catalog`](crate::catalog).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QdiscInfo {
    /// Registered name.
    pub name: &'static str,
    /// Family, for grouping.
    pub family: &'static str,
    /// Summary in a sentence.
    pub summary: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// Treatment of ECN-capable packets.
    pub ecn: &'static str,
    /// State kept for each flow.
    pub per_flow_state: &'static str,
    /// Whether it singles out flows and reports them as flagged and cleared.
    pub classifies: bool,
    /// Whether Linux has it, so that [`QdiscConfig::to_tc`](crate::disciplines::QdiscConfig::to_tc) may find a line.
    pub in_linux: bool,
    /// Its state variables, as they are recorded.
    pub states: &'static [&'static str],
    /// Its parameters.
    pub params: &'static [ParamInfo],
}

impl QdiscInfo {
    pub(crate) fn of<C: Discipline>(name: &'static str) -> Self {
        let About { family, summary, citation, ecn, per_flow_state } = C::ABOUT;
        let link = LinkView::new(Rate::from_mbit(10), Duration::from_millis(10));
        let config = C::default();
        Self {
            name,
            family,
            summary,
            citation,
            ecn,
            per_flow_state,
            classifies: C::CLASSIFIES,
            in_linux: config.explicit(&link).to_tc().is_some(),
            states: config.build::<TestPacket>(&link).state_names(),
            params: C::params(),
        }
    }
}

/// The table of disciplines: `"name" => module::Variant(Config)`.
macro_rules! qdiscs {
    ($( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)?) => {
        $( pub mod $module; )+

        tailrace_core::config_enum! {
            /// The configuration of any registered discipline.
            pub enum QdiscConfig { $( $name => $variant($module::$config), )+ outside Plugin(PluginConfig), }
        }

        impl QdiscConfig {
            /// Version of the discipline, where there are several: the word of its parameter `form`.
            pub fn form(&self) -> Option<&'static str> {
                let Some(Value::Text(word)) = self.get("form") else { return None };
                self.forms().iter().find(|choice| choice.word == word).map(|choice| choice.word)
            }
            /// The forms that there are of it.
            pub fn forms(&self) -> &'static [Choice] {
                self.params().iter().find(|p| p.name == "form").map_or(&[], |p| p.choices)
            }
            /// The most that may wait on `link`, as text: `limit`, or `memory_limit` where there is no other bound.
            pub fn bound(&self, link: &LinkView) -> Option<String> {
                let explicit = self.explicit(link);
                match explicit.get("limit").or_else(|| explicit.get("memory_limit"))? {
                    Value::Text(text) if text != "auto" => Some(text),
                    _ => None,
                }
            }
            /// Whether the parameters lie within their bounds and go together.
            ///
            /// # Errors
            /// The parameter at fault and why.
            pub fn validate(&self) -> Result<(), Invalid> {
                tailrace_core::params::check_bounds(self.params(), |name| self.get(name))?;
                match self { $( Self::$variant(c) => c.validate(), )+ Self::Plugin(c) => c.validate() }
            }
            /// Whether the discipline singles out flows and reports them as flagged and cleared.
            pub fn classifies(&self) -> bool {
                match self {
                    $( Self::$variant(_) => <$module::$config as Discipline>::CLASSIFIES, )+
                    Self::Plugin(c) => c.classifies(),
                }
            }
            /// The limit, where the configuration is a tail-drop FIFO without a law: its departures can be
            /// computed without asking it.
            pub fn plain_fifo(&self) -> Option<Limit> {
                match self { $( Self::$variant(c) => c.plain_fifo(), )+ Self::Plugin(_) => None }
            }
            /// Whether the discipline holds packets back though its link is free.
            pub fn shaping(&self) -> Shaping {
                match self { $( Self::$variant(c) => c.shaping(), )+ Self::Plugin(c) => c.shaping() }
            }
            /// Rules for labels at hosts, where the discipline needs them.
            pub fn host_rules(&self) -> Option<netfence::HostRules> {
                match self { $( Self::$variant(c) => c.host_rules(), )+ Self::Plugin(_) => None }
            }
            /// An empty queue for `link`. Configurations that [`QdiscConfig::validate`] refuses build something
            /// unspecified, or panic.
            pub fn build<P: Packet>(&self, link: &LinkView) -> Qdisc<P> {
                match self {
                    $( Self::$variant(c) => Qdisc::$variant(c.build(link)), )+
                    Self::Plugin(c) => Qdisc::Plugin(c.build(link)),
                }
            }
            /// First words of the lines that [`QdiscConfig::parse_tc`] reads.
            pub fn tc_kinds() -> Vec<&'static str> {
                [$( $module::$config::TC_KINDS ),+].concat()
            }
            /// Whether a kind of tc is something else here, which the error of [`QdiscConfig::parse_tc`] names.
            pub fn is_elsewhere(kind: &str) -> bool {
                $crate::tc::elsewhere(kind).is_some()
            }
            /// Kind of the discipline that a tc line names, known or not.
            pub fn tc_kind(text: &str) -> Option<&str> {
                TcWords::new(text).discipline().ok()
            }
            /// Reads a tc line such as `red limit 200kb min 15kb max 45kb ecn`.
            ///
            /// # Errors
            /// The word at fault and what was expected.
            pub fn parse_tc(text: &str) -> Result<Self, TcError> {
                Self::read_tc(text).map(|(config, _)| config)
            }
            /// Reads a tc line, or a line as posted: a whole command, or what `tc -s qdisc show` prints. With it come remarks
            /// on words that may not mean what their writer thinks.
            ///
            /// # Errors
            /// The word at fault and what was expected.
            pub fn read_tc(text: &str) -> Result<(Self, Vec<TcNote>), TcError> {
                let mut words = TcWords::new(text);
                let kind = words.discipline()?;
                let kind = words.leaf_of_mq(kind, &Self::tc_kinds());
                let start = words.clone();
                let config = match kind {
                    $( k if $module::$config::TC_KINDS.contains(&k) => {
                        Self::$variant($module::$config::from_tc(k, &mut words)?)
                    } )+
                    _ => {
                        return Err($crate::tc::elsewhere(kind)
                            .map_or_else(|| words.unknown(&Self::tc_kinds()), |what| words.error(what)));
                    }
                };
                config.validate().map_err(|(param, why)| start.error(format!("{param}: {why}")))?;
                Ok((config, words.take_notes()))
            }
        }

        impl QdiscConfig {
            /// The same with every value written out that `"auto"` or a profile stands for on `link`.
            #[must_use]
            pub fn explicit(&self, link: &LinkView) -> Self {
                match self {
                    $( Self::$variant(c) => Self::$variant(c.explicit(link)), )+
                    Self::Plugin(_) => self.clone(),
                }
            }
            /// The tc line that comes nearest on `link`, and what it does not carry. A line that came from
            /// [`QdiscConfig::parse_tc`] is carried whole.
            ///
            /// # Errors
            /// Where Linux has no such discipline, or not with such values.
            pub fn to_tc(&self, link: &LinkView) -> Result<TcExport, NoTc> {
                let here = self.explicit(link);
                let line = match &here { $( Self::$variant(c) => c.to_tc(), )+ Self::Plugin(_) => None };
                let (line, commands) = line.ok_or(NoTc::NotInLinux)?.into_parts();
                let there = Self::parse_tc(&line).map_err(|e| NoTc::Unsayable(e.message))?.explicit(link);
                let differs = differences(here.params(), |name| here.get(name), |name| there.get(name));
                Ok(TcExport { line, commands, differs })
            }
        }

        /// Any registered discipline.
        #[derive(Debug)]
        pub enum Qdisc<P: Packet> {
            $( #[doc = concat!("`", $name, "`")] $variant(<$module::$config as Discipline>::Queue<P>), )+
            /// A plug-in.
            Plugin(Box<PluginQdisc<P>>),
        }

        impl<P: Packet> QueueDiscipline<P> for Qdisc<P> {
            #[inline]
            fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
                match self { $( Self::$variant(q) => q.enqueue(packet, cx), )+ Self::Plugin(q) => q.enqueue(packet, cx) }
            }
            #[inline]
            fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
                match self { $( Self::$variant(q) => q.dequeue(cx), )+ Self::Plugin(q) => q.dequeue(cx) }
            }
            #[inline]
            fn backlog(&self) -> Backlog {
                match self { $( Self::$variant(q) => q.backlog(), )+ Self::Plugin(q) => q.backlog() }
            }
            #[inline]
            fn poll_timeout(&self) -> Option<Instant> {
                match self { $( Self::$variant(q) => q.poll_timeout(), )+ Self::Plugin(q) => q.poll_timeout() }
            }
            fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
                match self { $( Self::$variant(q) => q.handle_timeout(cx), )+ Self::Plugin(q) => q.handle_timeout(cx) }
            }
            fn attach(&mut self, link: u32) {
                match self { $( Self::$variant(q) => q.attach(link), )+ Self::Plugin(q) => q.attach(link) }
            }
            fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
                match self { $( Self::$variant(q) => q.link_changed(link, cx), )+ Self::Plugin(q) => q.link_changed(link, cx) }
            }
            fn state_names(&self) -> &'static [&'static str] {
                match self { $( Self::$variant(q) => q.state_names(), )+ Self::Plugin(q) => q.state_names() }
            }
            fn state(&self, out: &mut [f64]) {
                match self { $( Self::$variant(q) => q.state(out), )+ Self::Plugin(q) => q.state(out) }
            }
        }

        /// Every registered discipline, described.
        pub fn catalog() -> Vec<QdiscInfo> {
            vec![$( QdiscInfo::of::<$module::$config>($name) ),+]
        }
    };
}
pub(crate) use qdiscs;
