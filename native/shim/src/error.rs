use crate::Kind;

/// All errors of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("unknown index kind '{0}'; expected one of {kinds}", kinds = Kind::ALL.map(Kind::name).join(", "))]
    UnknownKind(String),
    #[error("the index is not trained; call train first")]
    NotTrained,
    #[error("got {rows} training rows; expected at least {needed} for this index; use more rows, fewer lists or the kind flat")]
    TooFewRows { rows: usize, needed: usize },
    #[error("{what}: got {got}; expected {expected}")]
    DimensionMismatch { what: &'static str, expected: String, got: usize },
    #[error("component {at}: expected a number from -{most:e} to {most:e}")]
    ComponentOutOfRange { at: usize, most: f32 },
    #[error("{0}")]
    InvalidParameter(String),
    #[error("a memory-mapped index cannot be changed; load it without mmap")]
    ReadOnly,
    #[error("{0}")]
    Io(String),
    #[error("the index file is damaged: {0}")]
    Corrupt(String),
    #[error("FAISS: {0}")]
    Faiss(String),
}
