//! The words of `tc ... cake` (iproute2 `q_cake.c`, tc-cake(8)).
//!
//! Where a line says nothing of overhead, or `raw`, Linux counts what its device hands over: on Ethernet, which is
//! assumed, packets with their header of 14 bytes.

use super::{AckFilter, CakeConfig, Diffserv, LinkLayer};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::params::{ParamType, Value};
use tailrace_core::{Bytes, Duration, Rate};

/// Bytes that a device counts beside the IP packet where tc is not told otherwise.
const ETHERNET_HEADER: Bytes = Bytes(14);

/// Round trips by name, in microseconds.
const ROUND_TRIPS: [(&str, u64); 8] = [
    ("datacentre", 100),
    ("lan", 1_000),
    ("metro", 10_000),
    ("regional", 30_000),
    ("internet", 100_000),
    ("oceanic", 300_000),
    ("satellite", 1_000_000),
    ("interplanetary", 1_000_000_000),
];

/// Framings by name: bytes that they add, and what they are carried over where they say so.
const FRAMINGS: [(&str, u64, Option<LinkLayer>); 14] = [
    ("conservative", 48, Some(LinkLayer::Atm)),
    ("ipoa-vcmux", 8, Some(LinkLayer::Atm)),
    ("ipoa-llcsnap", 16, Some(LinkLayer::Atm)),
    ("bridged-vcmux", 24, Some(LinkLayer::Atm)),
    ("bridged-llcsnap", 32, Some(LinkLayer::Atm)),
    ("pppoa-vcmux", 10, Some(LinkLayer::Atm)),
    ("pppoa-llc", 14, Some(LinkLayer::Atm)),
    ("pppoe-vcmux", 32, Some(LinkLayer::Atm)),
    ("pppoe-llcsnap", 40, Some(LinkLayer::Atm)),
    ("pppoe-ptm", 30, Some(LinkLayer::Ptm)),
    ("bridged-ptm", 22, Some(LinkLayer::Ptm)),
    ("ethernet", 38, None),
    ("ether-vlan", 4, None),
    ("docsis", 18, Some(LinkLayer::Plain)),
];

/// The other words, for the search of the nearest.
const WORDS: [&str; 32] = [
    "bandwidth",
    "unlimited",
    "autorate-ingress",
    "rtt",
    "besteffort",
    "precedence",
    "diffserv3",
    "diffserv4",
    "diffserv8",
    "flowblind",
    "srchost",
    "dsthost",
    "hosts",
    "flows",
    "dual-srchost",
    "dual-dsthost",
    "triple-isolate",
    "wash",
    "nowash",
    "ack-filter",
    "ack-filter-aggressive",
    "no-ack-filter",
    "memlimit",
    "overhead",
    "mpu",
    "atm",
    "ptm",
    "noatm",
    "raw",
    "ingress",
    "egress",
    "nat",
];

/// The configuration that the words state.
pub(super) fn read(words: &mut TcWords<'_>) -> Result<CakeConfig, TcError> {
    let (mut config, mut overhead) = (CakeConfig::default(), None);
    while let Some(word) = words.next_word() {
        let known = round_trip(&mut config, word)
            || framing(&mut config, &mut overhead, word)
            || choice(&mut config.diffserv, word)
            || choice(&mut config.flow_mode, word)
            || choice(&mut config.link_layer, word)
            || switch(&mut config, word);
        match word {
            _ if known => {}
            "overhead" => overhead = Some(Bytes(words.count()?)),
            _ => with_value(&mut config, word, words)?,
        }
    }
    config.overhead = overhead.unwrap_or(ETHERNET_HEADER);
    Ok(config)
}

/// The line for `config`, whose target and memory limit are written out.
pub(super) fn write(config: &CakeConfig) -> TcLine {
    let text = |value: Value| if let Value::Text(text) = value { text } else { String::new() };
    TcLine::new("cake")
        .flag("unlimited", config.bandwidth.is_none())
        .rate("bandwidth", config.bandwidth)
        .flag("autorate-ingress", config.autorate_ingress)
        .time("rtt", config.rtt)
        .flag(&text(config.diffserv.to_value()), true)
        .flag(&text(config.flow_mode.to_value()), true)
        .flag("wash", config.wash)
        .flag("ack-filter", config.ack_filter == AckFilter::On)
        .flag("ack-filter-aggressive", config.ack_filter == AckFilter::Aggressive)
        .size("memlimit", config.memory_limit)
        .flag(&text(config.link_layer.to_value()), true)
        .count("overhead", config.overhead.get())
        .count("mpu", Some(config.mpu.get()).filter(|mpu| *mpu > 0))
        .flag("ingress", config.ingress)
}

/// Sets `choice` where `word` is one of its words.
fn choice<T: ParamType>(choice: &mut T, word: &str) -> bool {
    T::from_value(&Value::Text(word.into())).map(|value| *choice = value).is_ok()
}

fn round_trip(config: &mut CakeConfig, word: &str) -> bool {
    let Some((_, rtt)) = ROUND_TRIPS.iter().find(|(name, _)| *name == word) else { return false };
    (config.rtt, config.target) = (Duration::from_micros(*rtt), None);
    true
}

