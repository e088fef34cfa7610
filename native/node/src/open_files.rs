//! Files that any thread of this process has open. They are mapped or take much memory, and do not change, so threads share
//! them. The last user closes a file.

use napi::bindgen_prelude::Result;
use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// Identity of a file at the time of opening. A file that replaces it has another key.
type Key = (PathBuf, u64, u64, i64, i64, u64);

fn key_of(path: &Path, m: &Metadata) -> Key {
    (path.to_owned(), m.dev(), m.ino(), m.mtime(), m.mtime_nsec(), m.size())
}

pub struct OpenFiles<T>(Mutex<HashMap<Key, Weak<T>>>);

impl<T> Default for OpenFiles<T> {
    fn default() -> Self {
        OpenFiles(Mutex::default())
    }
}

impl<T> OpenFiles<T> {
    /// The open file that is at a path now, or a newly opened one.
    pub fn open(&self, path: &Path, open: impl FnOnce(&Path) -> Result<T>) -> Result<Arc<T>> {
        let Ok(metadata) = std::fs::metadata(path) else {
            // The error says why.
            return open(path).map(Arc::new);
        };
        // Locked while opening, so that two workers do not read the same file twice.
        let mut files = self.locked();
        let key = key_of(path, &metadata);
        if let Some(file) = files.get(&key).and_then(Weak::upgrade) {
            return Ok(file);
        }
        let file = Arc::new(open(path)?);
        files.retain(|_, weak| weak.strong_count() > 0);
        files.insert(key, Arc::downgrade(&file));
        Ok(file)
    }

    /// Number of files that are open.
    pub fn count(&self) -> usize {
        self.locked().values().filter(|weak| weak.strong_count() > 0).count()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<Key, Weak<T>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
