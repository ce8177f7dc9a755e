//! The fabric seen from its edge: exact times, conservation, theory, faults.

mod channels;
mod common;
mod conservation;
mod equivalence;
mod exactness;
mod faults;
mod grants;
mod impairments;
mod lazy;
mod opportunities;
mod routes;
mod source_routes;
mod theory;
mod two_packets;
