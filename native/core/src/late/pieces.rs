//! Late interaction over the pieces of a static model, which finds partners across languages.
//!
//! Works on bags from a segment or made of texts. The inner product of each distinct piece of the
//! candidates with each distinct piece of the query is computed once. It gives the similarities,
//! and summed over a text's pieces the cosine of query and text.

use super::bag::decode;
use super::products::{QueryRows, WIDE};
use super::{Mixture, Scores, Share, QUERY_TOKENS};
use crate::static_model::{occurrences, Reader, Scratch};
use crate::vectors::prefetch;

/// Parameters fitted to a model. Equal pieces get no bonus above their similarity of 1: a bonus for
/// exact words helps within one language and hurts across scripts.
#[derive(Clone, Copy)]
pub struct Fit {
    pub mixture: Mixture,
    /// Power of a piece's IDF that weighs its partners. Above 1, since a question in whole
    /// sentences has many frequent pieces, which together would outweigh the rare ones.
    pub rarity: f32,
}

pub(super) fn weight(model: &Reader, piece: u32, rarity: f32) -> f32 {
    model.idf(piece).max(0.0).powf(rarity)
}

/// The bags of a patent and of its passages that were found.
pub struct Candidate<'a> {
    pub title: &'a [u8],
    /// The abstract; empty if the patent has none.
    pub summary: &'a [u8],
    pub passages: Vec<&'a [u8]>,
}

impl<'a> Candidate<'a> {
    /// The bags of title, abstract and passages.
    fn bags(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        [self.title, self.summary].into_iter().chain(self.passages.iter().copied())
    }
}

/// Memory of one thread, reused for every request.
#[derive(Default)]
pub struct Desk {
    scratch: Scratch,
    /// Index of each piece among the distinct pieces of a request; `NOWHERE` between requests.
    place: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// Scores candidates for a query; `None` if a bag is damaged.
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

/// The texts of all candidates: for each its title, its abstract, its passages.
struct Texts {
    /// The pieces of all texts: index in `distinct`, and count.
    pieces: Vec<(u32, u32)>,
    /// Text n has `pieces[ends[n]..ends[n + 1]]`.
    ends: Vec<u32>,
    lengths: Vec<f32>,
    distinct: Vec<u32>,
    /// Number of entries in `distinct`.
    found: usize,
}

/// Candidates whose bags are prefetched ahead of the one that is read.
const CANDIDATES_AHEAD: usize = 4;

impl Texts {
    fn read(candidates: &[Candidate], pieces: u32, place: &mut Vec<u32>) -> Option<Self> {
        place.resize(pieces as usize, NOWHERE);
        let most = candidates.iter().flat_map(Candidate::bags).map(<[u8]>::len).sum();
        let mut texts = Texts {
            pieces: Vec::with_capacity(most),
            ends: vec![0],
            lengths: Vec::new(),
            // One spare slot, which known pieces overwrite.
            distinct: vec![0; most.min(pieces as usize) + 1],
            found: 0,
        };
        let fetch = |candidate: &Candidate| candidate.bags().for_each(prefetch);
        candidates.iter().take(CANDIDATES_AHEAD).for_each(fetch);
        let whole = candidates.iter().enumerate().all(|(n, candidate)| {
            candidates.get(n + CANDIDATES_AHEAD).into_iter().for_each(fetch);
            candidate.bags().all(|bag| texts.push(bag, place).is_some())
        });
        texts.distinct.truncate(texts.found);
        texts.distinct.iter().for_each(|&piece| place[piece as usize] = NOWHERE);
        whole.then_some(texts)
    }

    fn push(&mut self, bag: &[u8], place: &mut [u32]) -> Option<()> {
        let (distinct, mut found) = (&mut self.distinct[..], self.found);
        let length = decode(bag, place.len() as u32, |piece, count| {
            // No branch on whether the piece is new: it would be mispredicted often.
            let at = &mut place[piece as usize];
            let is_new = *at == NOWHERE;
            *at = if is_new { found as u32 } else { *at };
            distinct[found] = piece;
            found += is_new as usize;
            self.pieces.push((*at, count));
        });
        self.found = found;
        self.ends.push(self.pieces.len() as u32);
        self.lengths.push(length?);
        Some(())
    }

