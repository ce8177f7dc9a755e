//! QUIC stacks as transports of flows: rates, applications, determinism and neighbours of other transports.

mod applications;
mod disturbed;
mod links;
mod neighbours;
mod repeats;
mod support;
