//! The words of a question, and the documents that hold them.

use crate::clauses::Selection;
use crate::errors::{coded, from_core};
use crate::snapshot::{SearchHits, SearchOptions, Snapshot};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::lexical::concept::{whole_words, Alternative, Concept};
use priorart_core::lexical::places::{Place, Sought};
use priorart_core::lexical::question::Questions;
use priorart_core::lexical::score::{parts_holding, scores, Scores, Shares};
use priorart_core::lexical::stream::phrase;
use priorart_core::lexical::terms::Terms;
use priorart_core::lexical::Part;
use priorart_core::search::{beside, Hit, Request};
use priorart_core::shown::ShownScore as Shown;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

thread_local! {
    /// Each thread remembers stems.
    static QUESTIONS: RefCell<Questions> = RefCell::default();
}

/// The table of translations, once for all threads of the process.
static TERMS: OnceLock<Terms> = OnceLock::new();

/// Opens the table of term translations (models/terms), unless it is open.
///
/// Throws `corrupt` and errors of the file system.
#[napi(catch_unwind)]
pub fn open_terms(path: String) -> Result<()> {
    if TERMS.get().is_none() {
        // Another thread may be first.
        let _ = TERMS.set(Terms::open(Path::new(&path)).map_err(from_core)?);
    }
    Ok(())
}

fn terms() -> Result<&'static Terms> {
    TERMS.get().ok_or_else(|| coded("internal", "the table of term translations is not open"))
}

/// What a question is in other languages.
#[napi(object)]
pub struct TranslatedQuestion {
    /// Number of terms of the table that the question has.
    pub terms: u32,
    /// The translations of these terms in Korean, Japanese and Chinese: a text for each language that has any. Characters are
    /// normalised as in the lexical index.
    pub texts: Vec<String>,
}

/// What a question is in other languages, by the table of translations: `openTerms` was called. A question of more terms than
/// `most` is not translated.
#[napi(catch_unwind)]
pub fn translated_question(question: String, most: u32) -> Result<TranslatedQuestion> {
    let terms = terms()?;
    let most = most as usize;
    let found = QUESTIONS.with_borrow_mut(|questions| questions.in_other_languages(terms, &question, most));
    Ok(TranslatedQuestion { terms: found.terms as u32, texts: found.texts })
}

/// A text in pieces, each with the ways to write it: a character of several forms (電, 电) in all of them, the simplified one first;
/// or the characters between two of these, in one way.
#[napi(catch_unwind)]
pub fn spellings(text: String) -> Vec<Vec<String>> {
    priorart_core::lexical::han::spellings(&text)
}

/// A text with the simplified form of each Han character.
#[napi(catch_unwind)]
pub fn simplified(text: String) -> String {
    text.chars().map(priorart_core::lexical::han::simplified).collect()
}

/// A place in a text, in UTF-16 units, that holds a word.
#[napi(object)]
pub struct WordPlace {
    pub from: u32,
    pub to: u32,
    /// Number of the word in its list.
    pub word: u32,
    /// If the text holds a translation: the term of the question.
    pub translation_of: Option<String>,
}

/// A word of a question that documents hold.
#[napi(object)]
pub struct UsedWord {
    /// The word as the question has it.
    pub text: String,
    /// Where the question has it, bytes: the first place.
    pub from: u32,
    pub to: u32,
    /// Number of the word in its list.
    pub word: u32,
    /// Number of documents that hold it, in all languages and before filters.
    pub documents: u32,
    /// Number of documents that hold it or a translation of it.
    pub holding: u32,
    /// The greatest share that it can have in a lexical score.
    pub share: f64,
    /// Whether it is no word by itself: two words beside each other, or an acronym or its stems.
    pub is_extra: bool,
}

/// What the lexical index says about a question.
#[napi(object)]
pub struct WordHits {
    /// Lexical score of each document that the search by vectors found, between 0 and 1.
    pub scores: Float32Array,
    /// Other documents that hold words of the question, of each selection.
    pub others: Vec<HoldingHits>,
    /// The words that were scored.
    pub used: Vec<UsedWord>,
    /// Number of segments without a lexical index.
    pub without: u32,
}

