//! Texts to scores.

use napi::bindgen_prelude::*;
use napi_derive::napi;

/// A patent and the passages of it that were found.
#[napi(object)]
pub struct RerankDocument {
    pub title: String,
    /// Empty where it has none. (`abstract` is a word of Rust's own.)
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
