//! Guest kernel as a foreign host of the simulation.

use crate::control_channel::{self as control, ControlChannel};
use crate::kernel::GuestKernel;
use crate::mailbox::DeliveryMailbox;
use core::net::Ipv4Addr;
use tailrace_core::{Duration, Instant};
use tailrace_sim::{ForeignHost, HostError, SocketCommand, SocketEvent};

/// Guest kernel attached to a simulation. Simulated time zero is `ready` on the guest's clock.
#[derive(Debug)]
pub struct KernelHost {
    kernel: GuestKernel,
    ready: Duration,
    now: Instant,
    /// Control of the flows' sockets; `None` if no flow ends here.
    control: Option<ControlChannel>,
}

impl KernelHost {
    /// Host of a kernel that has booted and runs to `ready` of its clock.
    #[must_use]
    pub fn new(kernel: GuestKernel, ready: Duration) -> Self {
        Self { kernel, ready, now: Instant::ZERO, control: None }
    }

    /// Adds sockets for flows, controlled by the device `card`; `mailbox` is the physical address of the delivery ring.
    #[must_use]
    pub fn with_control(mut self, card: usize, mailbox: Option<u64>) -> Self {
        self.kernel.set_urgent(card);
        if let Some(address) = mailbox {
            self.kernel.set_mailbox(address);
        }
        self.control = Some(ControlChannel::new(card));
        self
    }

    /// Sends a packet to the agent, if there is a control channel.
    fn send_to_agent(&mut self, packet: &[u8]) -> Result<(), HostError> {
        let Some(control) = &self.control else { return Ok(()) };
        let (card, now) = (control.card, self.guest_time(self.now));
        self.kernel.deliver(card, packet, now).map_err(failed)
    }

    fn guest_time(&self, at: Instant) -> u64 {
        at.as_nanos().saturating_add(self.ready.as_nanos())
    }
}

impl ForeignHost for KernelHost {
    fn next_event(&self) -> Option<Instant> {
        let at = self.kernel.next_event()?;
        Some(Instant::from_nanos(at.saturating_sub(self.ready.as_nanos())))
    }

    fn run_until(&mut self, until: Instant, horizon: Instant) -> Result<(), HostError> {
        self.now = until;
        let (until, horizon) = (self.guest_time(until), self.guest_time(horizon));
        self.kernel.run_until(until, horizon).map_err(failed)
    }

    fn deliver(&mut self, interface: usize, packet: &[u8]) -> Result<(), HostError> {
        let now = self.guest_time(self.now);
        self.kernel.deliver(interface, packet, now).map_err(failed)
    }

    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        let now = self.guest_time(self.now);
        loop {
            let card = self.kernel.take(now, packet)?;
            match &mut self.control {
                Some(control) if control.card == card => control.receive_messages(packet),
                Some(control) if card == DeliveryMailbox::CARD => control.receive_deliveries(packet),
                _ => return Some(card),
            }
        }
    }

    fn has_sockets(&self) -> bool {
        self.control.is_some()
    }

    fn command(&mut self, command: &SocketCommand) -> Result<(), HostError> {
        self.send_to_agent(&control::command(command))
    }

    fn poll_socket(&mut self) -> Option<SocketEvent> {
        self.control.as_mut()?.poll()
    }

    fn waits_for_departures(&self) -> bool {
        self.kernel.keeps_buffers()
    }

    fn sent(&mut self, now: Instant, packets: &[u64]) -> Result<(), HostError> {
        let now = self.guest_time(now);
        self.kernel.departed(packets, now).map_err(failed)
    }

    fn link_changed(&mut self, interface: usize, up: bool) -> Result<(), HostError> {
        let now = self.guest_time(self.now);
        self.kernel.set_carrier(interface, up, now).map_err(failed)
    }

    fn addresses_changed(&mut self, changed: &[(usize, Ipv4Addr)]) -> Result<(), HostError> {
        self.send_to_agent(&control::addresses(changed))
    }
}

fn failed(error: crate::error::KernelError) -> HostError {
    HostError(error.to_string())
}
