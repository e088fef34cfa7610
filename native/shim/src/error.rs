use crate::Kind;

/// Everything that can go wrong, with a message that a user can act on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("there is no index kind '{0}'; the kinds are {kinds}", kinds = Kind::ALL.map(Kind::name).join(", "))]
    UnknownKind(String),
    #[error("the index is not trained yet: call train first")]
    NotTrained,
    #[error("training needs at least {needed} rows for this index, {rows} were given; use fewer lists or the flat kind")]
    TooFewRows { rows: usize, needed: usize },
    #[error("{what}: {got} was given, {expected} was expected")]
    DimensionMismatch { what: &'static str, expected: String, got: usize },
    #[error("component {at} is not a number from -{most:e} to {most:e}")]
    ComponentOutOfRange { at: usize, most: f32 },
    #[error("{0}")]
    InvalidParameter(String),
    #[error("the index looks into a mapped file and cannot change; load it without mmap")]
    ReadOnly,
    #[error("{0}")]
    Io(String),
    #[error("the index file is damaged: {0}")]
    Corrupt(String),
    #[error("FAISS: {0}")]
    Faiss(String),
}
