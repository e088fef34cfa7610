//! Late interaction: for each token of the query, the most similar token of a passage is found. The
//! score is the weighted mean of these similarities (MaxSim of ColBERT, Khattab and Zaharia 2020).
//! Two terms are added: the cosine of whole-text vectors, if the model has them; and the scores of
//! the patent's title and abstract, since a passage of a claim rarely names its subject.
//!
//! Tokens are the pieces of a static model, see `late/pieces.rs`. `late/bag.rs` describes how
//! segments store them.

pub mod bag;
pub mod pieces;
mod products;

/// Tokens of a query and of a passage that are read. The rest is ignored.
const QUERY_TOKENS: usize = 128;
const PASSAGE_TOKENS: usize = 1024;

/// Scores of documents, and of all their passages one after another. Greater is better.
pub struct Scores {
    pub documents: Vec<f32>,
    pub passages: Vec<f32>,
}

/// Weights of the parts of a patent in a score.
#[derive(Clone, Copy)]
pub struct Mixture {
    pub passage: Share,
    pub title: Share,
    pub summary: Share,
}

/// Weights of the best partners of the query's tokens, and of the cosine.
#[derive(Clone, Copy)]
pub struct Share {
    pub partners: f32,
    pub cosine: f32,
}
