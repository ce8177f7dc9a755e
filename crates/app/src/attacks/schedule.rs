//! A flood whose rate changes at given times, such as one that comes again after it was found out.

use crate::attack::AttackKind;
use crate::kinds::AppConfig;

pub use crate::kinds::schedule::ScheduleConfig;

impl AttackKind for ScheduleConfig {
    const SUMMARY: &'static str = "A flood whose rate changes at given times after the attack's start.";

    fn app(&self) -> AppConfig {
        AppConfig::Schedule(self.clone())
    }
}