/// Documents of a selection that hold words of a question.
#[napi(object)]
pub struct HoldingHits {
    /// Best lexical score first. Their scores are those of their vectors.
    pub hits: SearchHits,
    /// Lexical score of each of these.
    pub lexical: Float32Array,
}

/// One way in which a document may hold a word.
#[napi(object)]
pub struct WordForm {
    /// A term, or a phrase in the form of `PartTerms`.
    pub terms: String,
    /// Where it is looked for: `names`, `texts` (all other parts) or `all`.
    #[napi(ts_type = "'names' | 'texts' | 'all'")]
    pub place: String,
    /// Share of the word's weight.
    pub weight: f64,
}

/// A word of a question for an index elsewhere.
#[napi(object)]
pub struct WordForms {
    /// The word as the question has it.
    pub text: String,
    /// Where the question has it, bytes: the first place.
    pub from: u32,
    pub to: u32,
    /// Factor on its rarity.
    pub boost: f64,
    /// Whether it is no word by itself: two words beside each other, which are words of the list, too, or an acronym or its stems.
    pub is_extra: bool,
    pub forms: Vec<WordForm>,
    /// Translations and synonyms, each once.
    pub translations: Vec<TranslationForm>,
}

/// How a document may hold a translation of a word.
#[napi(object)]
pub struct TranslationForm {
    /// A term, or a phrase in the form of `PartTerms`.
    pub terms: String,
    /// Whether it translates a long term that the word is in.
    pub is_long: bool,
}

/// Shares of a word's weight that a translation has, from 0 to 1.
#[napi(object)]
pub struct TranslationShares {
    /// A translation of a word.
    pub word: f64,
    /// A translation of a long term that the word is in: of several words, or of four characters of a script without spaces.
    pub long: f64,
}

/// Words and phrases that are looked for as they are written, apart from endings of words in texts; with their
/// translations if wanted.
pub fn concepts_of(phrases: &[String], translate: bool) -> Result<Vec<Concept>> {
    let concept = |phrase: &String| {
        let concept = QUESTIONS.with_borrow_mut(|questions| questions.phrase(phrase));
        let mut concept = concept.ok_or_else(|| {
            let expected = "expected a word or a phrase with a letter or digit";
            coded("invalid_request", format!("{phrase:?} has no word to look for; {expected}"))
        })?;
        if translate {
            let terms = terms()?;
            QUESTIONS.with_borrow_mut(|questions| questions.translate_phrase(terms, phrase, &mut concept));
        }
        Ok(concept)
    };
    phrases.iter().map(concept).collect()
}

/// Words that are looked for in the lexical index.
#[napi]
pub struct Words {
    /// The question that the words are of; `None` if each text is a phrase of its own.
    question: Option<String>,
    texts: Vec<String>,
    sought: Sought,
}

#[napi]
impl Words {
    /// The words of a question, with their translations if wanted: `openTerms` was called.
    #[napi(factory, catch_unwind)]
    pub fn of_question(question: String, translate: bool) -> Result<Self> {
        let mut concepts = QUESTIONS.with_borrow_mut(|questions| questions.concepts(TERMS.get(), &question));
        if translate {
            let terms = terms()?;
            QUESTIONS.with_borrow_mut(|questions| questions.translate(terms, &question, &mut concepts));
        }
        let text = |concept: &Concept| question[concept.from as usize..concept.to as usize].to_owned();
        let texts = concepts.iter().map(text).collect();
        Ok(Words { texts, question: Some(question), sought: Sought::new(concepts) })
    }

    /// Words and phrases that are looked for as they are written, apart from endings of words in texts; or their translations,
    /// if wanted.
    ///
    /// Throws `invalid_request` if one has no letter and no digit.
    #[napi(factory, catch_unwind)]
    pub fn of_phrases(phrases: Vec<String>, translate: bool) -> Result<Self> {
        let sought = Sought::new(concepts_of(&phrases, translate)?);
        Ok(Words { texts: phrases, question: None, sought })
    }

