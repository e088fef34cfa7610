//! Sums by document.

use std::cell::RefCell;

thread_local! {
    /// Zeros that earlier searches of this thread have left. At a million documents, new ones would take longer than the
    /// sums.
    static SPARE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Buffers that a thread keeps, at most.
const MOST_SPARE: usize = 32;

/// A number for each document, 0 for most of them.
#[derive(Debug)]
pub struct Sums {
    values: Vec<f32>,
    touched: Vec<u32>,
}

impl Sums {
    /// A zero for each of a number of documents.
    pub fn new(documents: usize) -> Self {
        let mut values = SPARE.with_borrow_mut(|spare| {
            let lacking = |n: &usize| documents.abs_diff(spare[*n].len());
            (0..spare.len()).min_by_key(lacking).map(|n| spare.swap_remove(n)).unwrap_or_default()
        });
        values.resize(documents, 0.0);
        Sums { values, touched: Vec::new() }
    }

    /// The number of each document.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The documents whose number is not 0, unordered.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Adds a number above 0.
    pub(super) fn add(&mut self, document: u32, value: f32) {
        let sum = &mut self.values[document as usize];
        if *sum == 0.0 {
            self.touched.push(document);
        }
        *sum += value;
    }

    /// Sets the number of a document, above 0, unless it is greater already.
    pub(super) fn raise(&mut self, document: u32, value: f32) {
        let best = &mut self.values[document as usize];
        if *best == 0.0 {
            self.touched.push(document);
        }
        *best = best.max(value);
    }

    /// The numbers that are not 0. All are 0 afterwards.
    pub(super) fn take(&mut self) -> Vec<(u32, f32)> {
        let values = &mut self.values;
        self.touched.drain(..).map(|n| (n, std::mem::take(&mut values[n as usize]))).collect()
    }
}

impl Drop for Sums {
    fn drop(&mut self) {
        for document in self.touched.drain(..) {
            self.values[document as usize] = 0.0;
        }
        let values = std::mem::take(&mut self.values);
        // If the thread ends, nothing is kept.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MOST_SPARE && !values.is_empty() {
                spare.push(values);
            }
        });
    }
}
