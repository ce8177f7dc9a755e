//! Registry of coupled controllers. A line of the table in the module above declares the module of an algorithm; names, configuration,
//! dispatch, documentation and the conformance tests derive from it.

macro_rules! coupled_controls {
    ($( $word:literal => $file:ident::$variant:ident($config:ident), )+) => {
        $( mod $file; pub use $file::{$variant, $config}; )+

        crate::registry::algorithms! {
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
pub(super) use coupled_controls;
