use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

/// Errors below the binding. `code` is the stable name that reaches TypeScript.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: {reason}")]
    Corrupt { path: PathBuf, reason: String },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    pub fn code(&self) -> &'static str {
        match self {
            Error::Corrupt { .. } => "data_corrupt",
            Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => "disk_full",
            Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => "data_missing",
            Error::Io { .. } => "io",
            Error::Invalid(_) => "invalid_request",
        }
    }

    pub fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Error::Corrupt { path: path.into(), reason: reason.into() }
    }

    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Error::Io { path: path.into(), source }
    }
}
