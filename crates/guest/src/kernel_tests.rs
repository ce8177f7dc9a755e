//! Guests that are served: what they send, when, and how they fail.

use crate::error::KernelError;
use crate::kernel::GuestKernel;
use crate::testing::{GuestScript, ScriptEnd, any_violation, start, start_with};
use crate::timeouts::GuestTimeouts;
use proptest::prelude::*;
use std::io::Write as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tailrace_sim::Control;

const LONG: Duration = Duration::from_secs(20);
const MS: u64 = 1_000_000;

fn script(shares: bool, sends: &[u64]) -> GuestScript {
    let sends = sends.iter().map(|at| (*at, at.to_le_bytes().to_vec())).collect();
    GuestScript { shares, sends, ..GuestScript::default() }
}

/// Packets sent by `now`.
fn taken(kernel: &mut GuestKernel, now: u64) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut packet = Vec::new();
    while let Some(card) = kernel.take(now, &mut packet) {
        assert_eq!(card, 0);
        all.push(packet.clone());
    }
    all
}

#[test]
fn packets_leave_at_the_times_at_which_they_are_sent() {
    for shares in [false, true] {
        let (mut kernel, fake) = start(script(shares, &[3 * MS, 3 * MS, 7 * MS]), LONG);
        kernel.boot(0).unwrap();
        assert_eq!(kernel.next_event(), Some(3 * MS));
        kernel.run_until(3 * MS, 3 * MS).unwrap();
        assert_eq!(taken(&mut kernel, 3 * MS).len(), 2);
        assert_eq!(kernel.next_event(), Some(7 * MS));
        kernel.run_until(7 * MS, 7 * MS).unwrap();
        assert_eq!(taken(&mut kernel, 7 * MS), [(7 * MS).to_le_bytes()]);
        assert_eq!(kernel.next_event(), None);
        drop(kernel);
        fake.join().unwrap();
    }
}

#[test]
fn a_guest_goes_ahead_to_the_horizon_and_no_further() {
    for shares in [false, true] {
        let times = [MS, 2 * MS, 3 * MS, 4 * MS];
        let (mut kernel, fake) = start(script(shares, &times), LONG);
        kernel.boot(0).unwrap();
        kernel.run_until(MS, 3 * MS).unwrap();
        // It has sent what it sends before 3 ms; that is taken at its own time.
        assert_eq!(taken(&mut kernel, MS).len(), 1);
        assert_eq!(kernel.next_event(), Some(2 * MS));
        kernel.run_until(2 * MS, 3 * MS).unwrap();
        assert_eq!(taken(&mut kernel, 2 * MS).len(), 1);
        assert_eq!(kernel.next_event(), Some(3 * MS), "that is its request");
        drop(kernel);
        fake.join().unwrap();
    }
}

#[test]
fn an_arriving_packet_interrupts_and_is_answered_at_that_time() {
    for shares in [false, true] {
        let (mut kernel, fake) = start(script(shares, &[9 * MS]), LONG);
        kernel.boot(0).unwrap();
        for i in 0..40_u64 {
            let now = 100_000 * (i + 1);
            kernel.deliver(0, &[i as u8; 60], now).unwrap();
            assert_eq!(kernel.next_event(), Some(now));
            kernel.run_until(now, now).unwrap();
            assert_eq!(taken(&mut kernel, now), [[i as u8; 60]]);
            assert_eq!(kernel.next_event(), Some(9 * MS), "what it waited for, it still waits for");
        }
        drop(kernel);
        fake.join().unwrap();
    }
}

#[test]
fn a_guest_whose_cards_keep_buffers_is_interrupted_when_packets_have_left() {
    for shares in [false, true] {
        let (mut kernel, fake) = start(script(shares, &[3 * MS, 3 * MS, 7 * MS]), LONG);
        kernel.boot(0).unwrap();
        kernel.keep_buffers();
        kernel.run_until(3 * MS, 3 * MS).unwrap();
        assert_eq!(taken(&mut kernel, 3 * MS).len(), 2);
        assert_eq!(kernel.next_event(), Some(7 * MS));
        kernel.departed(&[1, 0], 4 * MS).unwrap();
        assert_eq!(kernel.next_event(), Some(4 * MS), "it has been interrupted");
        kernel.run_until(4 * MS, 4 * MS).unwrap();
        kernel.departed(&[1, 99], 5 * MS).unwrap();
        assert_eq!(kernel.next_event(), Some(7 * MS), "nothing has come back to it");
        drop(kernel);
        fake.join().unwrap();
    }
}

#[test]
fn packets_for_which_there_is_no_buffer_are_counted() {
    let (mut kernel, fake) = start(script(false, &[]), LONG);
    kernel.boot(0).unwrap();
    for _ in 0..20 {
        kernel.deliver(0, &[1; 60], MS).unwrap();
    }
    kernel.run_until(MS, MS).unwrap();
    assert_eq!((taken(&mut kernel, MS).len(), kernel.overruns()), (16, 4));
    drop(kernel);
    fake.join().unwrap();
}

