//! Scores of documents by the words of a question: BM25F (Robertson, Zaragoza and Taylor, "Simple
//! BM25 extension to multiple weighted fields", CIKM 2004). For each word
//!
//! `boost × idf × (tf × (K1 + 1) / (tf + K1) + DELTA × (1 − FADING × fading / (tf + fading)))`
//!
//! where `tf` sums over the parts of a document `weight × count / (1 − b + b × length / average)`,
//! and `idf = ln(1 + (N − n + ½) / (n + ½))` for n of N documents. DELTA is the least that a word
//! gives, so that a long document that holds a rare word is not lost among short ones (BM25+, Lv and
//! Zhai, "Lower-bounding term frequency normalization", CIKM 2011). A share of it, FADING, is for
//! documents that hold the word about as prominently as others: `fading` is PASSING times the tf of the
//! tenth document by tf, 0 if there are fewer. Otherwise the same few long descriptions, which name
//! thousands of things in passing, would be among the first for every question. The sum is divided by
//! the greatest that a document could get, so a score lies between 0 and 1.
//!
//! If at most PROMINENT documents hold a word, each of these gets at least RARE_SHARE of the greatest for it.
//!
//! A document that holds a translation or a synonym of a word gets a share of what that would give
//! it, which the caller states; the best of the word and its translations counts, so a document in two languages gets nothing
//! twice. The rarity is that of the word itself, so documents in the question's language score as they
//! would without translations. If no document holds the word itself, n counts those that hold a
//! translation.

use super::concept::{Concept, Translation};
use super::index::{length_of, Lexical, Located, Phrase};
use super::sums::{Matches, Sums};
use super::Part;
use crate::bitmap::Bitmap;
use crate::search::Snapshot;
use crate::Result;
use std::collections::{HashMap, HashSet};

pub const K1: f32 = 1.2;
pub const DELTA: f32 = 2.0;
/// Share of DELTA that fades. With 1, short questions across languages and citations gain a little more, and exact questions lose
/// twice as much: documents with a translation in the title go before those with the word in passing.
pub const FADING: f32 = 0.5;
/// tf, as a share of the tenth greatest, at which half of it is left. With a FADING of 1, short questions find almost the same
/// from 0.05 to 1.
pub const PASSING: f32 = 0.2;
/// Documents that hold a word prominently, and fill a page.
pub const PROMINENT: usize = 10;

/// Weight of a part, and how much its length counts.
pub const fn fit(part: Part) -> (f32, f32) {
    match part {
        Part::Names => (2.0, 0.3),
        Part::Title => (3.0, 0.5),
        Part::Claims => (1.5, 0.6),
        Part::Text => (1.0, 0.7),
    }
}

/// Share of the greatest for a word that each document gets at least if at most `PROMINENT` hold the word itself: who writes
/// `aerogel` sees the two documents that hold it on the first page, beside those with 气凝胶 in the title. With it, .976
/// instead of .933 of the documents of exact questions are among the first ten, and of those of questions about a subject in English,
/// .734 instead of .745.
pub const RARE_SHARE: f32 = 0.7;

/// Words that are scored, at most: the rarest of a long question.
pub const MOST_CONCEPTS: usize = 24;
/// Words whose documents are counted to choose these, at most: the rarest by an estimate.
const MOST_COUNTED: usize = 2 * MOST_CONCEPTS;
/// Translations of a question that are looked for, at most.
pub const MOST_TRANSLATIONS: usize = 48;
/// The parts of a document that may hold a translation.
pub const TRANSLATED_PARTS: [Part; 3] = [Part::Title, Part::Claims, Part::Text];
/// A word that more than this share of the documents hold is left out if rarer words remain.
pub const COMMON: f32 = 0.2;
/// Below this number of documents, no word is common.
pub const COMMON_FROM: usize = 50;

/// How a word of the question was used.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Place of the word in the list of concepts.
    pub concept: usize,
    /// Number of documents that hold it; or a translation, if none holds the word itself.
    pub documents: usize,
    /// Number of documents that hold it or a translation.
    pub holding: usize,
    /// The greatest share that it can have in a score.
    pub share: f32,
}

