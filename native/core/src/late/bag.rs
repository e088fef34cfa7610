//! Bags: the data of a text for late interaction over the pieces of a static model. A bag lists the
//! pieces, their counts, and the length of their weighted sum; their order does not matter.
//! Segments store the bags of their passages, so that a search does not tokenize texts.
//!
//! The bytes of a bag: f32 length; then for each distinct piece, ascending by id, the varint
//! (LEB128) `2 · (id - previous id) + repeated`, followed by the varint `count - 2` if it is
//! repeated. A text without pieces has an empty bag.

use super::PASSAGE_TOKENS;
use crate::static_model::{Reader, Scratch};

/// Makes bags of texts. Its memory is reused.
#[derive(Default)]
pub struct Bagger {
    scratch: Scratch,
    ids: Vec<u32>,
    vector: Vec<f32>,
}

impl Bagger {
    /// Appends the bag of a text. Reads its first `PASSAGE_TOKENS` pieces.
    pub fn push(&mut self, model: &Reader, text: &str, out: &mut Vec<u8>) {
        self.ids.clear();
        model.ids(text, &mut self.scratch, &mut self.ids);
        self.ids.truncate(PASSAGE_TOKENS);
        self.vector.resize(model.dimensions(), 0.0);
        let length = model.vector(&mut self.ids, &mut self.vector);
        encode(&self.ids, length, out);
    }

    /// Appends the bag and writes the vector of the whole text into `row`. The text is tokenized
    /// once.
    pub fn embed(&mut self, model: &Reader, text: &str, row: &mut [f32], out: &mut Vec<u8>) {
        self.ids.clear();
        model.ids(text, &mut self.scratch, &mut self.ids);
        let mut first = match self.ids.get(..PASSAGE_TOKENS) {
            Some(first) if self.ids.len() > PASSAGE_TOKENS => first.to_vec(),
            _ => Vec::new(),
        };
        let length = model.vector(&mut self.ids, row);
        if first.is_empty() {
            return encode(&self.ids, length, out);
        }
        self.vector.resize(model.dimensions(), 0.0);
        let length = model.vector(&mut first, &mut self.vector);
        encode(&first, length, out);
    }
}

/// Appends a bag of sorted ids.
pub fn encode(ids: &[u32], length: f32, out: &mut Vec<u8>) {
    if ids.is_empty() {
        return;
    }
    out.extend_from_slice(&length.to_le_bytes());
    let mut previous = 0;
    for same in ids.chunk_by(|a, b| a == b) {
        put(out, (same[0] - previous) << 1 | (same.len() > 1) as u32);
        if same.len() > 1 {
            put(out, same.len() as u32 - 2);
        }
        previous = same[0];
    }
}