    /// Number of words.
    #[napi(getter)]
    pub fn count(&self) -> u32 {
        self.sought.concepts().len() as u32
    }

    /// Number of words without parts of others, such as pairs of characters of a longer word.
    #[napi(getter)]
    pub fn whole(&self) -> u32 {
        whole_words(self.sought.concepts()) as u32
    }

    /// How documents may hold each word, for an index that was made of `termsOfTexts`.
    #[napi(catch_unwind)]
    pub fn forms(&self) -> Vec<WordForms> {
        let forms = |(concept, text): (&Concept, &String)| {
            let mut translations: Vec<TranslationForm> = Vec::new();
            for translation in &concept.translations {
                let terms = phrase(&translation.phrase);
                match translations.iter_mut().find(|other| other.terms == terms) {
                    Some(other) => other.is_long |= translation.is_long,
                    None => translations.push(TranslationForm { terms, is_long: translation.is_long }),
                }
            }
            let form = |alternative: &Alternative| WordForm {
                terms: phrase(&alternative.phrase),
                place: match alternative.in_names {
                    Some(true) => "names",
                    Some(false) => "texts",
                    None => "all",
                }
                .to_owned(),
                weight: alternative.weight as f64,
            };
            let forms = concept.alternatives.iter().map(form).collect();
            WordForms {
                text: text.clone(),
                from: concept.from,
                to: concept.to,
                boost: concept.boost as f64,
                is_extra: concept.is_extra,
                forms,
                translations,
            }
        };
        self.sought.concepts().iter().zip(&self.texts).map(forms).collect()
    }

    /// The places in a text that hold one of the words or a translation of one, ascending: the first 2,000. Of words with the same
    /// translation, those with the numbers of `used` come first; absent: all.
    #[napi(catch_unwind)]
    pub fn find(&self, text: String, used: Option<Vec<u32>>) -> Vec<WordPlace> {
        let is_used = |word: usize| used.as_ref().is_none_or(|used| used.contains(&(word as u32)));
        let places =
            QUESTIONS.with_borrow_mut(|questions| questions.find(&text, &self.sought, TERMS.get(), is_used));
        if places.is_empty() {
            return Vec::new();
        }
        let units = units_before(&text);
        let source = |word: usize| self.question.as_ref().unwrap_or(&self.texts[word]);
        let place = |place: Place| WordPlace {
            from: units[place.from as usize],
            to: units[place.to as usize],
            word: place.concept as u32,
            translation_of: place
                .translates
                .map(|(from, to)| source(place.concept)[from as usize..to as usize].to_owned()),
        };
        places.into_iter().map(place).collect()
    }
}

/// The number of UTF-16 units before each byte of a text, and before its end.
fn units_before(text: &str) -> Vec<u32> {
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut before = 0;
    for c in text.chars() {
        units.resize(units.len() + c.len_utf8(), before);
        before += c.len_utf16() as u32;
    }
    units.push(before);
    units
}

#[napi]
impl Snapshot {
    /// Whether a segment has a lexical index of this version of the analysis.
    #[napi(catch_unwind)]
    pub fn has_words(&self, segment: u32) -> Result<bool> {
        self.at(segment)?.0.has_lexical().map_err(from_core)
    }

    /// The parts of documents that hold each of some words or a translation of it: a byte for each word of the first
    /// document, then of the second and so on. Its bits, from the lowest: names, title, claims, abstract or description.
    #[napi(catch_unwind)]
    pub fn parts_holding(&self, words: &Words, docs: Uint32Array) -> Result<Uint8Array> {
        let mut places: HashMap<(usize, u32), Vec<usize>> = HashMap::new();
        for (n, &id) in docs.iter().enumerate() {
            let place = self.place(id).ok_or_else(|| coded("internal", format!("no document {id}")))?;
            places.entry((place.0, place.1 as u32)).or_default().push(n);
        }
        let count = words.sought.concepts().len();
        let mut parts = vec![0u8; docs.len() * count];
        for (segment, (file, _)) in self.0.segments.iter().enumerate() {
            let wanted: HashSet<u32> =
                places.keys().filter(|place| place.0 == segment).map(|place| place.1).collect();
            let Some(lexical) = file.lexical().map_err(from_core)?.filter(|_| !wanted.is_empty()) else {
                continue;
            };
            for (word, concept) in words.sought.concepts().iter().enumerate() {
                let each = |ordinal: u32, part: Part| {
                    for n in &places[&(segment, ordinal)] {
                        parts[n * count + word] |= 1 << part as u8;
                    }
                };
                parts_holding(lexical, concept, &wanted, each).map_err(from_core)?;
            }
        }
        Ok(parts.into())
    }

