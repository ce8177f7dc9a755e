//! Scenario files from the outside: what is read, refused, warned of and written.

mod advice;
mod attacks;
mod codes;
mod errors;
mod faults;
mod gallery;
mod kernels;
mod migration;
mod plugins;
mod reads;
mod resolved;
mod robust;
mod roles;
mod schema;
mod small;
mod snapshot;
mod variants;
mod warnings;
