//! Options that TCP and the subflows of Multipath TCP have in common.

use crate::declarations::reader::Reader;
use crate::declarations::values::plain;
use crate::text::codes::Code;
use tailrace_core::Bytes;
use tailrace_core::params::Parameters as _;
use tailrace_transport::{Profile, TcpConfig};

/// Segment that fills an Ethernet packet beside 40 bytes of headers and 12 of timestamps: options come out of the
/// payload (RFC 6691 §2), or else every full segment would exceed the default MTU.
pub(super) const FULL_WITH_TIMESTAMPS: Bytes = Bytes(1448);

/// Reads parameters and headers.
pub(super) fn read_endpoint(
    r: &Reader<'_>,
    mut config: TcpConfig,
    profile: Option<Profile>,
) -> Option<(TcpConfig, Option<Bytes>)> {
    if r.has("send_buffer") {
        config.tcp_wmem = None;
    }
    let fine = r.set_params(|name, value| config.set(name, value));
    // A size that is set is one, and not where tuning begins, whatever else is written.
    if r.has("receive_buffer") {
        config.tcp_rmem = None;
    }
    // ns-2 begins with ssthresh_ = window_ (TcpAgent::reset).
    if profile == Some(Profile::Ns2) && !r.has("initial_ssthresh") {
        config.initial_ssthresh = config.window;
    }
    let fine = check_tcp(&config, r) && fine;
    // ns-2 counts 40 bytes whatever the options (tcpip_base_hdr_size_).
    let usual = (profile == Some(Profile::Ns2)).then_some(Bytes(40));
    let header = r.read_or("header", usual, plain::<Option<Bytes>>);
    if header == Some(None) && config.timestamps && !r.has("mss") {
        config.mss = config.mss.min(FULL_WITH_TIMESTAMPS);
    }
    let complete = (config, header?);
    fine.then_some(complete)
}

/// Parameters that each fit but do not make an endpoint.
fn check_tcp(c: &TcpConfig, r: &Reader<'_>) -> bool {
    let rules = [
        ("max_rto", c.max_rto < c.min_rto, "is below min_rto"),
        ("receive_buffer", c.receive_buffer < c.mss, "is below one segment (mss)"),
        ("send_buffer", c.send_buffer.is_some_and(|b| b < c.mss), "is below one segment (mss)"),
    ];
    let mut fine = true;
    for (name, _, why) in rules.into_iter().filter(|(_, broken, _)| *broken) {
        let sink = r.sink();
        sink.push(sink.at(Code::BadValue, r.origin_of(name), format!("bad value of `{name}`")).label(why));
        fine = false;
    }
    fine
}
