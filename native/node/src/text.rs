//! Types of reranking.

use napi::bindgen_prelude::*;
use napi_derive::napi;

/// A patent and its found passages.
#[napi(object)]
pub struct RerankDocument {
    /// Its titles in all languages, a line each.
    pub title: String,
    /// Empty if it has none.
    #[napi(js_name = "abstract")]
    pub summary: String, // `abstract` is a reserved word of Rust
    /// Texts of the found passages.
    pub passages: Vec<String>,
}

/// Scores of documents, and of all their passages in order.
#[napi(object)]
pub struct LateInteractionScores {
    pub documents: Float32Array,
    pub passages: Float32Array,
}
