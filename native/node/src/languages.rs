//! Languages of the passages that a search found, for models whose vectors contain them.

use crate::errors::coded;
use crate::snapshot::Snapshot;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::vectors::argmax;

#[napi]
impl Snapshot {
    /// For each document the position, among the dimensions `first..first + count`, of the largest value in the vector
    /// of the passage `passages[n]`, which is numbered within the document.
    #[napi(catch_unwind)]
    pub fn languages(
        &self,
        docs: Uint32Array,
        passages: Uint32Array,
        first: u32,
        count: u32,
    ) -> Result<Uint8Array> {
        let (first, end) = (first as usize, (first + count) as usize);
        let of = |(&doc, &passage): (&u32, &u32)| {
            let (segment, ordinal) = self.find(doc)?;
            let row = segment.rows_of(ordinal).nth(passage as usize)?;
            argmax(segment.rows(row..row + 1).get(first..end)?)
        };
        let places: Option<Vec<u8>> =
            docs.iter().zip(passages.iter()).map(|pair| of(pair).map(|at| at as u8)).collect();
        match places {
            Some(places) => Ok(places.into()),
            None => Err(coded("internal", "a passage is not in the snapshot, or its vector is too short")),
        }
    }
}
