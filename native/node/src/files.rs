//! Checksums and locks of files.

use crate::errors::{caught, coded, from_core};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use std::fs::File;
use std::path::PathBuf;

pub struct Checksum(PathBuf);

#[napi]
impl Task for Checksum {
    type Output = u64;
    type JsValue = String;
    fn compute(&mut self) -> Result<u64> {
        caught(|| priorart_core::file::checksum(&self.0).map_err(from_core))
    }
    fn resolve(&mut self, _: Env, sum: u64) -> Result<String> {
        Ok(format!("{sum:016x}"))
    }
}

/// xxh3 of a whole file as 16 hexadecimal digits. Reads it on a background thread.
#[napi]
pub fn file_checksum(path: String) -> AsyncTask<Checksum> {
    AsyncTask::new(Checksum(path.into()))
}

pub struct Verify(PathBuf);

#[napi]
impl Task for Verify {
    type Output = Vec<f64>;
    type JsValue = Vec<f64>;
    fn compute(&mut self) -> Result<Vec<f64>> {
        caught(|| {
            let file = priorart_core::file::Container::open(&self.0).map_err(from_core)?;
            Ok(file.damaged_blocks().iter().map(|range| range.start as f64).collect())
        })
    }
    fn resolve(&mut self, _: Env, blocks: Vec<f64>) -> Result<Vec<f64>> {
        Ok(blocks)
    }
}

/// Reads a whole segment file on a background thread. Resolves with the offsets, in bytes, of the 64 KiB blocks whose
/// checksum does not match.
#[napi]
pub fn verify_segment(path: String) -> AsyncTask<Verify> {
    AsyncTask::new(Verify(path.into()))
}

/// An exclusive lock on a file. It is released by `release`, by garbage collection, and when the process ends.
#[napi]
pub struct FileLock(Option<File>);

#[napi]
impl FileLock {
    /// Null if another process or thread holds the lock. Creates the file if it is absent.
    #[napi(catch_unwind)]
    pub fn acquire(path: String) -> Result<Option<FileLock>> {
        let failed = |e: std::io::Error| coded("io", format!("{path}: {e}"));
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(FileLock(Some(file)))),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(e)) => Err(failed(e)),
        }
    }

    /// Releases the lock. Does nothing the second time.
    #[napi(catch_unwind)]
    pub fn release(&mut self) {
        self.0 = None;
    }
}