#[test]
fn a_carrier_that_changes_is_an_interrupt() {
    let (mut kernel, fake) = start(script(true, &[]), LONG);
    kernel.boot(0).unwrap();
    kernel.set_carrier(0, true, MS).unwrap();
    assert_eq!(kernel.next_event(), None, "it was up");
    kernel.set_carrier(0, false, MS).unwrap();
    assert_eq!(kernel.next_event(), Some(MS));
    drop(kernel);
    fake.join().unwrap();
}

#[test]
fn guests_that_misbehave_are_errors() {
    for (then, expected) in [
        (ScriptEnd::Leaves, "has ended"),
        (ScriptEnd::Hangs, "has done nothing for"),
        (ScriptEnd::Lies, "card 0: a ring leads to 0x7"),
        (ScriptEnd::Babbles, "none knows: 99"),
        (ScriptEnd::Floods, "more and more while no time passes"),
    ] {
        for shares in [false, true] {
            let patience = if then == ScriptEnd::Hangs { Duration::from_millis(200) } else { LONG };
            let (mut kernel, fake) = start(GuestScript { then, ..script(shares, &[MS]) }, patience);
            kernel.boot(0).unwrap();
            let error = kernel.run_until(MS, MS).unwrap_err().to_string();
            assert!(error.contains(expected), "{then:?}: {error}");
            drop(kernel);
            fake.join().unwrap();
        }
    }
}

#[test]
fn a_guest_that_does_not_answer_is_an_error() {
    for shares in [false, true] {
        let script = GuestScript { then: ScriptEnd::IsDeaf, ..script(shares, &[MS]) };
        let (mut kernel, fake) = start(script, Duration::from_millis(200));
        kernel.boot(0).unwrap();
        kernel.run_until(MS, MS).unwrap();
        let error = kernel.deliver(0, &[1; 60], 2 * MS).unwrap_err().to_string();
        assert!(error.contains("has done nothing for"), "{error}");
        drop(kernel);
        fake.join().unwrap();
    }
}

#[test]
fn a_guest_that_hangs_is_given_up_as_soon_as_somebody_asks() {
    let control = Arc::new(Control::default());
    let (mut kernel, fake) =
        start_with(GuestScript { then: ScriptEnd::Hangs, ..script(true, &[MS]) }, LONG, Arc::clone(&control));
    kernel.boot(0).unwrap();
    let asks = thread::spawn(move || control.cancel());
    assert!(matches!(kernel.run_until(MS, MS), Err(KernelError::Stopped)));
    asks.join().unwrap();
    drop(kernel);
    fake.join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    /// Whatever a guest says that has come up, in whatever order, and whatever its rings hold: it is served to an end.
    #[test]
    fn protocol_violations_are_errors_or_harmless(shares: bool, says in prop::collection::vec(any_violation(), 0..40)) {
        let script = GuestScript { then: ScriptEnd::Says, says, ..script(shares, &[MS]) };
        let (mut kernel, fake) = start(script, LONG);
        kernel.boot(0).unwrap();
        let mut outcome = kernel.run_until(MS, MS);
        for now in [2 * MS, 3 * MS] {
            outcome = outcome.and_then(|()| kernel.deliver(0, &[1; 60], now));
            outcome = outcome.and_then(|()| kernel.set_carrier(0, now == 3 * MS, now));
            outcome = outcome.and_then(|()| kernel.run_until(now, now));
            taken(&mut kernel, now);
        }
        drop(kernel);
        fake.join().unwrap();
        prop_assert!(is_hopeless(&outcome), "{:?}", outcome);
    }
}

/// Whether that is what becomes of a guest that makes no sense: an error at once, or nothing.
fn is_hopeless(outcome: &Result<(), KernelError>) -> bool {
    use KernelError::{Gone, Io, Protocol, Ring};
    matches!(outcome, Ok(()) | Err(Gone | Protocol(_) | Ring { .. } | Io { .. }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever a guest says, it is served to an end: with an error, not a panic.
    #[test]
    fn arbitrary_words_are_errors(to_calendar: bool, bytes in prop::collection::vec(any::<u8>(), 1..300)) {
        let folder = tempfile::tempdir().unwrap();
        let [controller, card] = ["calendar", "card"].map(|name| folder.path().join(name));
        let listen = |path| UnixListener::bind(path).unwrap();
        let cards = vec![crate::vhost_net::VhostNetDevice::new(listen(&card), 0, 1500)];
        let served = crate::time_travel::TimeTravelController::new(listen(&controller), 0).unwrap();
        let patience = GuestTimeouts::new(LONG, Arc::default());
        let mut kernel = GuestKernel::new(served, cards, None, patience);
        let [mut to, other] = [&controller, &card].map(|path| UnixStream::connect(path).unwrap());
        let mut to_card = other;
        if to_calendar { to.write_all(&bytes).unwrap() } else { to_card.write_all(&bytes).unwrap() }
        for end in [&to, &to_card] {
            end.shutdown(std::net::Shutdown::Write).unwrap();
        }
        let outcome = kernel.boot(1).and_then(|()| kernel.run_until(u64::MAX, u64::MAX));
        prop_assert!(is_hopeless(&outcome), "{:?}", outcome);
    }
}
