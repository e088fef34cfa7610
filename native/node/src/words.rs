//! The words of a question, and the documents that hold them.

use crate::errors::{coded, from_core};
use crate::snapshot::{SearchHits, SearchOptions, Selection, Snapshot};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::lexical::question::{Concept, Questions};
use priorart_core::lexical::score::scores;
use priorart_core::search::{beside, prefer, Hit, Outcome, Request};
use priorart_core::shown::ShownScore as Shown;
use std::cell::RefCell;

thread_local! {
    /// Each thread remembers stems.
    static QUESTIONS: RefCell<Questions> = RefCell::default();
}

/// A place in a text, in UTF-16 units, that holds a word.
#[napi(object)]
pub struct WordPlace {
    pub from: u32,
    pub to: u32,
    /// Number of the word in its list.
    pub word: u32,
}

/// A word of a question that documents hold.
#[napi(object)]
pub struct UsedWord {
    /// The word as the question has it.
    pub text: String,
    /// Number of the word in its list.
    pub word: u32,
    /// Number of documents that hold it, in all languages and before filters.
    pub documents: u32,
    /// The greatest share that it can have in a lexical score.
    pub share: f64,
}

/// What the lexical index says about a question.
#[napi(object)]
pub struct WordHits {
    /// Lexical score of each document that the search by vectors found, between 0 and 1.
    pub scores: Float32Array,
    /// Other documents that hold words of the question, best lexical score first. Their scores are those of their
    /// vectors.
    pub others: SearchHits,
    /// Lexical score of each of these.
    pub other_scores: Float32Array,
    /// The words that were scored.
    pub used: Vec<UsedWord>,
    /// Number of segments without a lexical index.
    pub without: u32,
}

/// Words and phrases that are looked for as they are written, apart from endings of words.
pub fn concepts_of(phrases: &[String]) -> Result<Vec<Concept>> {
    let concept = |phrase: &String| {
        let concept = QUESTIONS.with_borrow_mut(|questions| questions.phrase(phrase));
        concept.ok_or_else(|| {
            let expected = "expected a word or a phrase with a letter or digit";
            coded("invalid_request", format!("{phrase:?} has no word to look for; {expected}"))
        })
    };
    phrases.iter().map(concept).collect()
}

/// Words that are looked for in the lexical index.
#[napi]
pub struct Words {
    texts: Vec<String>,
    concepts: Vec<Concept>,
}

#[napi]
impl Words {
    /// The words of a question.
    #[napi(factory, catch_unwind)]
    pub fn of_question(question: String) -> Self {
        let concepts = QUESTIONS.with_borrow_mut(|questions| questions.concepts(&question));
        let text = |concept: &Concept| question[concept.from as usize..concept.to as usize].to_owned();
        Words { texts: concepts.iter().map(text).collect(), concepts }
    }

    /// Words and phrases that are looked for as they are written, apart from endings of words.
    ///
    /// Throws `invalid_request` if one has no letter and no digit.
    #[napi(factory, catch_unwind)]
    pub fn of_phrases(phrases: Vec<String>) -> Result<Self> {
        let concepts = concepts_of(&phrases)?;
        Ok(Words { texts: phrases, concepts })
    }

    /// Number of words.
    #[napi(getter)]
    pub fn count(&self) -> u32 {
        self.concepts.len() as u32
    }

    /// The places in a text that hold one of the words, ascending.
    #[napi(catch_unwind)]
    pub fn find(&self, text: String) -> Vec<WordPlace> {
        let places = QUESTIONS.with_borrow_mut(|questions| questions.find(&text, &self.concepts));
        let units = |bytes: u32| text[..bytes as usize].encode_utf16().count() as u32;
        let place = |(from, to, word): (u32, u32, usize)| WordPlace {
            from: units(from),
            to: units(to),
            word: word as u32,
        };
        places.into_iter().map(place).collect()
    }
}

#[napi]
impl Snapshot {
    /// Whether a segment has a lexical index of this version of the analysis.
    #[napi(catch_unwind)]
    pub fn has_words(&self, segment: u32) -> Result<bool> {
        self.at(segment)?.0.has_lexical().map_err(from_core)
    }

    /// Lexical scores of documents that a search found, and other documents with high ones.
    #[napi(catch_unwind)]
    pub fn search_words(
        &self,
        words: &Words,
        query: Float32Array,
        selection: &Selection,
        found: Uint32Array,
        options: SearchOptions,
    ) -> Result<WordHits> {
        self.check(selection.0.len(), query.len())?;
        let request = Request {
            query: &query,
            documents: options.documents as usize,
            chunks: options.chunks as usize,
            dedupe: options.dedupe,
            min_score: options.min_score as f32,
            by_family: options.family == Some(true),
            shown: options.shown.as_ref().map(Shown::from),
        };
        let scores = scores(&self.0, &words.concepts).map_err(from_core)?;
        let place = |&id: &u32| self.place(id).ok_or_else(|| coded("internal", format!("no document {id}")));
        let known = found.iter().map(place).collect::<Result<Vec<(usize, usize)>>>()?;
        let mut others = beside(&self.0, &selection.0, &scores, &known, &request).map_err(from_core)?;
        if let Some(countries) = &options.prefer {
            prefer(&self.0, &selection.0, &request, countries, &mut others).map_err(from_core)?;
        }
        let score = |(segment, ordinal): (usize, usize)| {
            scores.segments[segment].get(ordinal).copied().unwrap_or(0.0)
        };
        let of_hit = |hit: &Hit| score((hit.segment as usize, hit.ordinal as usize));
        let used = scores.used.iter().map(|used| UsedWord {
            text: words.texts[used.concept].clone(),
            word: used.concept as u32,
            documents: used.documents as u32,
            share: used.share as f64,
        });
        Ok(WordHits {
            scores: known.iter().map(|&place| score(place)).collect::<Vec<f32>>().into(),
            other_scores: others.iter().map(of_hit).collect::<Vec<f32>>().into(),
            others: self.hits(&Outcome::default(), &others, &request),
            used: used.collect(),
            without: scores.without as u32,
        })
    }
}
