//! Late interaction over the pieces of a static model: partners are found across languages.
//!
//! Works on bags, whether a segment keeps them or they are made of texts. Each distinct piece of all candidates
//! meets each distinct piece of the query once; the cosine of the query's vector to a text's is the sum of what
//! its pieces add, which follows from the same inner products.

use super::bag::decode;
use super::{Mixture, Scores, Share, QUERY_TOKENS};
use crate::static_model::{Reader, Scratch};

/// What is fitted to a model. Equal pieces get no more than their similarity of 1: an addition for exact words
/// helps within one language and hurts across scripts.
#[derive(Clone, Copy)]
pub struct Fit {
    pub mixture: Mixture,
    /// Power of a piece's IDF by which its partners count. Above 1, since a question in whole sentences holds
    /// many frequent pieces, and together they drown the rare.
    pub rarity: f32,
}

pub(super) fn weight(model: &Reader, piece: u32, rarity: f32) -> f32 {
    model.idf(piece).max(0.0).powf(rarity)
}

/// A patent and the passages of it that were found, as bags.
pub struct Candidate<'a> {
    pub title: &'a [u8],
    /// Its abstract; empty where it has none.
    pub summary: &'a [u8],
    pub passages: Vec<&'a [u8]>,
}

/// Memory that one thread uses again for request after request.
#[derive(Default)]
pub struct Desk {
    scratch: Scratch,
    /// Place of each piece among the distinct ones of a request; `NOWHERE` between requests.
    place: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// Scores candidates against a query; `None` where a bag is damaged.
pub fn scores(
    model: &Reader,
    query: &str,
    candidates: &[Candidate],
    fit: &Fit,
    desk: &mut Desk,
) -> Option<Scores> {
    let mut ids = Vec::new();
    model.ids(query, &mut desk.scratch, &mut ids);
    ids.truncate(QUERY_TOKENS);
    let texts = Texts::read(candidates, model.pieces() as u32, &mut desk.place)?;
    let (query, mixture) = (Query::new(model, &ids, fit.rarity), fit.mixture);
    let met = query.meet(model, &texts.distinct);
    let part = |n: usize, share: Share| {
        let (places, length) = texts.text(n);
        let partners = if share.partners != 0.0 { query.partners(&met, places) } else { 0.0 };
        share.partners * partners + share.cosine * query.cosine(&met, places, length)
    };
    let mut found = Scores { documents: Vec::with_capacity(candidates.len()), passages: Vec::new() };
    let mut n = 0;
    for candidate in candidates {
        let context = part(n, mixture.title) + part(n + 1, mixture.summary);
        let passages = n + 2..n + 2 + candidate.passages.len();
        n = passages.end;
        let from = found.passages.len();
        found.passages.extend(passages.map(|n| part(n, mixture.passage) + context));
        found.documents.push(found.passages[from..].iter().copied().reduce(f32::max).unwrap_or(0.0));
    }
    Some(found)
}

/// The texts of all candidates: of each its title, its abstract, its passages.
struct Texts {
    /// Each piece of a text: its place in `distinct`, and how often it occurs.
    pieces: Vec<(u32, u32)>,
    /// Text n has `pieces[ends[n]..ends[n + 1]]`.
    ends: Vec<u32>,
    lengths: Vec<f32>,
    distinct: Vec<u32>,
}

impl Texts {
    fn read(candidates: &[Candidate], pieces: u32, place: &mut Vec<u32>) -> Option<Self> {
        place.resize(pieces as usize, NOWHERE);
        let mut texts =
            Texts { pieces: Vec::new(), ends: vec![0], lengths: Vec::new(), distinct: Vec::new() };
        let whole = candidates.iter().all(|candidate| {
            let own = [candidate.title, candidate.summary];
            own.iter().chain(&candidate.passages).all(|bag| texts.push(bag, place).is_some())
        });
        texts.distinct.iter().for_each(|&piece| place[piece as usize] = NOWHERE);
        whole.then_some(texts)
    }

    fn push(&mut self, bag: &[u8], place: &mut [u32]) -> Option<()> {
        let length = decode(bag, place.len() as u32, |piece, count| {
            let at = &mut place[piece as usize];
            if *at == NOWHERE {
                *at = self.distinct.len() as u32;
                self.distinct.push(piece);
            }
            self.pieces.push((*at, count));
        })?;
        self.ends.push(self.pieces.len() as u32);
        self.lengths.push(length);
        Some(())
    }

