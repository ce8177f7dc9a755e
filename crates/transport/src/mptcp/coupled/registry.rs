//! The table of coupled controllers. A new algorithm is one file and one line at the end of this one.

use super::{
    Balia, CoupledAlgorithm, CoupledControl, Ewtcp, FullyCoupled, Lia, LinkedIncreases, Olia, Path,
    RttCompensator, Wvegas,
};
use crate::cc::{AckSample, CatalogEntry};
use tailrace_core::Bytes;
use tailrace_core::params::{Invalid, ParamInfo, Parameters, SetError, Value};

macro_rules! coupled_controls {
    ($( $word:literal => $variant:ident, )+) => {
        crate::registry::config_enum! {
            /// A coupled controller with its parameters, by registered name.
            CoupledConfig, CoupledAlgorithm, $( $word => $variant, )+
        }

        impl CoupledConfig {
            /// A fresh instance.
            pub fn build(&self) -> Controller {
                match self { $( Self::$variant(c) => Controller::$variant($variant::build(c)), )+ }
            }
        }

        /// A running coupled controller.
        #[derive(Clone, Debug)]
        pub enum Controller {
            $( #[doc = concat!("`", $word, "`")] $variant($variant), )+
        }

        impl CoupledControl for Controller {
            #[inline]
            fn increase(&mut self, of: usize, acked: f64, sample: &AckSample, paths: &[Path]) -> f64 {
                match self { $( Self::$variant(c) => c.increase(of, acked, sample, paths), )+ }
            }
            fn decrease(&mut self, of: usize, base: f64, paths: &[Path]) -> f64 {
                match self { $( Self::$variant(c) => c.decrease(of, base, paths), )+ }
            }
            #[inline]
            fn on_acked(&mut self, of: usize, acked: Bytes, sample: &AckSample) {
                match self { $( Self::$variant(c) => c.on_acked(of, acked, sample), )+ }
            }
            fn on_loss(&mut self, of: usize) {
                match self { $( Self::$variant(c) => c.on_loss(of), )+ }
            }
            #[inline]
            fn replace(
                &mut self,
                of: usize,
                window: (f64, f64),
                sample: &AckSample,
                paths: &[Path],
            ) -> Option<(f64, f64)> {
                match self { $( Self::$variant(c) => c.replace(of, window, sample, paths), )+ }
            }
            fn add(&mut self, of: usize) {
                match self { $( Self::$variant(c) => c.add(of), )+ }
            }
        }
    };
}

coupled_controls! {
    "lia" => Lia,
    "olia" => Olia,
    "balia" => Balia,
    "wvegas" => Wvegas,
    "ewtcp" => Ewtcp,
    "fully_coupled" => FullyCoupled,
    "linked_increases" => LinkedIncreases,
    "rtt_compensator" => RttCompensator,
}
