//! The parts of a search that read every row: segment files, filter columns, bitmaps, exact scores,
//! grouping of passages by document. This crate does not depend on Node; `node` is the binding.

pub mod bags;
pub mod bitmap;
pub mod columns;
mod day_order;
pub mod effort;
pub mod error;
pub mod file;
pub mod filter;
mod huge;
pub mod late;
pub mod lexical;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod page;
pub mod search;
pub mod segment;
pub mod shown;
pub mod sketch;
pub mod static_model;
pub mod stats;
pub mod tokenizer_json;
pub mod vectors;
pub mod xml;

pub use error::{Error, Result};