/// Names of framings; all but `conservative` and `raw` add to what was given before.
fn framing(config: &mut CakeConfig, overhead: &mut Option<Bytes>, word: &str) -> bool {
    if word == "raw" {
        (*overhead, config.link_layer) = (None, LinkLayer::Plain);
        return true;
    }
    let Some((_, bytes, link_layer)) = FRAMINGS.iter().find(|(name, ..)| *name == word) else {
        return false;
    };
    let before = overhead.filter(|_| word != "conservative").unwrap_or_default();
    *overhead = Some(before + Bytes(*bytes));
    config.link_layer = link_layer.unwrap_or(config.link_layer);
    match word {
        "ethernet" => config.mpu = Bytes(84),
        "docsis" => config.mpu = Bytes(64),
        _ => {}
    }
    true
}

fn switch(config: &mut CakeConfig, word: &str) -> bool {
    match word {
        "unlimited" => (config.bandwidth, config.autorate_ingress) = (None, false),
        "autorate-ingress" => config.autorate_ingress = true,
        "diffserv" => config.diffserv = Diffserv::Diffserv4,
        "ack-filter" => config.ack_filter = AckFilter::On,
        "ack-filter-aggressive" => config.ack_filter = AckFilter::Aggressive,
        "no-ack-filter" => config.ack_filter = AckFilter::Off,
        "wash" => config.wash = true,
        "nowash" => config.wash = false,
        "ingress" => config.ingress = true,
        "egress" => config.ingress = false,
        // No packet here is segmented later or has other addresses elsewhere, so these ask for what is.
        "split-gso" | "no-split-gso" | "nonat" | "via-ethernet" => {}
        _ => return false,
    }
    true
}

fn with_value(config: &mut CakeConfig, word: &str, words: &mut TcWords<'_>) -> Result<(), TcError> {
    match word {
        "bandwidth" => {
            // `tc qdisc show` prints `bandwidth unlimited`.
            let mut ahead = words.clone();
            config.bandwidth = if ahead.next_word() == Some("unlimited") {
                *words = ahead;
                None
            } else {
                Some(words.rate()?).filter(|rate| *rate > Rate::from_bps(0))
            };
            config.autorate_ingress = false;
        }
        "rtt" => (config.rtt, config.target) = (words.time()?, None),
        "memlimit" => config.memory_limit = Some(words.size()?).filter(|limit| *limit > Bytes::ZERO),
        "mpu" => config.mpu = Bytes(words.count()?),
        "nat" => words.note(
            "no addresses are translated here, so the hosts are those of the packets, and the word changes nothing; \
             behind a real NAT it is needed",
        ),
        "fwmark" => return Err(words.error("packets carry no firewall mark here; sort them by `dscp`")),
        _ => {
            let names = ROUND_TRIPS.iter().map(|r| r.0).chain(FRAMINGS.iter().map(|f| f.0));
            let all: Vec<&'static str> = WORDS.into_iter().chain(names).collect();
            return Err(words.unknown(&all));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::cake::FlowMode;

    fn parse(text: &str) -> Result<CakeConfig, TcError> {
        read(&mut TcWords::new(text))
    }

    #[test]
    fn words_mean_what_they_mean_to_tc() {
        let c =
            parse("bandwidth 10mbit diffserv4 dual-srchost rtt 40ms wash ack-filter memlimit 4mb ingress")
                .unwrap();
        assert_eq!(c.ack_filter, AckFilter::On);
        assert_eq!((c.bandwidth, c.diffserv), (Some(Rate::from_mbit(10)), Diffserv::Diffserv4));
        assert_eq!((c.flow_mode, c.wash, c.ingress), (FlowMode::DualSrchost, true, true));
        assert_eq!((c.rtt, c.target), (Duration::from_millis(40), None));
        assert_eq!(c.memory_limit, Some(Bytes(4 << 20)));
        let c = parse("unlimited besteffort flowblind satellite nonat split-gso").unwrap();
        assert_eq!((c.bandwidth, c.diffserv), (None, Diffserv::Besteffort));
        assert_eq!((c.rtt, c.target), (Duration::from_secs(1), None));
        let on_ethernet = CakeConfig { overhead: Bytes(14), ..CakeConfig::default() };
        assert_eq!(parse("").unwrap(), on_ethernet);
    }

    #[test]
    fn framings_add_up() {
        let framing = |text| parse(text).map(|c| (c.overhead.get(), c.mpu.get(), c.link_layer)).unwrap();
        assert_eq!(framing("ethernet ether-vlan"), (42, 84, LinkLayer::Plain));
        assert_eq!(framing("overhead 44 mpu 64"), (44, 64, LinkLayer::Plain));
        assert_eq!(framing("pppoe-ptm ether-vlan"), (34, 0, LinkLayer::Ptm));
        assert_eq!(framing("ether-vlan conservative"), (48, 0, LinkLayer::Atm));
        assert_eq!(framing("docsis"), (18, 64, LinkLayer::Plain));
        assert_eq!(framing("pppoa-llc raw"), (14, 0, LinkLayer::Plain));
    }

    #[test]
    fn what_has_no_meaning_here_is_refused_with_the_reason() {
        let mut words = TcWords::new("bandwidth 5mbit nat");
        assert_eq!(read(&mut words), parse("bandwidth 5mbit nonat"));
        assert!(words.take_notes()[0].message.contains("translated"));
        assert!(parse("fwmark 0xff").unwrap_err().message.contains("firewall"));
        assert!(parse("dual-srchots").unwrap_err().message.contains("\"dual-srchost\""));
    }
}
