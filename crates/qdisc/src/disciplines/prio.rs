//! PRIO: strict priority bands.
//!
//! Linux `sch_prio.c`; tc-prio(8). Each band has a queue. A packet is sent from a band only while all bands before it are
//! empty, so a busy first band starves the others: nothing here shares. `priomap` says which band a priority belongs to, and the
//! priority follows from the DiffServ codepoint.
//!
//! The priority is that which Linux gives to a packet that it forwards (`rt_tos2priority`, `ip_tos2prio` in
//! `net/ipv4/route.c`), by the TOS bits of RFC 1349 that lie in today's codepoint: 0 best effort, 2 bulk, 6 interactive, 4
//! interactive bulk for the values 0 to 3 of bits 1 and 2 of the codepoint. So EF (46) is priority 4 and AF41 (34) is 2, and
//! class selectors are all best effort: tc-prio's bands know nothing of DiffServ, which `cake diffserv4` does.
//!
//! Difference from Linux: no filters, and no priority that a socket chose by itself (`SO_PRIORITY`).

use super::QdiscConfig;
use super::droptail::DroptailConfig;
use super::drr::Leaf;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::host_rules::HostRules;
use crate::registry::{About, Discipline, Invalid, Shaping};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::{Dscp, Duration, Instant, Limit, Packet, Rate};

tailrace_core::parameters! {
    /// Parameters of `prio`.
    pub struct PrioConfig {
        /// Number of bands, each with a queue of its own. The first is served before all others.
        bands: u32 = 3, "Linux sch_prio", in 2..=16: "with one band nothing has priority | Linux has no more";
        /// Band of each priority from 0 to 15, counted from 0, the first to be sent.
        priomap: Priomap = Priomap::LINUX, "Linux sch_prio";
        /// The discipline in which the packets of a band wait: one for all bands, or one for each, separated by
        /// semicolons, as in `"pfifo limit 20; fq_codel; tbf rate 1mbit burst 10kb latency 50ms"`. `"auto"`: FIFOs of 1000
        /// packets.
        queue: Option<Leaves> = None, "Linux pfifo (txqueuelen)";
    }
}

/// Bands of the sixteen priorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priomap(pub(super) [u8; PRIORITIES]);

/// Number of priorities.
const PRIORITIES: usize = 16;
/// Packets that wait in a band where no discipline is stated.
const LIMIT: Limit = Limit::Packets(1000);

