//! Scores of documents by the words of a question: BM25F (Robertson, Zaragoza and Taylor, "Simple
//! BM25 extension to multiple weighted fields", CIKM 2004). For each word
//!
//! `boost × idf × tf × (K1 + 1) / (tf + K1)`
//!
//! where `tf` sums over the parts of a document `weight × count / (1 − b + b × length / average)`,
//! and `idf = ln(1 + (N − n + ½) / (n + ½))` for n of N documents. The sum is divided by the greatest
//! that a document could get, so a score lies between 0 and 1.

use super::index::Lexical;
use super::question::Concept;
use super::Part;
use crate::search::Snapshot;
use crate::Result;

const K1: f32 = 1.2;

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

struct Collection<'a> {
    segments: Vec<Option<&'a Lexical>>,
    documents: usize,
    /// Average length of each part.
    averages: [f32; Part::ALL.len()],
}

impl<'a> Collection<'a> {
    fn of(snapshot: &'a Snapshot) -> Result<Self> {
        let segments =
            snapshot.segments.iter().map(|(segment, _)| segment.lexical()).collect::<Result<Vec<_>>>()?;
        let known = || segments.iter().flatten();
        let documents: usize = known().map(|lexical| lexical.documents()).sum();
        let average = |part| {
            let tokens: u64 = known().map(|lexical| lexical.tokens(part)).sum();
            (tokens as f32 / documents.max(1) as f32).max(1.0)
        };
        let averages = Part::ALL.map(average);
        Ok(Collection { segments, documents, averages })
    }

    /// The weighted frequency of a word in the documents of a segment.
    fn matches(&self, lexical: &Lexical, concept: &Concept, scratch: &mut Scratch) -> Result<Matches> {
        scratch.reset(lexical.documents());
        for alternative in &concept.alternatives {
            for part in Part::ALL.into_iter().filter(|&part| alternative.is_in(part)) {
                let (weight, b) = fit(part);
                let average = self.averages[part as usize];
                lexical.occurrences(part, &alternative.phrase, |document, count| {
                    let length = lexical.length(part, document) as f32;
                    let norm = 1.0 - b + b * length / average;
                    scratch.add(document, alternative.weight * weight * count as f32 / norm);
                })?;
            }
        }
        Ok(scratch.take())
    }

    /// The concepts to score: the rarest, without common ones if others remain.
    fn chosen(&self, concepts: &[Concept]) -> Result<Vec<usize>> {
        let mut places = Vec::with_capacity(concepts.len());
        for (place, concept) in concepts.iter().enumerate() {
            let mut most = 0;
            for lexical in self.segments.iter().flatten() {
                let mut here = 0;
                for alternative in &concept.alternatives {
                    here += lexical.most_documents(&alternative.phrase)?;
                }
                most += here.min(lexical.documents());
            }
            if most > 0 {
                places.push((place, most, concept.boost * self.idf(most)));
            }
        }
        places.sort_by(|a, b| b.2.total_cmp(&a.2));
        let is_common = |most: usize| {
            self.documents >= COMMON_FROM && most as f32 > COMMON * self.documents as f32
        };
        let rare = places.iter().filter(|(_, most, _)| !is_common(*most)).count();
        if rare > 0 {
            places.retain(|(_, most, _)| !is_common(*most));
        }
        Ok(places.into_iter().take(MOST_CONCEPTS).map(|(place, ..)| place).collect())
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
    let mut scratch = Scratch::default();
    let sizes = collection.segments.iter().map(|lexical| lexical.map_or(0, Lexical::documents));
    let mut scores = Scores {
        segments: sizes.map(|documents| vec![0.0; documents]).collect(),
        found: vec![Vec::new(); collection.segments.len()],
        used: Vec::new(),
        without: collection.segments.iter().filter(|lexical| lexical.is_none()).count(),
    };
    let mut greatest = 0.0;
    for concept in collection.chosen(concepts)? {
        let mut matches = Vec::with_capacity(collection.segments.len());
        for lexical in &collection.segments {
            matches.push(match lexical {
                Some(lexical) => collection.matches(lexical, &concepts[concept], &mut scratch)?,
                None => Matches::new(),
            });
        }
        let documents: usize = matches.iter().map(Vec::len).sum();
        if documents == 0 {
            continue;
        }
        let weight = concepts[concept].boost * collection.idf(documents) * (K1 + 1.0);
        greatest += weight;
        scores.used.push(Used { concept, documents, share: weight });
        for (n, matches) in matches.iter().enumerate() {
            for &(document, tf) in matches {
                let score = &mut scores.segments[n][document as usize];
                if *score == 0.0 {
                    scores.found[n].push(document);
                }
                *score += weight * tf / (tf + K1);
            }
        }
    }
    if greatest > 0.0 {
        scores.segments.iter_mut().flatten().for_each(|score| *score /= greatest);
        scores.used.iter_mut().for_each(|used| used.share /= greatest);
    }
    Ok(scores)
}

/// Calls `each` with the documents that hold a concept in some part; with a document several times if
/// several parts hold it.
pub fn holding(lexical: &Lexical, concept: &Concept, mut each: impl FnMut(u32)) -> Result<()> {
    for alternative in &concept.alternatives {
        for part in Part::ALL.into_iter().filter(|&part| alternative.is_in(part)) {
            lexical.occurrences(part, &alternative.phrase, |document, _| each(document))?;
        }
    }
    Ok(())
}
