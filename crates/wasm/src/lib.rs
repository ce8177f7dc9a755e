//! The simulator as WebAssembly. [`Session`] is what can be done; `exports` is the same for JavaScript, as functions over
//! numbers and one text that lies in memory.

mod exports;
mod outline;
mod request;
mod session;

pub use session::Session;
