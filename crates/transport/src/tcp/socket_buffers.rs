//! Socket buffers: how much may be received before the application reads, and sent before the peer acknowledges.

use super::recv::reassembly::Reassembly;
use crate::config::TcpConfig;

/// The receiving side of an endpoint, as its buffer sees it.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct ReceiveView<'a> {
    pub(in crate::tcp) config: &'a TcpConfig,
    pub(in crate::tcp) rcv: &'a Reassembly,
    pub(in crate::tcp) mss: u32,
    /// Bytes that a unit of the window field stands for.
    pub(in crate::tcp) window_unit: u64,
    /// The handshake agreed on timestamps.
    pub(in crate::tcp) timestamps: bool,
}

/// The view of an endpoint: a macro, so that it borrows no more than the fields that it shows.
macro_rules! receive_view {
    ($tcp:expr) => {
        $crate::tcp::socket_buffers::ReceiveView {
            config: &$tcp.config,
            rcv: &$tcp.rcv,
            mss: $tcp.mss,
            window_unit: 1 << $tcp.options.rcv_scale,
            timestamps: $tcp.options.timestamps,
        }
    };
}
pub(in crate::tcp) use receive_view;

/// Limits that the socket buffers set.
///
/// [`FixedBuffers`] are of one size and count bytes, as RFC 9293 sees them. Linux's
/// ([`LinuxBuffers`](crate::tcp::linux::buffers::LinuxBuffers)) grow with the path and count memory.
pub(in crate::tcp) trait SocketBuffers {
    /// The right edge of the window that could be advertised.
    fn receive_edge(&self, view: &ReceiveView<'_>) -> u64;
    /// The window of a SYN.
    fn initial_window(&self, config: &TcpConfig) -> u64;
    /// Whether `bytes` fit into the receive buffer, above a gap.
    fn accepts(&mut self, bytes: u64, view: &ReceiveView<'_>) -> bool;
    /// The position up to which new data may be sent, where all up to `una` is acknowledged and the application has written
    /// up to `data_end`.
    fn send_limit(&self, una: u64, data_end: u64, config: &TcpConfig) -> u64;
}

/// Buffers of one size, in bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct FixedBuffers;

impl FixedBuffers {
    /// Bytes that may be unacknowledged.
    #[inline(always)]
    pub(in crate::tcp) fn send_buffer(config: &TcpConfig) -> u64 {
        config.send_buffer.map_or(u64::MAX, |b| b.get().max(1))
    }
}

impl SocketBuffers for FixedBuffers {
    #[inline(always)]
    fn receive_edge(&self, view: &ReceiveView<'_>) -> u64 {
        view.rcv.read().saturating_add(view.config.receive_buffer.get())
    }
    fn initial_window(&self, config: &TcpConfig) -> u64 {
        config.receive_buffer.get().min(65_535)
    }
    /// The advertised window has seen to that.
    fn accepts(&mut self, _bytes: u64, _view: &ReceiveView<'_>) -> bool {
        true
    }
    #[inline(always)]
    fn send_limit(&self, una: u64, _data_end: u64, config: &TcpConfig) -> u64 {
        una.saturating_add(Self::send_buffer(config))
    }
}