/// Scores of all documents that hold a word of the question.
pub struct Scores {
    /// For each segment, the scores of its documents; empty if the segment has no lexical index.
    pub segments: Vec<Sums>,
    pub used: Vec<Used>,
    /// Number of segments without a lexical index.
    pub without: usize,
}

impl Scores {
    /// Scores above 0 that were computed elsewhere: number of the segment, ordinal of the document, score.
    pub fn given(snapshot: &Snapshot, scores: impl IntoIterator<Item = ((usize, usize), f32)>) -> Self {
        let mut segments: Vec<Sums> =
            snapshot.segments.iter().map(|(segment, _)| Sums::new(segment.docs())).collect();
        for ((segment, ordinal), score) in scores {
            segments[segment].raise(ordinal as u32, score);
        }
        Scores { segments, used: Vec::new(), without: 0 }
    }
}

/// The documents that are not deleted. All numbers are theirs, so that scores are the same before and
/// after a merge.
struct Collection<'a> {
    segments: Vec<Option<(&'a Lexical, &'a Bitmap)>>,
    documents: usize,
    deleted: usize,
    /// What one occurrence in a part adds to tf, by the code of the part's length.
    gains: [[f32; 256]; Part::ALL.len()],
    shares: Shares,
}

/// Shares of a word's weight that a translation has, at most 1.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// A translation of a word.
    pub word: f32,
    /// A translation of a long term that the word is in. A long term has few senses.
    pub long: f32,
}

impl Shares {
    fn of(&self, translation: &Translation) -> f32 {
        if translation.is_long {
            self.long
        } else {
            self.word
        }
    }
}

/// The documents of each segment that hold a translation, with its tf.
type Translated<'a> = HashMap<&'a Phrase, Vec<Matches>>;

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
    /// With the word's tf, then with what it gives them for a weight of 1.
    matches: Vec<Matches>,
    documents: usize,
    /// Whether some document holds the word itself. Otherwise, the documents hold a translation.
    is_held: bool,
}

impl<'a> Collection<'a> {
    fn of(snapshot: &'a Snapshot, shares: Shares) -> Result<Self> {
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
        let gains = Part::ALL.map(|part| {
            let ((weight, b), average) = (fit(part), average(part));
            std::array::from_fn(|code| weight / (1.0 - b + b * length_of(code as u8) as f32 / average))
        });
        Ok(Collection { segments, documents, deleted, gains, shares })
    }

    /// The documents of a segment that hold a word at one of its places, and its tf.
    fn matches(
        &self,
        (lexical, deleted): (&Lexical, &Bitmap),
        places: &Places,
        scratch: &mut Sums,
    ) -> Result<Matches> {
        for (located, share) in places {
            let gains = &self.gains[located.part as usize];
            lexical.occurrences_by_block(located, |documents, counts| {
                scratch.add_all(documents.iter().zip(counts).map(|(&document, &count)| {
                    let gain = gains[lexical.length_code(located.part, document) as usize];
                    (document, share * count as f32 * gain)
                }));
            })?;
        }
        let mut matches = scratch.take();
        if self.deleted > 0 {
            matches.retain(|document| !deleted.contains(document as usize));
        }
        Ok(matches)
    }

