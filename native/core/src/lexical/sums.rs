//! Sums by document.

use std::cell::RefCell;

thread_local! {
    /// Zeros that earlier searches of this thread have left. At a million documents, new ones would take longer than the
    /// sums.
    static SPARE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Buffers that a thread keeps, at most, and numbers in all of them: 256 MB.
const MOST_SPARE: usize = 32;
const MOST_KEPT: usize = 1 << 26;
/// Numbers of a buffer that fits whatever is smaller.
const SMALL: usize = 1 << 14;

/// Documents with a number above 0 each, unordered.
#[derive(Debug, Default)]
pub(super) struct Matches {
    pub documents: Vec<u32>,
    pub numbers: Vec<f32>,
}

impl Matches {
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, f32)> + '_ {
        self.documents.iter().copied().zip(self.numbers.iter().copied())
    }

    /// Keeps some documents.
    pub fn retain(&mut self, keeps: impl Fn(u32) -> bool) {
        let mut kept = self.documents.iter().map(|&document| keeps(document));
        self.numbers.retain(|_| kept.next() == Some(true));
        self.documents.retain(|&document| keeps(document));
    }
}

/// A number for each document, 0 for most of them.
#[derive(Debug)]
pub struct Sums {
    values: Vec<f32>,
    touched: Vec<u32>,
}

impl Sums {
    /// A zero for each of a number of documents.
    pub fn new(documents: usize) -> Self {
        // A small segment must not take the buffer of a large one, which would then need another.
        let fits = |kept: &Vec<f32>| {
            let room = kept.capacity();
            0 < documents && documents <= room && room <= (2 * documents).max(SMALL)
        };
        let mut values = SPARE.with_borrow_mut(|spare| {
            spare.iter().rposition(fits).map(|n| spare.remove(n)).unwrap_or_default()
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

    /// Adds numbers above 0 to those of some documents.
    pub(super) fn add_all(&mut self, numbers: impl ExactSizeIterator<Item = (u32, f32)>) {
        self.change(numbers, |sum, number| sum + number);
    }

    /// Sets the numbers of some documents, above 0, unless they are greater already.
    pub(super) fn raise_all(&mut self, numbers: impl ExactSizeIterator<Item = (u32, f32)>) {
        self.change(numbers, f32::max);
    }

    /// Sets the number of a document, above 0, unless it is greater already.
    pub(super) fn raise(&mut self, document: u32, number: f32) {
        self.raise_all(std::iter::once((document, number)));
    }

    /// @param changed the new number of a document, above 0
    fn change(
        &mut self,
        numbers: impl ExactSizeIterator<Item = (u32, f32)>,
        changed: impl Fn(f32, f32) -> f32,
    ) {
        let mut end = self.touched.len();
        self.touched.resize(end + numbers.len(), 0);
        for (document, number) in numbers {
            let own = &mut self.values[document as usize];
            // No branch: if half of the documents are new, a processor guesses wrong every other time.
            self.touched[end] = document;
            end += (*own == 0.0) as usize;
            *own = changed(*own, number);
        }
        self.touched.truncate(end);
    }

    /// The numbers that are not 0. All are 0 afterwards.
    pub(super) fn take(&mut self) -> Matches {
        let documents = self.touched.as_slice().to_vec();
        self.touched.clear();
        let numbers = documents.iter().map(|&n| std::mem::take(&mut self.values[n as usize])).collect();
        Matches { documents, numbers }
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
            if values.is_empty() || values.capacity() > MOST_KEPT {
                return;
            }
            spare.push(values);
            // Those that fitted nothing for the longest time go first.
            while spare.len() > MOST_SPARE || spare.iter().map(Vec::capacity).sum::<usize>() > MOST_KEPT {
                spare.remove(0);
            }
        });
    }
}
