//! Scores of documents by the words of a question: BM25F (Robertson, Zaragoza and Taylor, "Simple
//! BM25 extension to multiple weighted fields", CIKM 2004). For each word
//!
//! `boost × idf × (tf × (K1 + 1) / (tf + K1) + DELTA)`
//!
//! where `tf` sums over the parts of a document `weight × count / (1 − b + b × length / average)`,
//! and `idf = ln(1 + (N − n + ½) / (n + ½))` for n of N documents. DELTA is the least that a word
//! gives, so that a long document that holds a rare word is not lost among short ones (BM25+, Lv and
//! Zhai, "Lower-bounding term frequency normalization", CIKM 2011). The sum is divided by the greatest
//! that a document could get, so a score lies between 0 and 1.

use super::index::{Lexical, Located};
use super::question::Concept;
use super::Part;
use crate::bitmap::Bitmap;
use crate::search::Snapshot;
use crate::Result;

const K1: f32 = 1.2;
const DELTA: f32 = 1.0;

/// Weight of a part, and how much its length counts.
const fn fit(part: Part) -> (f32, f32) {
    match part {
        Part::Names => (2.0, 0.3),
        Part::Title => (3.0, 0.5),
        Part::Claims => (1.5, 0.6),
        Part::Text => (1.0, 0.7),
    }
}

/// Words that are scored, at most: the rarest of a long question.
const MOST_CONCEPTS: usize = 24;
/// Words whose documents are counted to choose these, at most: the rarest by an estimate.
const MOST_COUNTED: usize = 2 * MOST_CONCEPTS;
/// A word that more than this share of the documents hold is left out if rarer words remain.
const COMMON: f32 = 0.2;
/// Below this number of documents, no word is common.
const COMMON_FROM: usize = 50;

/// How a word of the question was used.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Place of the word in the list of concepts.
    pub concept: usize,
    /// Number of documents that hold it.
    pub documents: usize,
    /// The greatest share that it can have in a score.
    pub share: f32,
}

/// Scores of all documents that hold a word of the question.
pub struct Scores {
    /// For each segment, a score for each document; empty if the segment has no lexical index.
    pub segments: Vec<Vec<f32>>,
    /// For each segment, the documents with a score above 0, unordered.
    pub found: Vec<Vec<u32>>,
    pub used: Vec<Used>,
    /// Number of segments without a lexical index.
    pub without: usize,
}

/// The documents of one segment that hold a word, with their frequencies.
type Matches = Vec<(u32, f32)>;

/// The documents that are not deleted. All numbers are theirs, so that scores are the same before and
/// after a merge.
struct Collection<'a> {
    segments: Vec<Option<(&'a Lexical, &'a Bitmap)>>,
    documents: usize,
    deleted: usize,
    /// Average length of each part.
    averages: [f32; Part::ALL.len()],
}

/// Where one segment holds a word: phrases with their weights.
type Places = Vec<(Located, f32)>;

/// A word, and where each segment holds it.
struct Found {
    concept: usize,
    places: Vec<Places>,
    /// Whether the word is common for sure, without a count.
    is_common: bool,
    /// The greatest weight that it may have.
    weight: f32,
}

/// A word, and the documents of each segment that hold it.
struct Counted {
    concept: usize,
    matches: Vec<Matches>,
    documents: usize,
}

impl<'a> Collection<'a> {
    fn of(snapshot: &'a Snapshot) -> Result<Self> {
        let segments = snapshot
            .segments
            .iter()
            .map(|(segment, deleted)| Ok(segment.lexical()?.map(|lexical| (lexical, deleted))))
            .collect::<Result<Vec<_>>>()?;
        let known = || segments.iter().flatten();
        let deleted: usize = known().map(|(_, deleted)| deleted.count()).sum();
        let documents = known().map(|(lexical, _)| lexical.documents()).sum::<usize>() - deleted;
        let average = |part| {
            let lengths: u64 = known()
                .map(|(lexical, deleted)| {
                    let gone = deleted.iter().map(|n| lexical.length(part, n as u32) as u64);
                    lexical.lengths(part) - gone.sum::<u64>()
                })
                .sum();
            (lengths as f32 / documents.max(1) as f32).max(1.0)
        };
        let averages = Part::ALL.map(average);
        Ok(Collection { segments, documents, deleted, averages })
    }

    /// The weighted frequency of a word in the documents of a segment.
    fn matches(
        &self,
        (lexical, deleted): (&Lexical, &Bitmap),
        places: &Places,
        scratch: &mut Scratch,
    ) -> Result<Matches> {
        scratch.reset(lexical.documents());
        for (located, share) in places {
            let (weight, b) = fit(located.part);
            let average = self.averages[located.part as usize];
            lexical.occurrences(located, |document, count| {
                if !deleted.contains(document as usize) {
                    let length = lexical.length(located.part, document) as f32;
                    let norm = 1.0 - b + b * length / average;
                    scratch.add(document, share * weight * count as f32 / norm);
                }
            })?;
        }
        Ok(scratch.take())
    }

