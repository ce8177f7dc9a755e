//! An application by itself, for tests.

use crate::application::{AppActions, AppContext, Application};
use tailrace_core::{Instant, Rng};

/// When the datagrams of one that starts at zero leave, in seconds.
pub(crate) fn times(app: impl Application, until: Instant) -> Vec<f64> {
    departures(app, until, |_, now| now.as_secs_f64())
}

/// Numbers of the pulses to which datagrams belong.
pub(crate) fn pulses(app: impl Application, until: Instant) -> Vec<u64> {
    departures(app, until, |app, now| app.pulse(now))
}

/// A value for each datagram when it leaves.
fn departures<A: Application, T>(mut app: A, until: Instant, say: impl Fn(&A, Instant) -> T) -> Vec<T> {
    let (mut rng, mut said) = (Rng::new(1), Vec::new());
    let mut tell = |app: &mut A, now, tell: &dyn Fn(&mut A, &mut AppContext<'_>)| {
        let mut actions = AppActions::default();
        tell(app, &mut AppContext::new(now, &mut rng, &mut actions));
        assert_eq!(actions.others().next(), None, "datagrams only");
        said.extend(actions.datagram().map(|_| say(app, now)));
        actions.wake()
    };
    let mut next = tell(&mut app, Instant::ZERO, &|app, cx| app.on_start(cx));
    while let Some(at) = next.filter(|at| *at < until) {
        next = tell(&mut app, at, &|app, cx| app.on_wake(cx));
    }
    said
}
