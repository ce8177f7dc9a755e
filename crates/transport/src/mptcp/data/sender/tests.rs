use super::*;
use crate::mptcp::linux::buffer_size::BufferSize;

fn sender(written: u64, window: u64) -> DataSender {
    let mut s = DataSender::new(u64::MAX);
    s.app_end = written;
    s.start(1000);
    s.on_ack(1000, window);
    s
}

fn send(s: &mut DataSender, carrier: usize, n: usize) {
    for _ in 0..n {
        let chunk = s.fresh(100).unwrap();
        s.assign(&chunk, (carrier, false));
    }
}

#[test]
fn fresh_data_is_limited_by_window_buffer_and_application() {
    let mut s = sender(1050, 1000);
    send(&mut s, 0, 10);
    assert_eq!((s.fresh(100), s.has_fresh(), s.is_window_limited(100)), (None, false, true));
    s.on_ack(1100, 1000);
    assert!(s.has_fresh());
    let rest = s.fresh(100).unwrap();
    assert_eq!((rest.dsn, rest.len), (2000, 50));
    s.assign(&rest, (0, false));
    assert_eq!((s.fresh(100), s.has_fresh()), (None, false));
    assert_eq!((s.is_window_limited(100), s.outstanding()), (false, 950));
}

#[test]
fn unassigned_data_is_limited_by_the_send_buffer() {
    let mut s = DataSender::new(500);
    s.app_end = 2000;
    s.start(1000);
    s.on_ack(1000, 300);
    assert_eq!(s.unassigned(), 500);
    send(&mut s, 0, 3);
    assert_eq!(s.unassigned(), 200, "the peer's window does not count");
    s.on_ack(1300, 300);
    assert_eq!(s.unassigned(), 500);
    s.app_end = 1350;
    assert_eq!(s.unassigned(), 50);
}

#[test]
fn silly_window_waits_while_data_is_in_flight() {
    let mut s = sender(1000, 250);
    send(&mut s, 0, 2);
    assert_eq!(s.fresh(100), None);
    s.on_ack(1200, 50);
    assert_eq!(s.fresh(100).map(|c| c.len), Some(50), "nothing is on its way: better little than nothing");
}

#[test]
fn reinjections_are_ordered_disjoint_and_dropped_on_ack() {
    let mut s = sender(1000, 1000);
    send(&mut s, 0, 4);
    s.reinject(1200, 1400);
    s.reinject(1000, 1300);
    s.reinject(1000, 1400);
    let mut seen = Vec::new();
    s.on_ack(1050, 1000);
    while let Some(chunk) = s.first_reinjection() {
        seen.push((chunk.dsn, chunk.end(), chunk.carriers));
        s.assign(&chunk, (1, false));
    }
    assert_eq!(seen, [(1050, 1100, 1), (1100, 1200, 1), (1200, 1300, 1), (1300, 1400, 1)]);
    assert_eq!(s.oldest().unwrap().carriers, 0b11);
    s.forget_carrier(0);
    assert_eq!(s.oldest().unwrap().carriers, 0b10);
    s.reinject(1000, 1400);
    s.on_ack(1400, 1000);
    assert_eq!((s.first_reinjection(), s.outstanding()), (None, 0));
}

#[test]
fn partial_reinjection_leaves_the_rest() {
    let mut s = sender(1000, 1000);
    send(&mut s, 0, 2);
    s.reinject(1000, 1200);
    let chunk = s.first_reinjection().unwrap();
    s.assign(&DataChunk { len: 40, ..chunk }, (1, false));
    let rest = s.first_reinjection().unwrap();
    assert_eq!((rest.dsn, rest.end()), (1040, 1100));
    s.assign(&rest, (1, false));
    assert_eq!(s.first_reinjection().map(|c| c.dsn), Some(1100));
}

#[test]
fn joining_chunk_extends_the_latest_piece() {
    let mut s = sender(1000, 1000);
    s.assign(&DataChunk { dsn: 1000, len: 40, carriers: 0 }, (1, false));
    let number = s.assign(&DataChunk { dsn: 1040, len: 60, carriers: 0 }, (1, true));
    s.stamp_piece(number, Instant::from_millis(7));
    let piece = s.oldest().unwrap();
    assert_eq!((piece.dsn, piece.end(), piece.carriers), (1000, 1100, 0b10));
    assert_eq!(s.first_sending_of(1099), Some(Instant::from_millis(7)));
}

