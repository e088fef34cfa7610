//! Approximate search over the rows of one segment.

use crate::bitmap::Bitmap;
use crate::Result;

/// Approximate search over the rows of one segment; the FAISS index implements it.
pub trait Ann: Send + Sync {
    /// Rows of about the best `k` passages with estimates of their scores, best first.
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        effort: Effort,
    ) -> Result<Vec<(u32, f32)>>;
    /// Codes that can be scanned, if the lists of the index have them.
    fn codes(&self) -> Option<&dyn Codes> {
        None
    }
    fn len(&self) -> usize;
    /// Inverted lists of an IVF index, 0 for other indexes. With this `nprobe`, all lists are
    /// scanned.
    fn lists(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Rows whose codes are scanned together.
pub const CODE_BLOCK: usize = 32;

/// Inverted lists whose row numbers are in memory: those of an index with codes, or of a new index.
pub trait Lists {
    /// Nearness of each list to the query. Lists are probed from the greatest down.
    fn list_scores(&self, query: &[f32], out: &mut Vec<f32>) -> Result<()>;
    /// The rows of a list, in the order of its codes.
    fn list_rows(&self, list: usize) -> &[i64];
}

/// Codes in inverted lists, from which the scores of whole lists are estimated. A number s means
/// the estimate `offset + step * s`; scans return `(step, offset)`.
pub trait Codes: Lists {
    /// Estimates of the rows of some lists, each list padded with 0 to whole blocks; and the best
    /// estimate of each block.
    fn scan_lists(
        &self,
        query: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> Result<(f32, f32)>;
    /// Estimates of all rows, ordered by row.
    fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)>;
}

/// Effort of an approximate search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    pub nprobe: usize,
    pub ef_search: usize,
}
