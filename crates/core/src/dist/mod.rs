//! Distributions of durations, sizes and counts: reading, writing, mean and drawing.

pub mod cdf;
mod cdf_file;
pub mod count;
pub mod duration;
pub mod error;
pub mod size;
