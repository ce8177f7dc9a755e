//! Disciplines against independent implementations: the pseudo-code of an RFC or paper, or another simulator's rules,
//! written plainly around a queue. Both get the same packets and must do the same.

mod cobalt;
mod codel;
mod codel_lifo;
mod dualpi2;
mod fq_codel;
mod pie;
mod sfq;
mod wfq;
