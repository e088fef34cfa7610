//! Scores of whole lists, or of all rows, from the codes of a product quantizer.

use crate::{ffi, Error, Index};

/// Rows whose codes are scanned together. The C++ kernels have the same constant.
pub const BLOCK: usize = 32;

impl Index {
    /// Inner products of the query with the centroids of all lists. Lists are probed from the
    /// greatest down. An error for kinds without lists.
    pub fn list_scores(&self, query: &[f32], out: &mut Vec<f32>) -> Result<(), Error> {
        if !self.kind().has_lists() {
            return Err(Error::InvalidParameter(format!("{} has no lists", self.kind())));
        }
        if !self.is_trained() {
            return Err(Error::NotTrained);
        }
        self.check_query(query)?;
        out.clear();
        out.resize(self.nlist(), 0.0);
        // SAFETY: `out` has room for each list.
        ffi::check(|status| unsafe {
            let (h, q, o) = (self.handle.as_ptr(), query.as_ptr(), out.as_mut_ptr());
            ffi::priorart_index_list_scores(status, h, q, o)
        })
    }

    /// The rows of a list, in the order of its codes; none if the list does not exist. Empty for a
    /// mapped index, whose lists may be unaligned in the file, except for kinds whose lists are
    /// always loaded into memory.
    pub fn list_rows(&self, list: usize) -> &[i64] {
        let mut rows = std::ptr::null();
        if self.is_mapped() && !self.kind().has_product_quantizer() {
            return &[];
        }
        // SAFETY: the rows live as long as the index; functions that add rows take `&mut self`.
        unsafe {
            let count = ffi::priorart_index_list_rows(self.handle.as_ptr(), list as u64, &mut rows);
            match count {
                0 => &[],
                _ => std::slice::from_raw_parts(rows, count as usize),
            }
        }
    }

    /// The estimated scores of the rows of some lists, one list after another, each padded with 0
    /// to whole blocks of [`BLOCK`] rows; and the greatest score of each block. A number s means
    /// the score `offset + step * s`; the result is `(step, offset)`. The memory of `out` and
    /// `best` is reused. An error for kinds without such codes.
    pub fn scan_lists(
        &self,
        query: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> Result<(f32, f32), Error> {
        self.check_codes(query)?;
        if let Some(list) = lists.iter().find(|list| **list as usize >= self.nlist()) {
            return Err(Error::InvalidParameter(format!("list {list} does not exist")));
        }
        let blocks = lists.iter().map(|list| self.list_rows(*list as usize).len().div_ceil(BLOCK)).sum();
        // The scan overwrites all of it.
        best.resize(blocks, 0);
        out.resize(blocks * BLOCK, 0);
        let (mut step, mut offset) = (0.0, 0.0);
        // SAFETY: `out` and `best` have room for the blocks of these lists.
        ffi::check(|status| unsafe {
            let (h, q, l, n) = (self.handle.as_ptr(), query.as_ptr(), lists.as_ptr(), lists.len() as u64);
            let (o, b) = (out.as_mut_ptr(), best.as_mut_ptr());
            ffi::priorart_index_scan_lists(status, h, q, l, n, o, b, &mut step, &mut offset)
        })?;
        Ok((step, offset))
    }

    /// The estimated score of every row: row r scores `offset + step * out[r]`; the result is
    /// `(step, offset)`. `out` gets an entry for each row; its memory is reused. An error for kinds
    /// without such codes.
    pub fn code_scores(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32), Error> {
        let (mut scores, mut best) = (Vec::new(), Vec::new());
        let lists: Vec<u32> = (0..self.nlist() as u32).collect();
        let scale = self.scan_lists(query, &lists, &mut scores, &mut best)?;
        // A row that is in no list of a damaged file scores lowest.
        out.clear();
        out.resize(self.len(), 0);
        let mut blocks = scores.chunks_exact(BLOCK);
        for rows in lists.iter().flat_map(|&list| self.list_rows(list as usize).chunks(BLOCK)) {
            for (&row, &score) in rows.iter().zip(blocks.next().expect("a block for each")) {
                let foreign = || Error::Corrupt(format!("a list names row {row} of {}", self.len()));
                *out.get_mut(row as usize).ok_or_else(foreign)? = score;
            }
        }
        Ok(scale)
    }

    fn check_codes(&self, query: &[f32]) -> Result<(), Error> {
        if !self.kind().has_product_quantizer() {
            return Err(Error::InvalidParameter(format!("{} has no codes to scan", self.kind())));
        }
        if !self.is_trained() {
            return Err(Error::NotTrained);
        }
        self.check_query(query)
    }

    fn check_query(&self, query: &[f32]) -> Result<(), Error> {
        if self.check_vectors(query)? == 1 {
            return Ok(());
        }
        let expected = format!("one of {} components", self.dims());
        Err(Error::DimensionMismatch { what: "the query", expected, got: query.len() })
    }
}
