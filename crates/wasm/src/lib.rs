//! The simulator as WebAssembly. [`Session`] is the interface in Rust; `exports` has the same functions for JavaScript, with
//! numbers as arguments and text (JSON, TOML) passed through linear memory.

mod exports;
mod outline;
mod request;
mod session;

pub use session::Session;
