//! Network device of a guest: the device's side of vhost-user, with rings in the guest's memory (QEMU, docs/interop/vhost-user.rst;
//! Virtual I/O Device 1.2, section 5.1).
//!
//! Notifications come as messages and are answered (`VHOST_USER_PROTOCOL_F_INBAND_NOTIFICATIONS`), so that a guest's time stands
//! still while we act on them. The card knows Ethernet only to leave it away: what it takes and gives are IPv4 packets, to and
//! from the one neighbour at the other end of its link.

mod config;
pub(crate) mod request;

use crate::error::KernelError;
use crate::guest_socket::GuestSocket;
use crate::memory::GuestMemory;
use crate::virtqueue::Virtqueue;
use config::VirtioNetConfig;
use request::{VhostMessage, VhostReply, VhostRequest};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;

/// Numbers of the guest's receive queue and transmit queue.
const RECEIVE: usize = 0;
const SEND: usize = 1;

/// The header that precedes each frame in a buffer (`virtio_net_hdr_v1`).
const HEADER: usize = 12;
const ETHERNET: usize = 14;
const ETHERTYPE_IPV4: [u8; 2] = [8, 0];
/// The neighbour's address; the first octet says that it is nobody's property.
const NEIGHBOUR: [u8; 6] = [2, 0xff, 0, 0, 0, 1];

/// Event of the guest that needs action beyond the device itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceEvent {
    /// Nothing.
    None,
    /// It has put frames into its ring; it is to be answered when they are taken.
    Kick,
}

/// A vhost-user network device.
#[derive(Debug)]
pub(crate) struct VhostNetDevice {
    number: u16,
    channel: GuestSocket,
    /// Where the guest takes interrupts.
    interrupts: Option<GuestSocket>,
    memory: GuestMemory,
    rings: [Virtqueue; 2],
    config: VirtioNetConfig,
    /// The frame under way.
    frame: Vec<u8>,
    /// Whether buffers of what it sends are given back by [`VhostNetDevice::give_back`], and not as soon as it is taken.
    pub(crate) keeps: bool,
    pub(crate) counts: DropCounts,
}

/// Packets that were dropped at a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DropCounts {
    /// Packets for which the guest had no buffer.
    pub(crate) overruns: u64,
    /// Frames that were no IPv4 packets.
    pub(crate) foreign: u64,
}

impl VhostNetDevice {
    /// The card number `number` of a guest, whose link takes packets of at most `mtu` bytes.
    pub(crate) fn new(listener: UnixListener, number: u16, mtu: u16) -> Self {
        Self {
            number,
            channel: GuestSocket::awaited(listener),
            interrupts: None,
            memory: GuestMemory::default(),
            rings: Default::default(),
            config: VirtioNetConfig::new(number, mtu),
            frame: Vec::new(),
            keeps: false,
            counts: DropCounts::default(),
        }
    }

    /// Waits for bytes from the guest.
    pub(crate) fn receive(&mut self) -> Result<(), KernelError> {
        match self.channel.receive().map_err(KernelError::io("hearing from a card"))? {
            true => Ok(()),
            false => Err(KernelError::Gone),
        }
    }

    /// Acts on the next whole message that has come, and answers it unless it is a kick; `None` where there is no more.
    pub(crate) fn handle(&mut self) -> Result<Option<DeviceEvent>, KernelError> {
        let Some(message) = VhostMessage::parse(self.channel.bytes())? else { return Ok(None) };
        self.channel.consume(message.len());
        if matches!(message.request, VhostRequest::Kick { .. }) {
            return Ok(Some(DeviceEvent::Kick));
        }
        let answer = self.act(&message.request)?;
        if let Some(bytes) = message.reply(answer) {
            self.channel.send(&bytes).map_err(KernelError::unheard)?;
        }
        Ok(Some(DeviceEvent::None))
    }

    /// Answers a kick: the guest goes on.
    pub(crate) fn answer_kick(&mut self) -> Result<(), KernelError> {
        self.channel.send(&request::done_with_kick()).map_err(KernelError::unheard)
    }

    fn act(&mut self, request: &VhostRequest) -> Result<VhostReply, KernelError> {
        match request {
            VhostRequest::GetFeatures => return Ok(VhostReply::Number(request::FEATURES)),
            VhostRequest::GetProtocolFeatures => return Ok(VhostReply::Number(request::PROTOCOL_FEATURES)),
            VhostRequest::SetFeatures(_) | VhostRequest::SetProtocolFeatures(_) | VhostRequest::SetOwner => {}
            VhostRequest::SetMemory(regions) => {
                self.memory = GuestMemory::default();
                for region in regions {
                    let file = self.file()?;
                    self.memory
                        .add(region.guest, region.size, &file, region.offset)
                        .map_err(KernelError::io("sharing a guest's memory"))?;
                }
            }
            VhostRequest::SetSize { queue, value } => {
                let number = self.number;
                self.ring(*queue)?.resize(*value).map_err(KernelError::ring(number))?;
            }
            VhostRequest::SetBase { queue, value } => self.ring(*queue)?.start_at(*value as u16),
            VhostRequest::SetEnabled { queue, value } => self.ring(*queue)?.enabled = *value != 0,
            VhostRequest::SetPlace { queue, descriptors, available, used } => {
                self.ring(*queue)?.place(*descriptors, *available, *used);
            }
            VhostRequest::SetInterrupts => self.interrupts = Some(GuestSocket::new(self.file()?)),
            VhostRequest::GetConfig { offset, len, flags } => {
                return self.config.part(*offset, *len, *flags).map(VhostReply::Bytes);
            }
            VhostRequest::Kick { .. } => unreachable!("answered when its frames are taken"),
        }
        Ok(VhostReply::Done)
    }