fn put(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Calls `each` with the pieces of a bag and their counts. Returns the length of their sum, or
/// `None` if the bytes are not a bag of pieces below `pieces`.
#[inline]
pub fn decode(bytes: &[u8], pieces: u32, mut each: impl FnMut(u32, u32)) -> Option<f32> {
    if bytes.is_empty() {
        return Some(0.0);
    }
    let (length, mut rest) = bytes.split_first_chunk::<4>()?;
    let mut id = 0u32;
    while !rest.is_empty() {
        let (step, count) = match take_piece(rest) {
            Some((step, count, read)) => {
                rest = &rest[read..];
                (step, count)
            }
            None => {
                let step = take(&mut rest)?;
                (step, if step & 1 == 1 { take(&mut rest)?.checked_add(2)? } else { 1 })
            }
        };
        id = id.checked_add(step >> 1).filter(|&id| id < pieces)?;
        each(id, count);
    }
    Some(f32::from_le_bytes(*length)).filter(|length| length.is_finite())
}

/// The next piece: its varint, its count, and how many bytes they take; `None` if fewer than eight bytes are
/// left, or if it takes more than four bytes for the varint and one for the count. There is no branch on
/// what nearly every bag has: one would be mispredicted for each third piece, which costs more than the rest.
#[inline]
fn take_piece(rest: &[u8]) -> Option<(u32, u32, usize)> {
    let word = u64::from_le_bytes(*rest.first_chunk::<8>()?);
    let (step, length) = varint_of(word as u32)?;
    let next = (word >> (8 * length)) as u32 & 0xff;
    let repeated = step & 1;
    if repeated * next >= 0x80 {
        return None;
    }
    Some((step, 1 + repeated * (next + 1), (length + repeated) as usize))
}

/// The next varint. If it has at most four bytes, their number is computed without a branch: it is
/// nearly random, and a mispredicted branch would cost more than the rest.
#[inline]
fn take(rest: &mut &[u8]) -> Option<u32> {
    if let Some(&four) = rest.first_chunk::<4>() {
        if let Some((number, length)) = varint_of(u32::from_le_bytes(four)) {
            *rest = &rest[length as usize..];
            return Some(number);
        }
    }
    take_by_byte(rest)
}

/// The varint that four bytes begin with, and its length in bytes; `None` if it is longer.
#[inline]
fn varint_of(word: u32) -> Option<(u32, u32)> {
    let ends = !word & 0x8080_8080;
    if ends == 0 {
        return None;
    }
    // Keeps the bits up to the last byte of the number: the first byte whose continuation bit is not set.
    let own = word & (ends ^ (ends - 1));
    let number = own & 0x7f | own >> 1 & 0x3f80 | own >> 2 & 0x1f_c000 | own >> 3 & 0xfe0_0000;
    Some((number, ends.trailing_zeros() / 8 + 1))
}

fn take_by_byte(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= ((byte & 0x7f) as u32) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(bytes: &[u8], pieces: u32) -> Option<(f32, Vec<u32>)> {
        let mut ids = Vec::new();
        let length = decode(bytes, pieces, |id, count| ids.extend((0..count).map(|_| id)))?;
        Some((length, ids))
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(mut ids in prop::collection::vec(prop_oneof![0..20u32, 0..200_000u32], 0..300), length in 0f32..9.0) {
            let mut bytes = Vec::new();
            ids.sort();
            encode(&ids, length, &mut bytes);
            let kept = if ids.is_empty() { 0.0 } else { length };
            prop_assert_eq!(decoded(&bytes, 200_000), Some((kept, ids)));
        }

        #[test]
        fn numbers_are_the_same_however_they_are_read(bytes in prop::collection::vec(any::<u8>(), 0..9)) {
            let (mut fast, mut plain) = (&bytes[..], &bytes[..]);
            prop_assert_eq!(take(&mut fast), take_by_byte(&mut plain));
            prop_assert!(fast == plain || take_by_byte(&mut &bytes[..]).is_none());
        }

        #[test]
        fn any_bytes_are_read_as_defined(bytes in prop::collection::vec(prop_oneof![0..4u8, any::<u8>()], 5..60)) {
            let (mut rest, mut id, mut expected) = (&bytes[4..], 0u32, Some(Vec::new()));
            while !rest.is_empty() {
                let mut piece = || {
                    let step = take_by_byte(&mut rest)?;
                    let count = if step & 1 == 1 { take_by_byte(&mut rest)?.checked_add(2)? } else { 1 };
                    id = id.checked_add(step >> 1).filter(|&id| id < 200_000)?;
                    Some((id, count))
                };
                match (piece(), &mut expected) {
                    (Some(piece), Some(pieces)) => pieces.push(piece),
                    _ => {
                        expected = None;
                        break;
                    }
                }
            }
            let mut found = Vec::new();
            let length = f32::from_le_bytes(bytes[..4].try_into().unwrap());
            let read = decode(&bytes, 200_000, |id, count| found.push((id, count)));
            prop_assert_eq!(read, Some(length).filter(|length| length.is_finite() && expected.is_some()));
            if let Some(expected) = expected {
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn no_bytes_make_it_panic_or_name_a_piece_that_is_not_there(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            // Counts are not checked: a damaged count may be any number.
            let mut seen = Vec::new();
            decode(&bytes, 100, |id, _| seen.push(id));
            prop_assert!(seen.iter().all(|&id| id < 100));
        }
    }
}
