//! Vectors in the half precision in which segments store them, for a store elsewhere.

use crate::errors::coded;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::vectors::{decode, encode, GREATEST};

/// The numbers of vectors as half-precision numbers, two bytes each, little-endian.
#[napi(catch_unwind)]
pub fn to_halves(vectors: Float32Array) -> Result<Uint8Array> {
    // The comparison is false for NaN.
    if !vectors.iter().all(|x| x.abs() <= GREATEST) {
        return Err(coded(
            "invalid_request",
            "a vector holds NaN, infinity or a component beyond half precision",
        ));
    }
    let mut halves = Vec::with_capacity(vectors.len());
    encode(&vectors, &mut halves);
    Ok(halves.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>().into())
}

/// The numbers of `toHalves`.
#[napi(catch_unwind)]
pub fn from_halves(bytes: Uint8Array) -> Float32Array {
    let halves: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let mut vectors = Vec::with_capacity(halves.len());
    decode(&halves, &mut vectors);
    vectors.into()
}
