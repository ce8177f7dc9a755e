//! Entry points of `fuzz/`: arbitrary bytes as vhost-user messages, and as the memory in which virtqueues and the
//! mailbox lie.

use crate::mailbox::{DeliveryMailbox, deliveries};
use crate::memory::GuestMemory;
use crate::vhost_net::request::VhostMessage;
use crate::virtqueue::Virtqueue;
use rustix::fs::MemfdFlags;
use std::collections::VecDeque;

/// Where the memory begins in the guest's addresses, and how much there is.
const START: u64 = 0x10_0000;
const LEN: usize = 0x4000;

/// Messages of vhost-user as a guest's kernel might send them: each is understood or refused, and none is longer than what came.
pub fn messages(mut data: &[u8]) {
    while let Ok(Some(message)) = VhostMessage::parse(data) {
        assert!(message.len() <= data.len(), "no more than came");
        data = &data[message.len()..];
    }
}

/// A memory that begins with these bytes: a card sends and receives by a ring in it, and looks into a mailbox.
///
/// # Panics
/// Where the system gives no memory.
pub fn memory(data: &[u8]) {
    let Some((&[size, descriptors, available, used, index, mailbox, turns, seven], content)) =
        data.split_first_chunk()
    else {
        return;
    };
    let content = &content[..content.len().min(LEN)];
    let file = rustix::fs::memfd_create("fuzz", MemfdFlags::CLOEXEC).expect("a file in memory");
    rustix::fs::ftruncate(&file, LEN as u64).expect("room for it");
    let mut memory = GuestMemory::default();
    memory.add(START, LEN as u64, &file, 0).expect("the file can be mapped");
    memory.write(START, content).expect("it fits");
    // Places that are at some multiple of 64 bytes, and a few that are at the end or beyond it.
    let place = |at: u8| START + u64::from(at) * 64;
    let mut ring = Virtqueue::default();
    ring.enabled = true;
    if ring.resize(u32::from(size)).is_err() {
        return;
    }
    ring.place(place(descriptors), place(available), place(used));
    ring.start_at(u16::from(index) << 8 | u16::from(seven));
    let (mut frame, mut records) = (Vec::new(), VecDeque::new());
    for _ in 0..turns % 8 {
        if let Ok(Some(head)) = ring.take_frame(&memory, &mut frame) {
            let _ = ring.give_back(&memory, head);
        }
        let _ = ring.give_frame(&memory, &frame);
        let _ = ring.wants_interrupt(&memory);
        let _ = DeliveryMailbox::at(place(mailbox)).take(&memory, &mut records);
        deliveries(records.make_contiguous()).for_each(drop);
        records.clear();
    }
}
