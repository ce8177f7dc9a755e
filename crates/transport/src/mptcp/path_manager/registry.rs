//! Registry of path managers. A line of the table in the module above declares the module of an algorithm; names, configuration, dispatch,
//! documentation and the conformance tests derive from it.

macro_rules! path_managers {
    ($( $word:literal => $file:ident::$variant:ident($config:ident), )+) => {
        $( mod $file; pub use $file::{$variant, $config}; )+

        crate::registry::algorithms! {
            /// A path manager with its parameters, by registered name.
            PathManagerConfig, PathManagerKind, $( $word => $variant, )+
        }

        impl PathManagerConfig {
            /// A fresh instance.
            pub fn build(&self) -> RunningPathManager {
                match self { $( Self::$variant(c) => RunningPathManager::$variant(Box::new($variant::build(c))), )+ }
            }
            /// See [`PathManagerKind::subflows`].
            pub fn subflows(&self) -> u64 {
                match self { $( Self::$variant(c) => $variant::subflows(c), )+ }
            }
            /// See [`PathManagerKind::SUBFLOWS_BY`].
            pub fn subflows_by(&self) -> (&'static str, &'static str) {
                match self { $( Self::$variant(_) => $variant::SUBFLOWS_BY, )+ }
            }
            /// See [`PathManagerKind::source_routes`].
            pub fn source_routes(&self) -> &[Vec<String>] {
                match self { $( Self::$variant(c) => $variant::source_routes(c), )+ }
            }
            /// See [`PathManagerKind::most_addresses`].
            pub fn most_addresses(&self) -> Option<usize> {
                match self { $( Self::$variant(c) => $variant::most_addresses(c), )+ }
            }
            /// See [`PathManagerKind::opens_paths`].
            pub fn opens_paths(&self) -> bool {
                match self { $( Self::$variant(c) => $variant::opens_paths(c), )+ }
            }
            /// See [`PathManagerKind::first_address_only`].
            pub fn first_address_only(&self) -> Option<&'static str> {
                match self { $( Self::$variant(c) => $variant::first_address_only(c), )+ }
            }
            /// See [`PathManagerKind::limit`].
            pub fn limit(&self) -> Option<(&'static str, u64)> {
                match self { $( Self::$variant(c) => $variant::limit(c), )+ }
            }
            /// See [`PathManagerKind::interfaces`].
            pub fn interfaces(&self) -> Vec<NamedInterface> {
                match self { $( Self::$variant(c) => $variant::interfaces(c), )+ }
            }
            /// See [`PathManagerKind::validate_ends`].
            ///
            /// # Errors
            /// A parameter that does not fit.
            pub fn validate_ends(&self, ends: [End; 2]) -> Result<(), Misfit> {
                match self { $( Self::$variant(c) => $variant::validate_ends(c, ends), )+ }
            }
            /// See [`PathManagerKind::ends_with`].
            pub fn ends_with(&self, outage: &Outage) -> bool {
                match self { $( Self::$variant(c) => $variant::ends_with(c, outage), )+ }
            }
        }

        /// A running path manager.
        #[derive(Clone, Debug)]
        pub enum RunningPathManager {
            $( #[doc = concat!("`", $word, "`")] $variant(Box<$variant>), )+
        }

        impl PathManager for RunningPathManager {
            fn on_event(&mut self, event: &PathEvent, now: Instant) {
                match self { $( Self::$variant(p) => p.on_event(event, now), )+ }
            }
            fn poll_action(&mut self) -> Option<PathAction> {
                match self { $( Self::$variant(p) => p.poll_action(), )+ }
            }
            fn accepts_join(&self) -> bool {
                match self { $( Self::$variant(p) => p.accepts_join(), )+ }
            }
            fn is_backup(&self, local: AddressId) -> bool {
                match self { $( Self::$variant(p) => p.is_backup(local), )+ }
            }
            fn poll_timeout(&self) -> Option<Instant> {
                match self { $( Self::$variant(p) => p.poll_timeout(), )+ }
            }
            fn handle_timeout(&mut self, now: Instant) {
                match self { $( Self::$variant(p) => p.handle_timeout(now), )+ }
            }
        }
    };
}
pub(super) use path_managers;