    /// The words to score with their documents, rarest first: without common ones if others remain.
    fn chosen(&self, concepts: &[Concept]) -> Result<Vec<Counted>> {
        let mut found = Vec::with_capacity(concepts.len());
        for (n, concept) in concepts.iter().enumerate() {
            found.extend(self.found(n, concept)?);
        }
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.concept.cmp(&b.concept)));
        let mut counted = self.counted(found.iter().filter(|word| !word.is_common))?;
        counted.retain(|word| !self.is_common(word.documents));
        if counted.is_empty() {
            counted = self.counted(found.iter())?;
        }
        let weight = |word: &Counted| concepts[word.concept].boost * self.idf(word.documents);
        counted.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.concept.cmp(&b.concept)));
        counted.truncate(MOST_CONCEPTS);
        Ok(counted)
    }

    /// Looks a word up in all segments; `None` if no document can hold it.
    fn found(&self, n: usize, concept: &Concept) -> Result<Option<Found>> {
        let (mut least, mut most) = (0, 0);
        let mut places = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let mut own = Places::new();
            if let Some((lexical, _)) = segment {
                own = places_of(lexical, concept)?;
                let bounds = || own.iter().map(|(located, _)| located.documents());
                least += bounds().map(|(least, _)| least).max().unwrap_or(0);
                most += bounds().map(|(_, most)| most).sum::<usize>().min(lexical.documents());
            }
            places.push(own);
        }
        let is_common = self.is_common(least.saturating_sub(self.deleted));
        let weight = concept.boost * self.idf(most);
        Ok((most > 0).then_some(Found { concept: n, places, is_common, weight }))
    }

    /// Counts the documents of the first words of a list.
    fn counted<'b>(&self, words: impl Iterator<Item = &'b Found>) -> Result<Vec<Counted>> {
        let mut scratch = Scratch::default();
        let mut counted = Vec::new();
        for word in words.take(MOST_COUNTED) {
            let mut matches = Vec::with_capacity(self.segments.len());
            for (segment, places) in self.segments.iter().zip(&word.places) {
                matches.push(match segment {
                    Some(segment) => self.matches(*segment, places, &mut scratch)?,
                    None => Matches::new(),
                });
            }
            let documents = matches.iter().map(Vec::len).sum();
            if documents > 0 {
                counted.push(Counted { concept: word.concept, matches, documents });
            }
        }
        Ok(counted)
    }

    fn is_common(&self, holding: usize) -> bool {
        self.documents >= COMMON_FROM && holding as f32 > COMMON * self.documents as f32
    }

    fn idf(&self, holding: usize) -> f32 {
        let (all, holding) = (self.documents as f32, holding as f32);
        (1.0 + (all - holding + 0.5).max(0.5) / (holding + 0.5)).ln()
    }
}

/// Sums by document.
#[derive(Default)]
struct Scratch {
    sums: Vec<f32>,
    touched: Vec<u32>,
}

impl Scratch {
    fn reset(&mut self, documents: usize) {
        self.sums.resize(self.sums.len().max(documents), 0.0);
    }

    fn add(&mut self, document: u32, value: f32) {
        let sum = &mut self.sums[document as usize];
        if *sum == 0.0 {
            self.touched.push(document);
        }
        *sum += value;
    }

    fn take(&mut self) -> Matches {
        let sums = &mut self.sums;
        self.touched.drain(..).map(|n| (n, std::mem::take(&mut sums[n as usize]))).collect()
    }
}

/// Scores all documents of a snapshot by the words of a question.
pub fn scores(snapshot: &Snapshot, concepts: &[Concept]) -> Result<Scores> {
    let collection = Collection::of(snapshot)?;
    let sizes =
        collection.segments.iter().map(|segment| segment.map_or(0, |(lexical, _)| lexical.documents()));
    let mut scores = Scores {
        segments: sizes.map(|documents| vec![0.0; documents]).collect(),
        found: vec![Vec::new(); collection.segments.len()],
        used: Vec::new(),
        without: collection.segments.iter().filter(|segment| segment.is_none()).count(),
    };
    let mut greatest = 0.0;
    for Counted { concept, matches, documents } in collection.chosen(concepts)? {
        let weight = concepts[concept].boost * collection.idf(documents);
        greatest += weight * (K1 + 1.0 + DELTA);
        scores.used.push(Used { concept, documents, share: weight * (K1 + 1.0 + DELTA) });
        for (n, matches) in matches.iter().enumerate() {
            for &(document, tf) in matches {
                let score = &mut scores.segments[n][document as usize];
                if *score == 0.0 {
                    scores.found[n].push(document);
                }
                *score += weight * (tf * (K1 + 1.0) / (tf + K1) + DELTA);
            }
        }
    }
    if greatest > 0.0 {
        scores.segments.iter_mut().flatten().for_each(|score| *score /= greatest);
        scores.used.iter_mut().for_each(|used| used.share /= greatest);
    }
    Ok(scores)
}

/// Where a segment holds a word.
fn places_of(lexical: &Lexical, concept: &Concept) -> Result<Places> {
    let mut places = Places::new();
    for alternative in &concept.alternatives {
        for part in Part::ALL.into_iter().filter(|&part| alternative.is_in(part)) {
            let located = lexical.locate(part, &alternative.phrase)?;
            places.extend(located.map(|located| (located, alternative.weight)));
        }
    }
    Ok(places)
}

/// Calls `each` with the documents that hold a concept in some part; with a document several times if
/// several parts hold it.
pub fn holding(lexical: &Lexical, concept: &Concept, mut each: impl FnMut(u32)) -> Result<()> {
    for (located, _) in places_of(lexical, concept)? {
        lexical.occurrences(&located, |document, _| each(document))?;
    }
    Ok(())
}
