//! A running congestion control with its window at hand.
//!
//! An endpoint asks for the window several times for each segment, but the window changes only when the algorithm is told of something:
//! that is when it is asked for. Else each question would choose among all algorithms, and most keep a window with fractions.

use super::{Cc, CongestionControl};
use core::ops::Deref;
use tailrace_core::Bytes;

/// A congestion control, which may be asked anything, and is told what happens by [`CachedCc::tell`].
/// The window comes first, so that it lies beside what an endpoint needs with it.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct CachedCc {
    /// The algorithm's window since it was told something last.
    cwnd: Bytes,
    control: Cc,
}

impl CachedCc {
    pub(crate) fn new(control: Cc) -> Self {
        Self { cwnd: control.cwnd(), control }
    }

    /// The congestion window.
    #[inline(always)]
    pub(crate) const fn cwnd(&self) -> Bytes {
        self.cwnd
    }

    /// Tells the algorithm of something, upon which its window may be another.
    #[inline]
    pub(crate) fn tell<T>(&mut self, what: impl FnOnce(&mut Cc) -> T) -> T {
        let said = what(&mut self.control);
        self.cwnd = self.control.cwnd();
        said
    }
}

impl Deref for CachedCc {
    type Target = Cc;
    #[inline]
    fn deref(&self) -> &Cc {
        &self.control
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CcConfig, Setup};
    use super::*;
    use crate::config::TcpConfig;

    #[test]
    fn the_window_is_that_after_the_last_that_was_told() {
        let (config, mut grown) = (TcpConfig::default(), 0);
        for control in CcConfig::names().iter().filter_map(|name| CcConfig::default_of(name)) {
            let mut cached = CachedCc::new(control.build(&config, 1000));
            let before = cached.cwnd();
            assert_eq!(before, cached.control.cwnd());
            let setup = Setup { initial_window: 50_000, ..Setup::new(&config, 1000) };
            cached.tell(|cc| cc.on_established(&setup));
            assert_eq!(cached.cwnd(), cached.control.cwnd());
            grown += u32::from(cached.cwnd() > before);
        }
        assert!(grown > 5, "{grown}: most begin with the initial window");
    }
}
