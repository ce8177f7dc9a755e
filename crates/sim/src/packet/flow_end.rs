//! Numbers of flow ends, and the owner of a packet.

/// Number of a flow's end: twice the flow's number, plus one for its server.
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

/// Owner of a packet: the end of a flow that it is for, or the foreign host that sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketOwner(u32);

impl PacketOwner {
    /// First number of foreign hosts, far above all flow ends.
    const FOREIGN: u32 = 1 << 31;

    pub(crate) fn foreign(host: usize) -> Self {
        Self(Self::FOREIGN + host as u32)
    }
    /// Number of the flow; beyond all flows if the packet belongs to none.
    #[inline]
    pub(crate) fn flow(self) -> usize {
        self.0 as usize / 2
    }
    /// Flow end that the packet is for.
    #[inline]
    pub(crate) fn end(self) -> Option<FlowEnd> {
        (self.0 < Self::FOREIGN).then_some(FlowEnd(self.0))
    }
    /// Foreign host that sent the packet, if it belongs to no flow.
    pub(crate) fn host(self) -> Option<usize> {
        self.0.checked_sub(Self::FOREIGN).map(|host| host as usize)
    }
}

impl From<FlowEnd> for PacketOwner {
    fn from(end: FlowEnd) -> Self {
        Self(end.0)
    }
}
