//! An application by itself, for tests.

use crate::application::{Actions, Application, Cx};
use tailrace_core::{Instant, Rng};

/// When the datagrams of one that starts at zero leave, in seconds.
pub(crate) fn times(mut app: impl Application, until: Instant) -> Vec<f64> {
    let (mut rng, mut times) = (Rng::new(1), Vec::new());
    let mut tell = |now, tell: &mut dyn FnMut(&mut Cx<'_>)| {
        let mut actions = Actions::default();
        tell(&mut Cx::new(now, &mut rng, &mut actions));
        assert_eq!(actions.others().next(), None, "datagrams only");
        times.extend(actions.datagram().map(|_| now.as_secs_f64()));
        actions.wake()
    };
    let mut next = tell(Instant::ZERO, &mut |cx| app.on_start(cx));
    while let Some(at) = next.filter(|at| *at < until) {
        next = tell(at, &mut |cx| app.on_wake(cx));
    }
    times
}
