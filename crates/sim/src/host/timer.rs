//! Timers of endpoints and applications, as the fabric numbers them.

use tailrace_net::TimerId;

/// Purpose of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The next deadline of the endpoint at this place of the slab of sockets.
    Transport(usize),
    /// The application of a flow: start, next datagram, next arrival, think time, stop.
    App(usize),
}

impl Timer {
    /// Fabric id of the timer.
    pub(crate) fn id(self) -> TimerId {
        match self {
            Self::Transport(place) => TimerId((place as u32) << 1),
            Self::App(flow) => TimerId((flow as u32) << 1 | 1),
        }
    }

    /// Timer with that fabric id.
    pub(crate) fn of(id: TimerId) -> Self {
        let number = (id.0 >> 1) as usize;
        if id.0 & 1 == 1 { Self::App(number) } else { Self::Transport(number) }
    }
}
