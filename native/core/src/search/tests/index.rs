//! An "approximate" index with given errors.

use super::DIMENSIONS;
use crate::bitmap::Bitmap;
use crate::segment::{Ann, Codes, Effort, Lists, Segment, CODE_BLOCK};
use crate::vectors;
use crate::Result;

pub const LISTS: usize = 4;
/// Scale of a code's number: scores from -24 to 40.
const STEP: f32 = 1.0 / 1024.0;
const OFFSET: f32 = -24.0;

pub struct Estimating {
    pub rows: Vec<u16>,
    /// Rows of every `LISTS`th number form a list.
    pub lists: Vec<Vec<i64>>,
    /// Nearness of the lists to every query.
    pub list_scores: [f32; LISTS],
    /// Error of each row's estimate; positive if it is too high.
    pub errors: Vec<f32>,
    pub with_codes: bool,
}

impl Estimating {
    /// An index without errors: every row, best first, with its score and a matching code.
    pub fn exactly(segment: &Segment) -> Self {
        let rows = segment.passages();
        let list = |first: usize| (first..rows).step_by(LISTS).map(|row| row as i64).collect();
        Estimating {
            rows: segment.vectors().to_vec(),
            lists: (0..LISTS).map(list).collect(),
            list_scores: [0.0; LISTS],
            errors: vec![0.0; rows],
            with_codes: true,
        }
    }

    fn estimates<'a>(&'a self, query: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let rows = self.rows.chunks_exact(DIMENSIONS);
        rows.zip(&self.errors).map(move |(row, error)| vectors::dot(query, row) + error)
    }
}

impl Ann for Estimating {
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        _: Effort,
    ) -> Result<Vec<(u32, f32)>> {
        let rows = self.estimates(query).enumerate().map(|(row, score)| (row as u32, score));
        let mut rows: Vec<(u32, f32)> =
            rows.filter(|(row, _)| filter.is_none_or(|f| f.contains(*row as usize))).collect();
        rows.sort_by(|a, b| b.1.total_cmp(&a.1));
        rows.truncate(k);
        Ok(rows)
    }

    fn codes(&self) -> Option<&dyn Codes> {
        self.with_codes.then_some(self)
    }

    fn len(&self) -> usize {
        self.errors.len()
    }

    fn lists(&self) -> usize {
        LISTS
    }
}

impl Lists for Estimating {
    fn list_scores(&self, _: &[f32], out: &mut Vec<f32>) -> Result<()> {
        out.clear();
        out.extend(self.list_scores);
        Ok(())
    }

    fn list_rows(&self, list: usize) -> &[i64] {
        &self.lists[list]
    }
}

impl Codes for Estimating {
    fn scan_lists(
        &self,
        query: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> Result<(f32, f32)> {
        let mut all = Vec::new();
        let scale = self.scan_all(query, &mut all)?;
        out.clear();
        for &list in lists {
            out.extend(self.lists[list as usize].iter().map(|&row| all[row as usize]));
            out.resize(out.len().next_multiple_of(CODE_BLOCK), 0);
        }
        best.clear();
        best.extend(out.chunks(CODE_BLOCK).map(|block| block.iter().max().unwrap()));
        Ok(scale)
    }

    fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)> {
        out.clear();
        out.extend(self.estimates(query).map(|score| ((score - OFFSET) / STEP).round() as u16));
        Ok((STEP, OFFSET))
    }
}
