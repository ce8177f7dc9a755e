//! Loose source routes: a subflow whose packets call at gateways on their way (RFC 791 §3.1, option 131).

/// List of gateways, by its number in the parameters of a path manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRoute {
    /// Its place among the lists, from 0.
    pub number: u8,
}

impl SourceRoute {
    /// The options of an IPv4 header take at most 40 bytes, the route's own three among them.
    pub const MAX_GATEWAYS: usize = 9;

    /// Bytes that the option takes in every header for so many gateways: three and four a gateway, and one of padding,
    /// since a header is counted in words of four. They come out of the segments (RFC 6691 §2), and out of those of all
    /// subflows alike: any may have to carry what another has lost.
    pub const fn option_len(gateways: usize) -> u32 {
        if gateways == 0 { 0 } else { 4 + 4 * gateways as u32 }
    }
}