#[test]
fn piece_keeps_the_time_of_its_first_transmission() {
    let mut s = sender(1000, 1000);
    for ms in 1..=3 {
        send(&mut s, 0, 1);
        s.stamp_newest(Instant::from_millis(ms));
    }
    s.reinject(1000, 1100);
    let chunk = s.first_reinjection().unwrap();
    s.assign(&chunk, (1, false));
    let first = |s: &DataSender, dsn| s.first_sending_of(dsn).map(|at| at.as_nanos() / 1_000_000);
    assert_eq!([1000, 1099, 1100, 1299].map(|dsn| first(&s, dsn)), [1, 1, 2, 3].map(Some));
    assert_eq!(first(&s, 1300), None, "not sent yet");
    s.on_ack(1100, 1000);
    assert_eq!((first(&s, 1099), first(&s, 1100)), (None, Some(2)));
}

#[test]
fn writer_sleeps_until_a_third_of_the_send_buffer_is_free() {
    let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(667_648)));
    s.app_end = 10_000_000;
    s.start(1);
    while s.fill_memory() {}
    // Measured in Linux 6.12: a buffer of 667648 bytes was filled up to 688128, 21 blocks of 32768 with 40 bytes before each.
    assert_eq!(s.unassigned(), 21 * 32_728);
    let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(393_216)));
    s.app_end = 10_000_000;
    s.start(1);
    while s.fill_memory() {}
    assert_eq!(s.unassigned(), 12 * 32_728);
    let waits_and_goes_on =
        [(131_000, false), (131_200, true), (131_200, true), (131_200, false), (200_000, false)];
    for (acked, writes) in waits_and_goes_on {
        s.nxt = 1 + acked;
        s.on_ack(1 + acked, 1 << 30);
        assert_eq!(s.fill_memory(), writes, "{acked}");
    }
}

#[test]
fn data_ack_never_shrinks_the_window() {
    let mut s = sender(1000, 500);
    send(&mut s, 0, 3);
    assert_eq!(s.on_ack(1200, 500), 200);
    assert_eq!(s.on_ack(1100, 900), 0, "an old one says nothing");
    assert_eq!(s.on_ack(9999, 1), 0, "of what was never sent");
    assert_eq!((s.una, s.edge), (1200, 1700));
    s.on_ack(1200, 100);
    assert_eq!(s.edge, 1700);
}

#[test]
fn writer_wakes_only_after_it_has_slept() {
    let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(98_304)));
    s.app_end = 1 << 20;
    s.start(1);
    s.on_ack(1, 1 << 20);
    assert!(!s.wakes_writer(), "it has not found the buffer full");
    while s.fill_memory() {}
    let stored = s.queue().unwrap().stored();
    while let Some(chunk) = s.fresh(1000) {
        s.assign(&chunk, (0, false));
    }
    s.on_ack(1 + stored / 4, 1 << 20);
    assert!(!s.wakes_writer(), "a quarter is free");
    s.on_ack(1 + stored / 2, 1 << 20);
    assert!(s.wakes_writer());
    assert!(s.fill_memory() && !s.wakes_writer(), "it writes");
}

#[test]
fn reinjection_stays_within_its_fragment() {
    let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(393_216)));
    s.app_end = 1 << 20;
    s.start(1);
    assert!(s.fill_memory());
    s.on_ack(1, 1 << 20);
    // A fragment of 32,728 bytes holds 1424 bytes 22 times, and 1400 are left.
    for _ in 0..30 {
        let chunk = s.fresh(1424).unwrap();
        s.assign(&chunk, (0, false));
    }
    s.reinject_all();
    let mut within = Vec::new();
    for _ in 0..24 {
        within.push(s.is_within_fragment());
        let chunk = s.first_reinjection().unwrap();
        s.assign(&chunk, (1, false));
    }
    let begins: Vec<_> = (0..24).filter(|i| !within[*i]).collect();
    assert_eq!(begins, [0, 23], "two fragments");
}

#[test]
fn reinjected_segment_ends_with_its_fragment() {
    let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(393_216)));
    s.app_end = 1 << 20;
    s.start(1);
    assert!(s.fill_memory());
    s.on_ack(1, 1 << 20);
    // 32728 bytes are 22 times 1424 and 1400; the segment of these takes 24 of the next fragment, too.
    for _ in 0..23 {
        let chunk = s.fresh(1424).unwrap();
        s.assign(&chunk, (0, false));
    }
    s.assign(&DataChunk { dsn: 32_729, len: 24, carriers: 0 }, (0, true));
    assert_eq!([1, 31_329, 32_729].map(|dsn| s.end_of_fragment(dsn)), [32_729, 32_729, 32_753].map(Some));
    s.reinject_all();
    let mut lengths = Vec::new();
    while let Some(chunk) = s.first_reinjection() {
        lengths.push(chunk.len);
        s.assign(&chunk, (1, false));
    }
    assert_eq!((lengths.len(), &lengths[21..]), (24, &[1424, 1400, 24][..]));
}