    fn text(&self, n: usize) -> (&[(u32, u32)], f32) {
        (&self.pieces[self.ends[n] as usize..self.ends[n + 1] as usize], self.lengths[n])
    }
}

/// Rows that are prefetched ahead of the current one. Rows are spread over a table of 48 MB, and
/// waiting for them took two thirds of the time.
const AHEAD: usize = 12;

/// The distinct pieces of a query, padded with pieces without effect to a multiple of `WIDE`.
struct Query {
    rows: QueryRows,
    ids: Vec<u32>,
    lengths: Vec<f32>,
    /// Weight of each piece's partner; the sum is 1.
    weights: Vec<f32>,
    /// Contribution of the inner product with each row to the inner product with the query's
    /// vector.
    pull: Vec<f32>,
}

/// Similarities of the candidates' distinct pieces to a query.
struct Met {
    /// Similarity, 0 to 1, of each piece to each query piece, padded with 0 to a multiple of
    /// `WIDE`.
    similar: Vec<f32>,
    width: usize,
    /// Contribution of one occurrence to a text's inner product with the query's vector.
    pulls: Vec<f32>,
}

impl Query {
    fn new(model: &Reader, asked: &[u32], rarity: f32) -> Self {
        let mut asked = asked.to_vec();
        let mut vector = vec![0f32; model.dimensions()];
        let whole = model.vector(&mut asked, &mut vector);
        let mut ids = asked.clone();
        ids.dedup();
        let rows: Vec<i8> = ids.iter().flat_map(|&id| model.row(id)).copied().collect();
        let mut lengths: Vec<f32> = ids.iter().map(|&id| model.length(id)).collect();
        let raw: Vec<f32> = ids.iter().map(|&id| weight(model, id, rarity)).collect();
        let total: f32 = raw.iter().sum();
        let mut weights: Vec<f32> =
            raw.iter().map(|weight| if total > 0.0 { weight / total } else { 0.0 }).collect();
        let pull = |&id: &u32| {
            let count = asked.iter().filter(|&&other| other == id).count() as u32;
            if whole > 0.0 {
                occurrences(count) * model.factor(id) / whole
            } else {
                0.0
            }
        };
        let mut pull: Vec<f32> = ids.iter().map(pull).collect();
        let rows = QueryRows::new(&rows, model.dimensions());
        let width = rows.width();
        ids.resize(width, NOWHERE);
        [&mut lengths, &mut weights, &mut pull].into_iter().for_each(|numbers| numbers.resize(width, 0.0));
        Query { rows, lengths, weights, pull, ids }
    }

    fn meet(&self, model: &Reader, distinct: &[u32]) -> Met {
        let width = self.ids.len();
        let mut met = Met { similar: vec![0.0; distinct.len() * width], width, pulls: Vec::new() };
        met.pulls.reserve_exact(distinct.len());
        let (mut wide, mut products) = (Vec::new(), vec![0i32; width]);
        distinct.iter().take(AHEAD).for_each(|&piece| model.prefetch(piece));
        for (at, &piece) in distinct.iter().enumerate() {
            if let Some(&ahead) = distinct.get(at + AHEAD) {
                model.prefetch(ahead);
            }
            let length = model.length(piece);
            self.rows.products(model.row(piece), &mut wide, &mut products);
            // Sums of every eighth product, added in the same order on every machine.
            let mut pulls = [0f32; WIDE];
            for (part, similar) in met.similar[at * width..][..width].chunks_exact_mut(WIDE).enumerate() {
                let from = part * WIDE;
                let own = |numbers: &[f32]| -> [f32; WIDE] { numbers[from..][..WIDE].try_into().unwrap() };
                let (lengths, own_pulls) = (own(&self.lengths), own(&self.pull));
                let ids: [u32; WIDE] = self.ids[from..][..WIDE].try_into().unwrap();
                let products: [i32; WIDE] = products[from..][..WIDE].try_into().unwrap();
                for q in 0..WIDE {
                    let product = products[q] as f32;
                    pulls[q] += own_pulls[q] * product;
                    let lengths = lengths[q] * length;
                    let cosine = (product / lengths).clamp(0.0, 1.0);
                    let cosine = if lengths > 0.0 { cosine } else { 0.0 };
                    similar[q] = if ids[q] == piece { 1.0 } else { cosine };
                }
            }
            let pull: f32 = pulls.iter().sum();
            met.pulls.push(pull * model.factor(piece));
        }
        met
    }

    /// The weighted similarities of the best partners in a text.
    fn partners(&self, met: &Met, places: &[(u32, u32)]) -> f32 {
        let mut sum = 0.0;
        for (part, weights) in self.weights.chunks_exact(WIDE).enumerate() {
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
        let sum: f32 = places.iter().map(|&(at, count)| met.pulls[at as usize] * occurrences(count)).sum();
        if length > 0.0 {
            sum / length
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests;
