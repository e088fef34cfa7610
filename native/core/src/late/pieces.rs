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

/// 1 divided by a length; 0 for a length of 0, so that the cosine with anything is 0.
fn inverse(length: f32) -> f32 {
    if length > 0.0 {
        1.0 / length
    } else {
        0.0
    }
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

/// Memory of one thread for one model, reused for every request. A search scores more than once for the same query, so
/// the last query and the pieces that it met are kept: some hundred KiB, and at most 17 MB for 65,535 pieces and a query of 128.
#[derive(Default)]
pub struct Desk {
    scratch: Scratch,
    met: Distinct<u16>,
    asked: Option<Asked>,
}

/// A query, and its similarities to the pieces that it met.
struct Asked {
    text: String,
    rarity: f32,
    query: Query,
    met: Met,
}

/// The distinct pieces that a query met.
struct Distinct<P> {
    /// Index of each piece of the model in `pieces`; `NOWHERE` for pieces that were not met.
    places: Vec<P>,
    pieces: Vec<u32>,
}

impl<P> Default for Distinct<P> {
    fn default() -> Self {
        Distinct { places: Vec::new(), pieces: Vec::new() }
    }
}

impl<P: Place> Distinct<P> {
    /// Forgets all pieces.
    fn clear(&mut self) {
        self.pieces.iter().for_each(|&piece| self.places[piece as usize] = P::NOWHERE);
        self.pieces.clear();
    }
}

/// Index of a piece among the distinct pieces that a query met. It is small because it is read at random from a table of
/// all pieces, which then stays in the processor's cache.
trait Place: Copy + PartialEq {
    /// No index.
    const NOWHERE: Self;
    /// `NOWHERE` or more cannot be indexes.
    fn of(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! place {
    ($number:ty) => {
        impl Place for $number {
            const NOWHERE: Self = <$number>::MAX;
            fn of(index: usize) -> Self {
                index as $number
            }
            fn index(self) -> usize {
                self as usize
            }
        }
    };
}
place!(u16);
// For requests with more distinct pieces than `u16` can count.
place!(u32);

/// Marks padding of a query: no piece has this id.
const NO_PIECE: u32 = u32::MAX;
/// Query pieces whose best partners are found together, in registers.
const TOGETHER: usize = 4 * WIDE;
/// What a similarity of 1 is stored as.
const STEPS: f32 = u16::MAX as f32;
/// Sums that are added to by turns.
const APART: usize = 4;

/// Scores candidates for a query; `None` if a bag is damaged. A desk must only be used with one model.
pub fn scores(
    model: &Reader,
    query: &str,
    candidates: &[Candidate],
    fit: &Fit,
    desk: &mut Desk,
) -> Option<Scores> {
    let Desk { scratch, met, asked } = desk;
    let same = asked.take().filter(|asked| asked.text == query && asked.rarity == fit.rarity);
    if let Some(mut same) = same {
        match Texts::read(candidates, model.pieces(), met) {
            Ok(texts) => {
                let found = same.scores(model, &texts, met, candidates, fit);
                *asked = Some(same);
                return Some(found);
            }
            Err(Unread::Damaged) => return None,
            // Several requests together have more pieces than this one.
            Err(Unread::TooMany) => {}
        }
    }
    met.clear();
    let mut new = Asked::of(model, query, fit.rarity, scratch);
    match Texts::read(candidates, model.pieces(), met) {
        Ok(texts) => {
            let found = new.scores(model, &texts, met, candidates, fit);
            *asked = Some(new);
            Some(found)
        }
        Err(Unread::Damaged) => None,
        Err(Unread::TooMany) => {
            let mut met = Distinct::<u32>::default();
            let texts = Texts::read(candidates, model.pieces(), &mut met).ok()?;
            Some(new.scores(model, &texts, &met, candidates, fit))
        }
    }
}

impl Asked {
    fn of(model: &Reader, text: &str, rarity: f32, scratch: &mut Scratch) -> Self {
        let mut ids = Vec::new();
        model.ids(text, scratch, &mut ids);
        ids.truncate(QUERY_TOKENS);
        let query = Query::new(model, &ids, rarity);
        let met = Met { similar: Vec::new(), width: query.ids.len(), pulls: Vec::new() };
        Asked { text: text.to_owned(), rarity, query, met }
    }

    /// Scores candidates, whose pieces are among those of `distinct`.
    fn scores<P: Place>(
        &mut self,
        model: &Reader,
        texts: &Texts<P>,
        distinct: &Distinct<P>,
        candidates: &[Candidate],
        Fit { mixture, .. }: &Fit,
    ) -> Scores {
        let Asked { query, met, .. } = self;
        query.meet(model, &distinct.pieces[met.pulls.len()..], met);
        let part = |n: usize, share: Share| {
            let (pieces, length) = texts.text(n);
            let partners = if share.partners != 0.0 { query.partners(met, pieces) } else { 0.0 };
            share.partners * partners + share.cosine * met.cosine(pieces, length)
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
        found
    }
}

/// Why texts could not be read.
#[derive(Debug, PartialEq)]
enum Unread {
    /// A bag is damaged.
    Damaged,
    /// There are more distinct pieces than indexes.
    TooMany,
}

/// The texts of all candidates: for each its title, its abstract, its passages.
struct Texts<P> {
    /// The pieces of all texts: index among the distinct pieces, and count.
    pieces: Vec<(P, u16)>,
    /// Text n has `pieces[ends[n]..ends[n + 1]]`.
    ends: Vec<u32>,
    lengths: Vec<f32>,
}

/// Candidates whose bags are prefetched ahead of the one that is read.
const CANDIDATES_AHEAD: usize = 4;

impl<P: Place> Texts<P> {
    /// Adds the pieces of the texts to those that were met. If it fails, none is met.
    fn read(candidates: &[Candidate], pieces: usize, met: &mut Distinct<P>) -> Result<Self, Unread> {
        met.places.resize(pieces, P::NOWHERE);
        let most = candidates.iter().flat_map(Candidate::bags).map(<[u8]>::len).sum::<usize>();
        let mut texts = Texts { pieces: Vec::with_capacity(most), ends: vec![0], lengths: Vec::new() };
        let mut found = met.pieces.len();
        // One spare slot, which known pieces overwrite.
        met.pieces.resize((found + most).min(pieces) + 1, 0);
        let fetch = |candidate: &Candidate| candidate.bags().for_each(prefetch);
        candidates.iter().take(CANDIDATES_AHEAD).for_each(fetch);
        let read = candidates.iter().enumerate().try_for_each(|(n, candidate)| {
            candidates.get(n + CANDIDATES_AHEAD).into_iter().for_each(fetch);
            candidate.bags().try_for_each(|bag| texts.push(bag, met, &mut found))
        });
        met.pieces.truncate(found);
        match read {
            Ok(()) => Ok(texts),
            Err(why) => {
                met.clear();
                Err(why)
            }
        }
    }

    fn push(&mut self, bag: &[u8], met: &mut Distinct<P>, found: &mut usize) -> Result<(), Unread> {
        // Each piece of a bag takes a byte or more.
        if *found + bag.len() >= P::NOWHERE.index() {
            return Err(Unread::TooMany);
        }
        let (places, distinct, mut next) = (&mut met.places[..], &mut met.pieces[..], *found);
        let length = decode(bag, places.len() as u32, |piece, count| {
            // No branch on whether the piece is new: it would be mispredicted often.
            let at = &mut places[piece as usize];
            let is_new = *at == P::NOWHERE;
            *at = if is_new { P::of(next) } else { *at };
            distinct[next] = piece;
            next += is_new as usize;
            self.pieces.push((*at, count.min(u16::MAX as u32) as u16));
        });
        *found = next;
        self.ends.push(self.pieces.len() as u32);
        self.lengths.push(length.ok_or(Unread::Damaged)?);
        Ok(())
    }

    fn text(&self, n: usize) -> (&[(P, u16)], f32) {
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
    inverses: Vec<f32>,
    /// Weight of each piece's partner; the sum is 1.
    weights: Vec<f32>,
    /// Contribution of the inner product with each row to the inner product with the query's
    /// vector.
    pull: Vec<f32>,
}

/// Similarities of the candidates' distinct pieces to a query.
struct Met {
    /// Similarity of each piece to each query piece in steps of 1 / `STEPS`, padded with 0 to a
    /// multiple of `WIDE`. Half the size of floats: most time goes into reading them.
    similar: Vec<u16>,
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
        let mut inverses: Vec<f32> = ids.iter().map(|&id| inverse(model.length(id))).collect();
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
        ids.resize(width, NO_PIECE);
        [&mut inverses, &mut weights, &mut pull].into_iter().for_each(|numbers| numbers.resize(width, 0.0));
        Query { rows, inverses, weights, pull, ids }
    }

    /// Adds the similarities of further pieces.
    fn meet(&self, model: &Reader, distinct: &[u32], met: &mut Met) {
        let width = met.width;
        met.similar.reserve(distinct.len() * width);
        met.pulls.reserve(distinct.len());
        let (mut wide, mut products) = (Vec::new(), vec![0i32; width]);
        distinct.iter().take(AHEAD).for_each(|&piece| model.prefetch(piece));
        for (at, &piece) in distinct.iter().enumerate() {
            if let Some(&ahead) = distinct.get(at + AHEAD) {
                model.prefetch(ahead);
            }
            let inverse = inverse(model.length(piece));
            self.rows.products(model.row(piece), &mut wide, &mut products);
            // Sums of every eighth product, added in the same order on every machine.
            let mut pulls = [0f32; WIDE];
            for from in (0..width).step_by(WIDE) {
                let mut similar = [0u16; WIDE];
                let own = |numbers: &[f32]| -> [f32; WIDE] { numbers[from..][..WIDE].try_into().unwrap() };
                let (inverses, own_pulls) = (own(&self.inverses), own(&self.pull));
                let ids: [u32; WIDE] = self.ids[from..][..WIDE].try_into().unwrap();
                let products: [i32; WIDE] = products[from..][..WIDE].try_into().unwrap();
                for q in 0..WIDE {
                    let product = products[q] as f32;
                    pulls[q] += own_pulls[q] * product;
                    let cosine = (product * inverse * inverses[q]).clamp(0.0, 1.0);
                    let cosine = if ids[q] == piece { 1.0 } else { cosine };
                    // SAFETY: it is a number from 0 to `STEPS`. A checked conversion is not vectorised.
                    similar[q] = unsafe { (cosine * STEPS + 0.5).to_int_unchecked::<i32>() } as u16;
                }
                met.similar.extend_from_slice(&similar);
            }
            let pull: f32 = pulls.iter().sum();
            met.pulls.push(pull * model.factor(piece));
        }
    }

    /// The weighted similarities of the best partners in a text.
    fn partners<P: Place>(&self, met: &Met, pieces: &[(P, u16)]) -> f32 {
        let mut sum = 0.0;
        for (part, weights) in self.weights.chunks(TOGETHER).enumerate() {
            let from = part * TOGETHER;
            let mut best = [0u16; TOGETHER];
            match weights.len() / WIDE {
                1 => met.best::<_, WIDE>(pieces, from, &mut best),
                2 => met.best::<_, { 2 * WIDE }>(pieces, from, &mut best),
                3 => met.best::<_, { 3 * WIDE }>(pieces, from, &mut best),
                _ => met.best::<_, TOGETHER>(pieces, from, &mut best),
            }
            sum += weights.iter().zip(&best).map(|(weight, &best)| weight * best as f32).sum::<f32>();
        }
        sum / STEPS
    }
}

impl Met {
    /// Finds the greatest similarity of a text's pieces to each of `N` query pieces.
    fn best<P: Place, const N: usize>(&self, pieces: &[(P, u16)], from: usize, out: &mut [u16; TOGETHER]) {
        let mut best = [0u16; N];
        for &(at, _) in pieces {
            let similar = &self.similar[at.index() * self.width + from..][..N];
            best.iter_mut().zip(similar).for_each(|(best, &x)| *best = x.max(*best));
        }
        out[..N].copy_from_slice(&best);
    }

    /// The cosine of a text with the query.
    fn cosine<P: Place>(&self, pieces: &[(P, u16)], length: f32) -> f32 {
        let pull = |&(at, count): &(P, u16)| self.pulls[at.index()] * occurrences(count as u32);
        // Several sums, because an addition must wait for the one before to the same sum.
        let mut sums = [0f32; APART];
        let chunks = pieces.chunks_exact(APART);
        let rest: f32 = chunks.remainder().iter().map(pull).sum();
        for pieces in chunks {
            sums.iter_mut().zip(pieces).for_each(|(sum, piece)| *sum += pull(piece));
        }
        if length > 0.0 {
            (sums.iter().sum::<f32>() + rest) / length
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests;
