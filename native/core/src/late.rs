//! Late interaction: each token of the query looks for its best partner among the tokens of a passage, and
//! the weighted mean of these best similarities is the score (MaxSim of ColBERT, Khattab and Zaharia 2020).
//! Where the model has vectors of whole texts their cosine is added, and what the patent's title and abstract
//! score by themselves is added to each of its passages: a passage of a claim rarely says what it is about.
//!
//! Tokens are the pieces of a static model: see `late/pieces.rs`, and `late/bag.rs` for how segments keep them.

pub mod bag;
pub mod pieces;

/// Tokens looked at in a query and in a passage; more is no question and no passage.
const QUERY_TOKENS: usize = 128;
const PASSAGE_TOKENS: usize = 1024;

/// Scores of documents, and of all their passages one after another; greater is better.
pub struct Scores {
    pub documents: Vec<f32>,
    pub passages: Vec<f32>,
}

/// What each part of a patent adds to a score.
#[derive(Clone, Copy)]
pub struct Mixture {
    pub passage: Share,
    pub title: Share,
    pub summary: Share,
}

/// How much the best partners of the query's tokens count, and how much the cosine.
#[derive(Clone, Copy)]
pub struct Share {
    pub partners: f32,
    pub cosine: f32,
}