    fn text(&self, n: usize) -> (&[(u32, u32)], f32) {
        (&self.pieces[self.ends[n] as usize..self.ends[n + 1] as usize], self.lengths[n])
    }
}

/// Query pieces whose similarities to one piece are kept and compared at a time.
const WIDE: usize = 8;

/// The distinct pieces of a query.
struct Query {
    /// Their rows, widened once.
    rows: Vec<i16>,
    ids: Vec<u32>,
    lengths: Vec<f32>,
    /// How much each partner counts; sums to 1.
    weights: Vec<f32>,
    /// What an inner product with each row adds to that with the query's vector.
    pull: Vec<f32>,
}

/// What the distinct pieces of the candidates are to a query.
struct Met {
    /// Similarity, 0 to 1, of each to each query piece, padded with 0 to a multiple of `WIDE`.
    similar: Vec<f32>,
    width: usize,
    /// What one occurrence adds to a text's inner product with the query's vector.
    pulls: Vec<f32>,
}

impl Query {
    fn new(model: &Reader, asked: &[u32], rarity: f32) -> Self {
        let mut ids = asked.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let rows: Vec<i16> = ids.iter().flat_map(|&id| model.row(id)).map(|&x| x as i16).collect();
        let lengths = rows.chunks_exact(model.dimensions()).map(length_of).collect();
        let raw: Vec<f32> = ids.iter().map(|&id| weight(model, id, rarity)).collect();
        let total: f32 = raw.iter().sum();
        let weights = raw.iter().map(|weight| if total > 0.0 { weight / total } else { 0.0 }).collect();
        let mut vector = vec![0f32; model.dimensions()];
        let whole = model.vector(asked, &mut vector);
        let pull = |&id: &u32| {
            let count = asked.iter().filter(|&&other| other == id).count() as f32;
            if whole > 0.0 {
                count * model.factor(id) / whole
            } else {
                0.0
            }
        };
        let pull = ids.iter().map(pull).collect();
        Query { rows, lengths, weights, pull, ids }
    }

    fn meet(&self, model: &Reader, distinct: &[u32]) -> Met {
        let dimensions = model.dimensions();
        let width = self.ids.len().next_multiple_of(WIDE);
        let mut met = Met { similar: vec![0.0; distinct.len() * width], width, pulls: Vec::new() };
        let mut row = vec![0i16; dimensions];
        for (at, &piece) in distinct.iter().enumerate() {
            row.iter_mut().zip(model.row(piece)).for_each(|(wide, &x)| *wide = x as i16);
            let length = length_of(&row);
            let mut pull = 0.0;
            let similar = &mut met.similar[at * width..][..self.ids.len()];
            for (q, own) in self.rows.chunks_exact(dimensions).enumerate() {
                let product = dot(own, &row) as f32;
                pull += self.pull[q] * product;
                let lengths = self.lengths[q] * length;
                similar[q] = match () {
                    _ if self.ids[q] == piece => 1.0,
                    _ if lengths > 0.0 => (product / lengths).clamp(0.0, 1.0),
                    _ => 0.0,
                };
            }
            met.pulls.push(pull * model.factor(piece));
        }
        met
    }

    /// The weighted similarities of the best partners in a text.
    fn partners(&self, met: &Met, places: &[(u32, u32)]) -> f32 {
        let mut sum = 0.0;
        for (part, weights) in self.weights.chunks(WIDE).enumerate() {
            let mut best = [0f32; WIDE];
            for &(at, _) in places {
                let similar = &met.similar[at as usize * met.width + part * WIDE..][..WIDE];
                best.iter_mut().zip(similar).for_each(|(best, &x)| *best = if x > *best { x } else { *best });
            }
            sum += weights.iter().zip(&best).map(|(weight, best)| weight * best).sum::<f32>();
        }
        sum
    }

    fn cosine(&self, met: &Met, places: &[(u32, u32)], length: f32) -> f32 {
        let sum: f32 = places.iter().map(|&(at, count)| met.pulls[at as usize] * count as f32).sum();
        if length > 0.0 {
            sum / length
        } else {
            0.0
        }
    }
}

/// Exact: rows are of at most 65,536 numbers within ±128.
#[inline]
fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(&a, &b)| a as i32 * b as i32).sum()
}

fn length_of(row: &[i16]) -> f32 {
    (dot(row, row) as f32).sqrt()
}

#[cfg(test)]
mod tests;
