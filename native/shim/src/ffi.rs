//! Declarations of the C++ part. Layouts and numbers are those of cpp/*.cpp and cpp/shim.h.

use crate::Error;
use std::ffi::{c_char, CStr};

#[repr(C)]
pub struct Handle {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct RangeHits {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Status {
    code: i32,
    message: [c_char; 508],
}

#[repr(C)]
pub struct Build {
    pub kind: i32,
    pub dims: i32,
    pub nlist: u64,
    pub pq_m: u64,
    pub hnsw_m: u64,
    pub ef_construction: u64,
    pub seed: i32,
}

#[repr(C)]
pub struct Search {
    pub nprobe: u64,
    pub ef_search: u64,
    pub filter: *const u8,
    pub filter_bytes: u64,
    pub k_factor: f32,
}

#[repr(C)]
#[derive(Default)]
pub struct Shape {
    pub kind: i32,
    pub dims: i32,
    pub rows: u64,
    pub nlist: u64,
    pub trained: bool,
}

extern "C" {
    pub fn priorart_index_create(status: *mut Status, build: *const Build, out: *mut *mut Handle);
    pub fn priorart_index_free(handle: *mut Handle);
    pub fn priorart_index_train(
        status: *mut Status,
        handle: *mut Handle,
        rows: u64,
        x: *const f32,
        threads: i32,
    );
    pub fn priorart_index_add(
        status: *mut Status,
        handle: *mut Handle,
        rows: u64,
        x: *const f32,
        threads: i32,
    );
    pub fn priorart_index_search(
        status: *mut Status,
        handle: *const Handle,
        queries: u64,
        x: *const f32,
        k: u64,
        search: *const Search,
        scores: *mut f32,
        rows: *mut i64,
    );
    pub fn priorart_index_range_search(
        status: *mut Status,
        handle: *const Handle,
        x: *const f32,
        min_score: f32,
        search: *const Search,
        out: *mut *mut RangeHits,
    );
    pub fn priorart_index_list_scores(
        status: *mut Status,
        handle: *const Handle,
        x: *const f32,
        out: *mut f32,
    );
    pub fn priorart_index_list_rows(handle: *const Handle, list: u64, out: *mut *const i64) -> u64;
    pub fn priorart_index_scan_lists(
        status: *mut Status,
        handle: *const Handle,
        x: *const f32,
        lists: *const u32,
        count: u64,
        out: *mut u16,
        best: *mut u16,
        step: *mut f32,
        offset: *mut f32,
    );
    pub fn priorart_range_hits(hits: *const RangeHits, scores: *mut *const f32, rows: *mut *const i64)
        -> u64;
    pub fn priorart_range_free(hits: *mut RangeHits);
    pub fn priorart_index_write(status: *mut Status, handle: *const Handle, path: *const c_char);
    pub fn priorart_index_read(status: *mut Status, path: *const c_char, map: bool, out: *mut *mut Handle);
    pub fn priorart_index_shape(handle: *const Handle, out: *mut Shape);
}

/// Calls `body` with a status to be filled by the C++ part, and returns the status as a result.
pub fn check(body: impl FnOnce(*mut Status)) -> Result<(), Error> {
    let mut status = Status { code: 0, message: [0; 508] };
    body(&mut status);
    if status.code == 0 {
        return Ok(());
    }
    // SAFETY: the C++ part ends the message with a NUL within the array.
    let message = unsafe { CStr::from_ptr(status.message.as_ptr()) }.to_string_lossy().into_owned();
    Err(match status.code {
        2 => Error::Io(message),
        3 => Error::Corrupt(message),
        _ => Error::Faiss(message),
    })
}