impl Priomap {
    /// Linux's, of `prio` and `pfifo_fast`.
    pub(super) const LINUX: Self = Self([1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);

    fn parse(text: &str) -> Result<Self, String> {
        let mut bands = [0; PRIORITIES];
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() != PRIORITIES {
            return Err(format!("{} bands, and there are {PRIORITIES} priorities; {EXPECTED}", words.len()));
        }
        for (band, word) in bands.iter_mut().zip(words) {
            let number = word.parse().ok().filter(|n| *n < PRIORITIES as u8);
            *band = number.ok_or_else(|| format!("{word:?} is not a band: 0 to 15"))?;
        }
        Ok(Self(bands))
    }

    fn shown(&self) -> String {
        self.0.map(|band| band.to_string()).join(" ")
    }

    /// Reads the numbers after `priomap`.
    pub(super) fn from_tc(words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut bands = [0; PRIORITIES];
        for band in &mut bands {
            let n = words.count()?;
            *band = u8::try_from(n).map_err(|_| words.error(format!("{n} is not a band: 0 to 15")))?;
        }
        Ok(Self(bands))
    }

    /// The words that tc reads.
    pub(super) fn to_tc(self) -> String {
        self.shown()
    }
}

const EXPECTED: &str = "expected the bands of priorities 0 to 15, as \"1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1\"";

impl ParamType for Priomap {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::parse(text),
            other => Err(format!("{} is not a map of priorities; {EXPECTED}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.shown())
    }
}

/// A discipline for all bands, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaves(Vec<Leaf>);

impl ParamType for Leaves {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = match value {
            Value::Text(text) => text,
            other => return Err(format!("{} is not a discipline", other.shown())),
        };
        text.split(';').map(Leaf::parse).collect::<Result<_, _>>().map(Self)
    }
    fn to_value(&self) -> Value {
        let texts = self.0.iter().map(|leaf| match leaf.to_value() {
            Value::Text(text) => text,
            other => other.shown(),
        });
        Value::Text(texts.collect::<Vec<_>>().join("; "))
    }
}

/// Priority that Linux gives to a forwarded packet.
pub(super) fn priority(dscp: Dscp) -> usize {
    [0, 2, 6, 4][usize::from((dscp.0 >> 1) & 3)]
}

impl PrioConfig {
    /// The discipline of each band.
    fn inner(&self) -> Vec<QdiscConfig> {
        let leaf = |band: usize| match &self.queue {
            Some(Leaves(leaves)) => leaves[band.min(leaves.len() - 1)].config().clone(),
            None => fifo(LIMIT),
        };
        (0..self.bands as usize).map(leaf).collect()
    }
}

/// A band that is a FIFO.
pub(super) fn fifo(limit: Limit) -> QdiscConfig {
    QdiscConfig::Droptail(DroptailConfig { limit, ..DroptailConfig::default() })
}

impl Discipline for PrioConfig {
    const ABOUT: About = About {
        family: "priority",
        summary: "Strict priority: a band is served only while all bands before it are empty.",
        citation: "Linux sch_prio; tc-prio(8)",
        ecn: "ignored; up to `queue`",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["prio"];
    type Queue<P: Packet> = Bands<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if let Some(band) = self.priomap.0.iter().find(|band| u32::from(**band) >= self.bands) {
            let last = self.bands - 1;
            return Err(("priomap", format!("there is no band {band}: bands are 0 to {last}")));
        }
        match &self.queue {
            Some(Leaves(leaves)) if leaves.len() > 1 && leaves.len() != self.bands as usize => {
                let (stated, bands) = (leaves.len(), self.bands);
                Err(("queue", format!("{stated} disciplines for {bands} bands; state one, or one for each")))
            }
            _ => Ok(()),
        }
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Bands<P> {
        Bands::new(&self.inner(), self.priomap, link)
    }

    fn host_rules(&self) -> Option<HostRules> {
        self.inner().iter().find_map(QdiscConfig::host_rules)
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self::default();
        while let Some(word) = words.next_word() {
            match word {
                "bands" => config.bands = words.count32()?,
                "priomap" => config.priomap = Priomap::from_tc(words)?,
                _ => return Err(words.unknown(&["bands", "priomap"])),
            }
        }
        Ok(config)
    }

    fn explicit(&self, link: &LinkView) -> Self {
        let leaves =
            |Leaves(leaves): &Leaves| Leaves(leaves.iter().map(|leaf| leaf.explicit(link)).collect());
        Self { queue: self.queue.as_ref().map(leaves), ..self.clone() }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let line =
            TcLine::new("prio").count("bands", u64::from(self.bands)).text("priomap", &self.priomap.to_tc());
        if self.queue.is_none() {
            return Some(line);
        }
        // Nothing in an explicit configuration depends on the link.
        let link = LinkView::new(Rate::from_mbit(1), Duration::ZERO);
        let outer = line.clone().into_parts().0;
        let mut commands = vec![format!("tc qdisc replace dev DEV PARENT handle 10: {outer}")];
        for (leaf, band) in self.inner().iter().zip(1..) {
            let inner = leaf.to_tc(&link).ok().filter(|inner| inner.commands.is_empty())?.line;
            commands.push(format!("tc qdisc replace dev DEV parent 10:{band:x} {inner}"));
        }
        Some(line.commands(commands))
    }

    /// Bands that a shaper holds back leave the rest of the link to others, so their rates say nothing of the whole.
    fn shaping(&self) -> Shaping {
        let held = self.inner().iter().any(|leaf| leaf.shaping() != Shaping::None);
        if held { Shaping::Unknown } else { Shaping::None }
    }
}

/// Bands in strict priority.
#[derive(Debug)]
pub struct Bands<P: Packet> {
    /// First to be sent first. In a vector, since a band may be any discipline, this one among them.
    bands: Vec<super::Qdisc<P>>,
    priomap: Priomap,
}

impl<P: Packet> Bands<P> {
    /// Empty bands of such disciplines, of which the map names no others.
    pub(super) fn new(bands: &[QdiscConfig], priomap: Priomap, link: &LinkView) -> Self {
        Self { bands: bands.iter().map(|band| band.build(link)).collect(), priomap }
    }
}

/// Not inlined: a band's discipline is dispatched as this one is, and what is inlined into itself only grows.
impl<P: Packet> QueueDiscipline<P> for Bands<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let band = self.priomap.0[priority(packet.dscp())];
        self.bands[usize::from(band)].enqueue(packet, cx);
    }

    #[inline(never)]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.bands.iter_mut().find_map(|band| band.dequeue(cx))
    }

    fn backlog(&self) -> Backlog {
        self.bands.iter().map(QueueDiscipline::backlog).fold(Backlog::default(), |sum, band| Backlog {
            packets: sum.packets + band.packets,
            bytes: sum.bytes + band.bytes,
        })
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.bands.iter().filter_map(QueueDiscipline::poll_timeout).min()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.bands.iter_mut().for_each(|band| band.handle_timeout(cx));
    }

    fn attach(&mut self, link: u32) {
        self.bands.iter_mut().for_each(|band| band.attach(link));
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.bands.iter_mut().for_each(|band| band.link_changed(link, cx));
    }

    fn state_names(&self) -> &'static [&'static str] {
        &STATES[..self.bands.len().min(STATES.len())]
    }

    fn state(&self, out: &mut [f64]) {
        for (band, out) in self.bands.iter().zip(out) {
            *out = band.backlog().packets as f64;
        }
    }
}

/// Packets that wait in the first bands.
const STATES: [&str; 8] = [
    "band_0_packets",
    "band_1_packets",
    "band_2_packets",
    "band_3_packets",
    "band_4_packets",
    "band_5_packets",
    "band_6_packets",
    "band_7_packets",
];

#[cfg(test)]
mod tests;