    /// Lexical scores of documents that a search found, and other documents with high ones.
    /// `options.documents` is a number of each selection. The scores are computed once for all selections.
    #[napi(catch_unwind)]
    pub fn search_words(
        &self,
        words: &Words,
        translated: TranslationShares,
        query: Float32Array,
        selections: Vec<ClassInstance<Selection>>,
        found: Uint32Array,
        options: SearchOptions,
    ) -> Result<WordHits> {
        let shares = Shares { word: translated.word as f32, long: translated.long as f32 };
        let scores = scores(&self.0, words.sought.concepts(), shares).map_err(from_core)?;
        let used = scores.used.iter().map(|used| UsedWord {
            text: words.texts[used.concept].clone(),
            from: words.sought.concepts()[used.concept].from,
            to: words.sought.concepts()[used.concept].to,
            word: used.concept as u32,
            documents: used.documents as u32,
            holding: used.holding as u32,
            share: used.share as f64,
            is_extra: words.sought.concepts()[used.concept].is_extra,
        });
        let used = used.collect();
        Ok(WordHits { used, ..self.word_hits(&scores, &query, &selections, &found, &options)? })
    }

    /// Like `searchWords`, with lexical scores that were computed elsewhere: those above 0 of some documents. Without `used`.
    #[napi(catch_unwind)]
    pub fn search_scored_words(
        &self,
        docs: Uint32Array,
        scores: Float32Array,
        query: Float32Array,
        selections: Vec<ClassInstance<Selection>>,
        found: Uint32Array,
        options: SearchOptions,
    ) -> Result<WordHits> {
        let places = docs.iter().map(|&id| self.known_place(id)).collect::<Result<Vec<_>>>()?;
        let scores = Scores::given(&self.0, places.into_iter().zip(scores.iter().copied()));
        self.word_hits(&scores, &query, &selections, &found, &options)
    }
}

impl Snapshot {
    /// The hits of lexical scores, without the words.
    fn word_hits(
        &self,
        scores: &Scores,
        query: &[f32],
        selections: &[ClassInstance<Selection>],
        found: &[u32],
        options: &SearchOptions,
    ) -> Result<WordHits> {
        let request = Request {
            query,
            documents: options.documents as usize,
            chunks: options.chunks as usize,
            dedupe: options.dedupe,
            min_score: options.min_score as f32,
            by_family: options.family == Some(true),
            shown: options.shown.as_ref().map(Shown::from),
        };
        let known = found.iter().map(|&id| self.known_place(id)).collect::<Result<Vec<_>>>()?;
        let exact = options.exact == Some(true);
        let score = |(segment, ordinal): (usize, usize)| {
            scores.segments[segment].values().get(ordinal).copied().unwrap_or(0.0)
        };
        let of_hit = |hit: &Hit| score((hit.segment as usize, hit.ordinal as usize));
        let holding = |selection: &ClassInstance<Selection>| {
            self.check(selection.0.len(), query.len())?;
            let others = beside(&self.0, &selection.0, scores, &known, &request, exact).map_err(from_core)?;
            Ok(HoldingHits {
                lexical: others.hits.iter().map(of_hit).collect::<Vec<f32>>().into(),
                hits: self.hits(&others, &others.hits, &request),
            })
        };
        Ok(WordHits {
            scores: known.iter().map(|&place| score(place)).collect::<Vec<f32>>().into(),
            others: selections.iter().map(holding).collect::<Result<Vec<_>>>()?,
            used: Vec::new(),
            without: scores.without as u32,
        })
    }
}
