//! Types of reranking.

use napi::bindgen_prelude::*;
use napi_derive::napi;

/// The texts of a patent and of its passages that were found.
#[napi(object)]
pub struct RerankDocument {
    pub title: String,
    /// The abstract; empty if the patent has none. (`abstract` is a reserved word of Rust.)
    #[napi(js_name = "abstract")]
    pub summary: String,
    pub passages: Vec<String>,
}

/// Scores of documents, and of all their passages one after another.
#[napi(object)]
pub struct RerankScores {
    pub documents: Float32Array,
    pub passages: Float32Array,
}