    fn file(&mut self) -> Result<OwnedFd, KernelError> {
        let missing =
            || KernelError::Protocol("a message of vhost-user without the file it speaks of".into());
        self.channel.take_file().ok_or_else(missing)
    }

    fn ring(&mut self, queue: u32) -> Result<&mut Virtqueue, KernelError> {
        let unknown = || KernelError::Protocol(format!("that a card has a queue {queue}"));
        self.rings.get_mut(queue as usize).ok_or_else(unknown)
    }

    /// Takes the next IPv4 packet that the guest has sent; with it comes the buffer that it lies in.
    pub(crate) fn take_packet(&mut self) -> Result<Option<(&[u8], u16)>, KernelError> {
        loop {
            let taken = self.rings[SEND].take_frame(&self.memory, &mut self.frame);
            let Some(head) = taken.map_err(KernelError::ring(self.number))? else { return Ok(None) };
            let kind = self.frame.get(HEADER + ETHERNET - 2..HEADER + ETHERNET);
            let is_packet = kind.is_some_and(|kind| kind == ETHERTYPE_IPV4);
            if !self.keeps || !is_packet {
                self.give_back(head)?;
            }
            if is_packet {
                return Ok(Some((&self.frame[HEADER + ETHERNET..], head)));
            }
            self.counts.foreign += 1;
        }
    }

    /// Gives back the buffer of a packet that was sent.
    pub(crate) fn give_back(&mut self, head: u16) -> Result<(), KernelError> {
        self.rings[SEND].give_back(&self.memory, head).map_err(KernelError::ring(self.number))
    }

    /// Whether the guest wants to be told that buffers have come back.
    pub(crate) fn wants_buffers_back(&self) -> Result<bool, KernelError> {
        self.rings[SEND].wants_interrupt(&self.memory).map_err(KernelError::ring(self.number))
    }

    /// Tells it so. It answers on [`VhostNetDevice::interrupts`].
    pub(crate) fn interrupt_for_buffers(&self) -> Result<(), KernelError> {
        self.ask(&request::call(SEND as u32))
    }

    /// Puts an IPv4 packet into the guest's ring; whether the guest is to be interrupted for it.
    pub(crate) fn give_packet(&mut self, packet: &[u8]) -> Result<bool, KernelError> {
        self.frame.clear();
        self.frame.resize(HEADER, 0);
        self.frame[HEADER - 2] = 1; // It lies in one buffer.
        self.frame.extend_from_slice(&self.config.mac());
        self.frame.extend_from_slice(&NEIGHBOUR);
        self.frame.extend_from_slice(&ETHERTYPE_IPV4);
        self.frame.extend_from_slice(packet);
        let ring = &mut self.rings[RECEIVE];
        if !ring.give_frame(&self.memory, &self.frame).map_err(KernelError::ring(self.number))? {
            self.counts.overruns += 1;
            return Ok(false);
        }
        ring.wants_interrupt(&self.memory).map_err(KernelError::ring(self.number))
    }

    /// The guest's memory, as far as it shares it.
    pub(crate) fn memory(&self) -> &GuestMemory {
        &self.memory
    }

    /// Whether the guest sees a carrier from now on; false where it does already.
    pub(crate) fn set_carrier(&mut self, up: bool) -> bool {
        self.config.set_carrier(up)
    }

    /// Tells the guest that frames have come. It answers on [`VhostNetDevice::interrupts`].
    pub(crate) fn interrupt(&self) -> Result<(), KernelError> {
        self.ask(&request::call(RECEIVE as u32))
    }

    /// Tells the guest that the card has changed.
    pub(crate) fn interrupt_for_config(&self) -> Result<(), KernelError> {
        self.ask(&request::config_changed())
    }

    fn ask(&self, bytes: &[u8]) -> Result<(), KernelError> {
        let Some(channel) = &self.interrupts else { return Err(KernelError::Gone) };
        channel.send(bytes).map_err(KernelError::unheard)
    }

    /// Where answers to interrupts come.
    pub(crate) fn interrupts(&self) -> Option<BorrowedFd<'_>> {
        self.interrupts.as_ref().map(AsFd::as_fd)
    }

    /// Waits for the answer to an interrupt.
    pub(crate) fn interrupt_answered(&mut self) -> Result<bool, KernelError> {
        let Some(channel) = &mut self.interrupts else { return Err(KernelError::Gone) };
        if !channel.receive().map_err(KernelError::io("interrupting a guest"))? {
            return Err(KernelError::Gone);
        }
        let Some(result) = request::result_of(channel.bytes()) else { return Ok(false) };
        channel.consume(request::RESULT);
        if !channel.bytes().is_empty() {
            return Err(KernelError::Protocol("more than that it was interrupted".into()));
        }
        match result {
            0 => Ok(true),
            _ => Err(KernelError::Protocol("that it has no such queue to be interrupted for".into())),
        }
    }
}

impl AsFd for VhostNetDevice {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}