    /// The words to score with their documents, rarest first: without common ones if others remain.
    fn chosen(&self, concepts: &[Concept]) -> Result<Vec<Counted>> {
        let mut found = Vec::with_capacity(concepts.len());
        for (n, concept) in concepts.iter().enumerate() {
            found.extend(self.found(n, concept)?);
        }
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.concept.cmp(&b.concept)));
        let mut translated = Translated::default();
        let rare = found.iter().filter(|word| !word.is_common);
        let mut counted = self.counted(concepts, rare, &mut translated)?;
        counted.retain(|word| !self.is_common(word.documents));
        if counted.is_empty() {
            counted = self.counted(concepts, found.iter(), &mut translated)?;
        }
        let weight = |word: &Counted| concepts[word.concept].boost * self.idf(word.documents);
        counted.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.concept.cmp(&b.concept)));
        counted.truncate(MOST_CONCEPTS);
        let mut scratch = self.scratch();
        for Counted { concept, matches, .. } in counted.iter_mut().filter(|word| word.is_held) {
            self.value(matches, &concepts[*concept].translations, &mut translated, &mut scratch)?;
        }
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
        let may_be_held = most > 0 || !concept.translations.is_empty();
        Ok(may_be_held.then_some(Found { concept: n, places, is_common, weight }))
    }

    /// Counts the documents of the first words of a list that documents hold. The matches of words that are held have their tf.
    fn counted<'b>(
        &self,
        concepts: &'b [Concept],
        words: impl Iterator<Item = &'b Found>,
        translated: &mut Translated<'b>,
    ) -> Result<Vec<Counted>> {
        let mut scratch = self.scratch();
        let mut counted = Vec::new();
        let mut own_words = 0;
        for word in words {
            let may_be_held = word.places.iter().any(|places| !places.is_empty());
            own_words += may_be_held as usize;
            if own_words > MOST_COUNTED {
                break;
            }
            let mut matches = Vec::with_capacity(self.segments.len());
            for (segment, places) in self.segments.iter().zip(&word.places) {
                matches.push(match segment {
                    Some(segment) => self.matches(*segment, places, &mut scratch)?,
                    None => Matches::default(),
                });
            }
            let is_held = matches.iter().any(|matches| !matches.is_empty());
            if !is_held {
                let translations = &concepts[word.concept].translations;
                self.value(&mut matches, translations, translated, &mut scratch)?;
            }
            let documents = matches.iter().map(Matches::len).sum();
            if documents > 0 {
                counted.push(Counted { concept: word.concept, matches, documents, is_held });
            }
        }
        Ok(counted)
    }

    /// Adds the documents that hold a translation of a word to those that hold the word itself, and
    /// replaces the tf of all by what the word gives them.
    fn value<'b>(
        &self,
        matches: &mut [Matches],
        translations: &'b [Translation],
        translated: &mut Translated<'b>,
        scratch: &mut Sums,
    ) -> Result<()> {
        for Translation { phrase, .. } in translations {
            if !translated.contains_key(phrase.as_ref()) && translated.len() < MOST_TRANSLATIONS {
                translated.insert(phrase, self.holding(phrase, scratch)?);
            }
        }
        let others = translations.iter().filter_map(|other| {
            let found = translated.get(other.phrase.as_ref())?;
            Some((found, self.shares.of(other)))
        });
        let others: Vec<_> =
            others.filter(|(found, _)| found.iter().any(|matches| !matches.is_empty())).collect();
        let mut greatest = Greatest::default();
        matches.iter().for_each(|own| greatest.add_all(&own.numbers, 1.0));
        for (found, share) in &others {
            found.iter().for_each(|other| greatest.add_all(&other.numbers, *share));
        }
        let fading = PASSING * greatest.least();
        let is_rare = matches.iter().map(Matches::len).sum::<usize>() <= PROMINENT;
        let least = if is_rare { RARE_SHARE * (K1 + 1.0 + DELTA) } else { 0.0 };
        let mut values = Vec::new();
        for (n, own) in matches.iter_mut().enumerate() {
            own.numbers.iter_mut().for_each(|tf| *tf = value_of(*tf, fading).max(least));
            if others.iter().all(|(found, _)| found[n].is_empty()) {
                continue;
            }
            scratch.raise_all(own.iter());
            for (found, share) in &others {
                values.clear();
                values.extend(found[n].numbers.iter().map(|&tf| share * value_of(tf, fading)));
                scratch.raise_all(found[n].documents.iter().copied().zip(values.iter().copied()));
            }
            *own = scratch.take();
        }
        Ok(())
    }

    /// The documents of each segment that hold a translation, and its tf.
    fn holding(&self, phrase: &Phrase, scratch: &mut Sums) -> Result<Vec<Matches>> {
        let matches = self.segments.iter().map(|segment| {
            let Some(segment) = segment else { return Ok(Matches::default()) };
            let mut places = Places::new();
            for part in TRANSLATED_PARTS {
                places.extend(segment.0.locate(part, phrase)?.map(|located| (located, 1.0)));
            }
            self.matches(*segment, &places, scratch)
        });
        matches.collect()
    }

    /// Sums that are large enough for every segment.
    fn scratch(&self) -> Sums {
        let documents = self.segments.iter().flatten().map(|(lexical, _)| lexical.documents());
        Sums::new(documents.max().unwrap_or(0))
    }

    fn is_common(&self, holding: usize) -> bool {
        self.documents >= COMMON_FROM && holding as f32 > COMMON * self.documents as f32
    }

    fn idf(&self, holding: usize) -> f32 {
        let (all, holding) = (self.documents as f32, holding as f32);
        // Of a word that all of ten million documents hold, it must not become 0.
        ((all - holding + 0.5).max(0.5) / (holding + 0.5)).ln_1p()
    }
}

