//! Numbers of flow ends, and the owner of a packet.

/// One end of a flow, by number: twice the flow's, plus one for its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FlowEnd(pub(crate) u32);

impl FlowEnd {
    pub(crate) fn client(flow: usize) -> Self {
        Self(flow as u32 * 2)
    }
    pub(crate) fn flow(self) -> usize {
        self.0 as usize / 2
    }
    pub(crate) fn is_server(self) -> bool {
        self.0 & 1 == 1
    }
    pub(crate) fn peer(self) -> Self {
        Self(self.0 ^ 1)
    }
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whose a packet is: of a flow, namely for this end of it, or else of the foreign host that sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketOwner(u32);

impl PacketOwner {
    /// The first number of foreign hosts. Ends of flows stay far below.
    const FOREIGN: u32 = 1 << 31;

    pub(crate) fn foreign(host: usize) -> Self {
        Self(Self::FOREIGN + host as u32)
    }
    /// The number of the flow; beyond all flows where it is none's.
    #[inline]
    pub(crate) fn flow(self) -> usize {
        self.0 as usize / 2
    }
    /// The end of a flow that it is for.
    #[inline]
    pub(crate) fn end(self) -> Option<FlowEnd> {
        (self.0 < Self::FOREIGN).then_some(FlowEnd(self.0))
    }
    /// The foreign host that sent it for no flow.
    pub(crate) fn host(self) -> Option<usize> {
        self.0.checked_sub(Self::FOREIGN).map(|host| host as usize)
    }
}

impl From<FlowEnd> for PacketOwner {
    fn from(end: FlowEnd) -> Self {
        Self(end.0)
    }
}
