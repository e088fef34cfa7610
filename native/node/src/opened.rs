//! Open segments, shared by all threads of the process.

use crate::ann::open_ann;
use crate::background::{beside, Niceness};
use crate::errors::{coded, from_core};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::segment::Segment;
use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Weak};

/// Files of a segment to open.
#[napi(object)]
pub struct SegmentPath {
    /// The segment file.
    pub path: String,
    /// The FAISS index; absent if the segment is scanned exactly.
    pub index_path: Option<String>,
    /// `fileChecksum` of the index file, verified when this process first opens it.
    pub index_checksum: Option<String>,
    /// Document ids deleted since the segment was written.
    pub deleted: Uint32Array,
}

type Key = (PathBuf, Option<PathBuf>);

/// An open segment, or one that is being opened by the thread that holds the lock.
type Slot = Arc<Mutex<Weak<Segment>>>;

/// All segments that are open in this process. The last user closes a segment.
static OPEN: LazyLock<Mutex<HashMap<Key, Slot>>> = LazyLock::new(Default::default);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The files of a segment.
pub struct Files {
    key: Key,
    index_checksum: Option<String>,
}

impl From<&SegmentPath> for Files {
    fn from(part: &SegmentPath) -> Self {
        let key = (PathBuf::from(&part.path), part.index_path.as_ref().map(PathBuf::from));
        Files { key, index_checksum: part.index_checksum.clone() }
    }
}

/// The slot of a segment, created if missing.
fn slot_of(key: &Key) -> Slot {
    let mut open = locked(&OPEN);
    if let Some(slot) = open.get(key) {
        return Arc::clone(slot);
    }
    open.retain(|_, slot| Arc::strong_count(slot) > 1 || locked(slot).strong_count() > 0);
    Arc::clone(open.entry(key.clone()).or_default())
}

/// Opens a segment, or returns the instance that another thread has open.
pub fn open_shared(Files { key, index_checksum }: &Files) -> Result<Arc<Segment>> {
    let slot = slot_of(key);
    // Locked while opening, so that two workers do not map the same file twice. Other segments have
    // locks of their own.
    let mut open = locked(&slot);
    if let Some(segment) = open.upgrade() {
        return Ok(segment);
    }
    let mut segment = Segment::open(&key.0).map_err(from_core)?;
    if let Some(index) = &key.1 {
        if let Some(expected) = index_checksum {
            let found = format!("{:016x}", priorart_core::file::checksum(index).map_err(from_core)?);
            if found != *expected {
                return Err(coded("data_corrupt", format!("{}: wrong checksum", index.display())));
            }
        }
        segment.ann = Some(open_ann(index, segment.passages(), segment.dimensions())?);
    }
    let segment = Arc::new(segment);
    *open = Arc::downgrade(&segment);
    Ok(segment)
}

/// Number of segments that are open in this process, over all threads.
#[napi]
pub fn open_segments() -> u32 {
    let slots: Vec<Slot> = locked(&OPEN).values().map(Arc::clone).collect();
    slots.iter().filter(|slot| locked(slot).strong_count() > 0).count() as u32
}

/// Segments that are opened in the background. They stay open until `close`.
#[napi]
pub struct BackgroundOpening(Arc<Mutex<Option<Vec<Arc<Segment>>>>>);

#[napi]
impl BackgroundOpening {
    /// Whether all segments have been tried. Errors are thrown when a snapshot of them is made.
    #[napi(getter)]
    pub fn done(&self) -> bool {
        locked(&self.0).is_some()
    }

    /// Closes the segments, or ignores those that are still being opened.
    #[napi]
    pub fn close(&mut self) {
        self.0 = Arc::new(Mutex::new(Some(Vec::new())));
    }
}

/// Opens segments with their indexes on a background thread of low priority, and verifies what every search reads.
#[napi]
pub fn open_beside(segments: Vec<SegmentPath>) -> BackgroundOpening {
    let files: Vec<Files> = segments.iter().map(Files::from).collect();
    let opened = Arc::new(Mutex::new(None));
    let result = Arc::downgrade(&opened);
    let finish = move |segments: Vec<Arc<Segment>>| {
        if let Some(opened) = result.upgrade() {
            *locked(&opened) = Some(segments);
        }
    };
    let work = move || {
        let open = || files.iter().map(opened_whole).collect::<Result<Vec<_>>>().unwrap_or_default();
        finish(catch_unwind(AssertUnwindSafe(open)).unwrap_or_default())
    };
    if !beside(Niceness::Merge, work) {
        *locked(&opened) = Some(Vec::new());
    }
    BackgroundOpening(opened)
}

fn opened_whole(files: &Files) -> Result<Arc<Segment>> {
    let segment = open_shared(files)?;
    segment.verify_facts().map_err(from_core)?;
    Ok(segment)
}