/// What a word gives a document for a weight of 1, by its tf, which is above 0.
fn value_of(tf: f32, fading: f32) -> f32 {
    tf * (K1 + 1.0) / (tf + K1) + DELTA * (1.0 - FADING * fading / (tf + fading))
}

/// Numbers that are compared at once.
const CHECKED: usize = 64;

/// The `PROMINENT` greatest of some numbers above 0, ascending.
#[derive(Default)]
struct Greatest([f32; PROMINENT]);

impl Greatest {
    /// Adds `share` times each of some numbers.
    fn add_all(&mut self, numbers: &[f32], share: f32) {
        for some in numbers.chunks(CHECKED) {
            let least = self.least();
            // Without an end in the middle, several are compared at once.
            if some.iter().fold(false, |any, number| any | (share * number > least)) {
                some.iter().for_each(|number| self.add(share * number));
            }
        }
    }

    fn add(&mut self, number: f32) {
        if number > self.least() {
            let at = self.0.partition_point(|&kept| kept < number);
            self.0.copy_within(1..at, 0);
            self.0[at - 1] = number;
        }
    }

    /// The least of them; 0 if there were fewer.
    fn least(&self) -> f32 {
        self.0[0]
    }
}

/// Scores all documents of a snapshot by the words of a question.
pub fn scores(snapshot: &Snapshot, concepts: &[Concept], shares: Shares) -> Result<Scores> {
    let collection = Collection::of(snapshot, shares)?;
    let documents = |segment: &Option<(&Lexical, _)>| segment.map_or(0, |(lexical, _)| lexical.documents());
    let mut scores = Scores {
        segments: collection.segments.iter().map(|segment| Sums::new(documents(segment))).collect(),
        used: Vec::new(),
        without: collection.segments.iter().filter(|segment| segment.is_none()).count(),
    };
    let chosen = collection.chosen(concepts)?;
    let most =
        |word: &Counted| concepts[word.concept].boost * collection.idf(word.documents) * (K1 + 1.0 + DELTA);
    let greatest: f32 = chosen.iter().map(most).sum();
    for word in &chosen {
        let share = most(word) / greatest;
        let holding = word.matches.iter().map(Matches::len).sum();
        scores.used.push(Used { concept: word.concept, documents: word.documents, holding, share });
        for (sums, matches) in scores.segments.iter_mut().zip(&word.matches) {
            let gain = share / (K1 + 1.0 + DELTA);
            sums.add_all(matches.iter().map(|(document, value)| (document, gain * value)));
        }
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

/// Calls `each` with the documents that hold a concept or a translation of it in some part; with a document several times if
/// several parts hold it.
pub fn holding(lexical: &Lexical, concept: &Concept, mut each: impl FnMut(u32)) -> Result<()> {
    for located in located_of(lexical, concept)? {
        lexical.occurrences(&located, |document, _| each(document))?;
    }
    Ok(())
}

/// Where a segment holds a concept or a translation of it.
fn located_of(lexical: &Lexical, concept: &Concept) -> Result<Vec<Located>> {
    let mut all: Vec<Located> =
        places_of(lexical, concept)?.into_iter().map(|(located, _)| located).collect();
    for translation in &concept.translations {
        for part in TRANSLATED_PARTS {
            all.extend(lexical.locate(part, &translation.phrase)?);
        }
    }
    Ok(all)
}

/// Calls `each` with the documents of a list that hold a concept or a translation of it, and the part that does; with a
/// document several times if it is found in several ways.
pub fn parts_holding(
    lexical: &Lexical,
    concept: &Concept,
    documents: &HashSet<u32>,
    mut each: impl FnMut(u32, Part),
) -> Result<()> {
    for located in located_of(lexical, concept)? {
        let mut of_list = |document, _| {
            if documents.contains(&document) {
                each(document, located.part)
            }
        };
        lexical.occurrences(&located, &mut of_list)?;
    }
    Ok(())
}
