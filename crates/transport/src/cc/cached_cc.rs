//! A running congestion control with a cached window. An endpoint reads the window several times for each segment, but it
//! changes only when the algorithm is told something. Without the cache each read would dispatch among all algorithms, most of
//! which keep a fractional window.

use super::{Cc, CongestionControl};
use core::ops::Deref;
use tailrace_core::Bytes;

/// The connection's congestion control with a cached window. Reading is free; every change goes through [`CachedCc::tell`],
/// which refreshes the cache. The window comes first, beside what the endpoint reads with it.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct CachedCc {
    /// Window of the algorithm after the last call of [`Self::tell`].
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

    /// Tells the algorithm something and refreshes the cached window.
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
