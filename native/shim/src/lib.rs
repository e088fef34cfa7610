//! The index kinds of FAISS that priorart uses, behind a safe interface.
//!
//! Scores are inner products; for cosine similarity, vectors must have length 1. A row is
//! identified by its number: the order in which it was added, from 0.
//!
//! ```no_run
//! use priorart_shim::{BuildParams, Index, Kind, SearchParams};
//! # fn main() -> Result<(), priorart_shim::Error> {
//! # let (vectors, query) = (vec![0.0f32; 256 * 1000], vec![0.0f32; 256]);
//! let mut index = Index::new(Kind::IvfSq8, 256, &BuildParams::default(), 1000)?;
//! index.train(&vectors)?;
//! index.add(&vectors)?;
//! let (scores, rows) = index.search(&query, 10, &SearchParams::default())?;
//! # Ok(()) }
//! ```

mod codes;
mod error;
mod ffi;
mod index;
mod kind;
mod params;

pub use codes::BLOCK;
pub use error::Error;
pub use index::Index;
pub use kind::Kind;
pub use params::{BuildParams, SearchParams};
pub use priorart_faiss::{cpu_is_supported, CPU_LEVEL};
