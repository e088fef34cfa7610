use napi::{Error, Status};

/// Formats an error as `code: message`, from which TypeScript takes the code.
pub fn coded(code: &str, message: impl std::fmt::Display) -> Error {
    Error::new(Status::GenericFailure, format!("{code}: {message}"))
}

pub fn from_core(error: priorart_core::Error) -> Error {
    coded(error.code(), &error)
}

/// Runs work and turns panics into errors, for threads without a catch_unwind (the thread pool of
/// asynchronous tasks).
pub fn caught<T>(work: impl FnOnce() -> napi::Result<T>) -> napi::Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text =
            panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(coded("internal", format!("panic: {}", text.unwrap_or("unknown"))))
    })
}

pub fn from_shim(error: priorart_shim::Error) -> Error {
    use priorart_shim::Error as E;
    let code = match &error {
        E::UnknownKind(_) => "unknown_index_kind",
        E::Corrupt(_) => "data_corrupt",
        E::Io(_) => "io",
        E::Faiss(_) => "internal",
        _ => "invalid_request",
    };
    coded(code, error)
}
