//! The parts of a search that touch every row: segment files, filter columns, bitmaps, exact scores,
//! grouping of passages by document. Nothing here knows of Node; `node` is the glue.

pub mod bags;
pub mod bitmap;
pub mod columns;
pub mod effort;
pub mod error;
pub mod file;
pub mod filter;
pub mod late;
pub mod page;
pub mod search;
pub mod segment;
pub mod static_model;
pub mod stats;
pub mod tokenizer_json;
pub mod vectors;
pub mod xml;

pub use error::{Error, Result};
