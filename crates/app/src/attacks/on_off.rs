//! A flood with pauses: constant bit rate during on-times, which may be drawn.

use crate::attack::AttackKind;
use crate::kinds::AppConfig;

pub use crate::kinds::on_off::OnOffConfig;

impl AttackKind for OnOffConfig {
    const SUMMARY: &'static str = "A flood with pauses.";

    fn app(&self) -> AppConfig {
        AppConfig::OnOff(self.clone())
    }
}
