//! Writes segments and merges them.

use crate::background::{in_background, Niceness};
use crate::errors::{caught, coded, from_core};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::bags::NewBags;
use priorart_core::bitmap::Bitmap;
use priorart_core::lexical::analysis::{Analyser, Language};
use priorart_core::lexical::score;
use priorart_core::lexical::stream::{streams, PartStream};
use priorart_core::lexical::write::Texts;
use priorart_core::lexical::Part;
use priorart_core::segment::{merge, ColumnKind, ColumnSpec, NewDocument, Segment, SegmentBuilder, Value};
use std::cell::RefCell;
use std::path::PathBuf;

/// A filter column of a new segment.
#[napi(object)]
pub struct NewSegmentColumn {
    pub name: String,
    #[napi(ts_type = "'keyword' | 'date'")]
    pub kind: String,
}

/// A document to write to a segment.
#[napi(object)]
pub struct NewSegmentDocument {
    pub id: u32,
    pub patent_id: String,
    /// The link that an application and its grant share; empty: none.
    pub application: String,
    /// Whether it is a granted patent.
    pub grant: bool,
    /// Passages × dimensions.
    pub vectors: Float32Array,
    /// Token bags for late interaction. Absent: it reads the texts.
    #[napi(ts_type = "TokenBags | undefined")]
    pub bags: Option<TokenBags>,
    /// Texts for the lexical index. Absent: the segment gets none.
    pub texts: Option<Vec<LexicalText>>,
    /// Terms of each keyword column, in the order of the columns.
    pub terms: Vec<Vec<String>>,
    /// For each keyword column the spellings to show, one for each term; empty if the spelling is the term.
    pub labels: Vec<Vec<String>>,
    /// Days since 1970-01-01 of each date column; the smallest i32 if the date is missing.
    pub days: Int32Array,
}

/// A text for the lexical index.
#[napi(object)]
pub struct LexicalText {
    /// The part of the document that holds it.
    #[napi(ts_type = "'names' | 'title' | 'claims' | 'text'")]
    pub part: String,
    /// ISO 639-1 language, which decides the stems of its words; empty if it is unknown.
    pub language: String,
    pub text: String,
}

impl LexicalText {
    fn part(&self) -> Result<Part> {
        match self.part.as_str() {
            "names" => Ok(Part::Names),
            "title" => Ok(Part::Title),
            "claims" => Ok(Part::Claims),
            "text" => Ok(Part::Text),
            other => Err(coded("invalid_request", format!("unknown part {other}"))),
        }
    }
}

/// The terms of one part of a document, for an index elsewhere. Positions are parted by spaces, terms of one position by
/// U+0003; U+0004 is a position without a term.
#[napi(object)]
pub struct PartTerms {
    #[napi(ts_type = "'names' | 'title' | 'claims' | 'text'")]
    pub part: String,
    pub terms: String,
    /// Length by which scores divide.
    pub length: u32,
}

thread_local! {
    /// Each thread remembers stems.
    static ANALYSER: RefCell<Analyser> = RefCell::default();
}

/// The terms that the lexical index of a segment has for a document's texts: of all four parts.
#[napi(catch_unwind)]
pub fn terms_of_texts(texts: Vec<LexicalText>) -> Result<Vec<PartTerms>> {
    let text = |text: &LexicalText| Ok((text.part()?, Language::of_code(&text.language)));
    let kinds = texts.iter().map(text).collect::<Result<Vec<_>>>()?;
    let texts: Vec<_> = kinds
        .into_iter()
        .zip(&texts)
        .map(|((part, language), text)| (part, language, text.text.as_str()))
        .collect();
    let streams = ANALYSER.with_borrow_mut(|analyser| streams(analyser, &texts));
    let part = |(part, stream): (Part, PartStream)| PartTerms {
        part: part.name().to_owned(),
        terms: stream.terms,
        length: stream.length,
    };
    Ok(Part::ALL.into_iter().zip(streams).map(part).collect())
}

/// How the lexical score weighs a part.
#[napi(object)]
pub struct PartFit {
    #[napi(ts_type = "'names' | 'title' | 'claims' | 'text'")]
    pub part: String,
    pub weight: f64,
    /// How much its length counts, from 0 to 1.
    pub length: f64,
    /// Whether translations are looked for in it.
    pub translated: bool,
}

/// The numbers of the lexical score (native/core/src/lexical/score.rs), for an index elsewhere.
#[napi(object)]
pub struct LexicalFit {
    pub k1: f64,
    pub delta: f64,
    /// Share of `delta` that fades.
    pub fading: f64,
    /// tf, as a share of the one with the number `prominent`, at which half of it is left.
    pub passing: f64,
    pub prominent: u32,
    /// Share of the greatest for a word that each document gets at least if at most `prominent` hold the word itself.
    pub rare_share: f64,
    pub parts: Vec<PartFit>,
    /// Words that are scored, at most.
    pub most_words: u32,
    /// Translations that are looked for, at most.
    pub most_translations: u32,
    /// A word that more than this share of the documents hold is common, if there are `commonFrom` documents.
    pub common: f64,
    pub common_from: u32,
}

/// The numbers of the lexical score.
#[napi]
pub fn lexical_fit() -> LexicalFit {
    let part = |part: Part| {
        let (weight, length) = score::fit(part);
        PartFit {
            part: part.name().to_owned(),
            weight: weight as f64,
            length: length as f64,
            translated: score::TRANSLATED_PARTS.contains(&part),
        }
    };
    LexicalFit {
        k1: score::K1 as f64,
        delta: score::DELTA as f64,
        fading: score::FADING as f64,
        passing: score::PASSING as f64,
        prominent: score::PROMINENT as u32,
        rare_share: score::RARE_SHARE as f64,
        parts: Part::ALL.map(part).into(),
        most_words: score::MOST_CONCEPTS as u32,
        most_translations: score::MOST_TRANSLATIONS as u32,
        common: score::COMMON as f64,
        common_from: score::COMMON_FROM as u32,
    }
}

/// The pieces of a model in a document's titles and passages. native/core/src/late/bag.rs defines the bytes.
#[napi(object)]
pub struct TokenBags {
    /// Name of the model. Bags of another model are not used.
    pub model: String,
    pub bytes: Uint8Array,
    /// Lengths of the titles' bag and of each passage's bag, bytes.
    pub lengths: Uint16Array,
}

/// A segment file that was written.
#[napi(object)]
pub struct WrittenSegment {
    /// Number of documents.
    pub docs: u32,
    /// Number of passages.
    pub passages: u32,
    /// Size of the file, bytes.
    pub bytes: f64,
}

pub fn specs_of(columns: &[NewSegmentColumn]) -> Result<Vec<ColumnSpec>> {
    columns
        .iter()
        .map(|column| {
            let kind = match column.kind.as_str() {
                "keyword" => ColumnKind::Keyword,
                "date" => ColumnKind::Date,
                other => return Err(coded("invalid_request", format!("unknown column kind {other}"))),
            };
            Ok(ColumnSpec { name: column.name.clone(), kind })
        })
        .collect()
}

/// Writes a segment file, document after document.
#[napi]
pub struct SegmentWriter {
    builder: Option<Box<SegmentBuilder>>,
    specs: Vec<ColumnSpec>,
}

#[napi]
impl SegmentWriter {
    /// `dimensions`: components of a vector. The file appears at `path` when it is finished. `sketches`: whether it has
    /// sketches; it is scanned exactly without them. Default: true.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        path: String,
        dimensions: u32,
        columns: Vec<NewSegmentColumn>,
        sketches: Option<bool>,
    ) -> Result<Self> {
        let specs = specs_of(&columns)?;
        let builder = SegmentBuilder::create(&PathBuf::from(path), dimensions as usize, specs.clone())
            .map_err(from_core)?;
        let builder = if sketches == Some(false) { builder.without_sketches() } else { builder };
        Ok(SegmentWriter { builder: Some(Box::new(builder)), specs })
    }

    /// Adds a document. Ids must ascend. If it fails, nothing of the segment is left.
    #[napi(catch_unwind)]
    pub fn push(&mut self, doc: NewSegmentDocument) -> Result<()> {
        let mut builder = self.taken()?;
        self.add(&mut builder, doc)?;
        self.builder = Some(builder);
        Ok(())
    }

    /// Gives up the segment: removes its unfinished file. Does nothing after `finish`.
    #[napi(catch_unwind)]
    pub fn discard(&mut self) {
        self.builder = None;
    }

    /// The builder. Until it is put back, it is dropped if something fails, and not only when the garbage collector
    /// finds the writer.
    fn taken(&mut self) -> Result<Box<SegmentBuilder>> {
        self.builder.take().ok_or_else(|| coded("internal", "the segment is finished or was given up"))
    }

    fn add(&self, builder: &mut SegmentBuilder, doc: NewSegmentDocument) -> Result<()> {
        let (mut keywords, mut days) = (doc.terms.iter().zip(&doc.labels), doc.days.iter());
        let mut values = Vec::with_capacity(self.specs.len());
        for spec in &self.specs {
            let missing = || coded("invalid_request", format!("no value for column {}", spec.name));
            values.push(match spec.kind {
                ColumnKind::Date => Value::Day(*days.next().ok_or_else(missing)?),
                ColumnKind::Keyword => {
                    let (terms, labels) = keywords.next().ok_or_else(missing)?;
                    let label = |n: usize| labels.get(n).unwrap_or(&terms[n]).as_str();
                    Value::Keywords(
                        terms.iter().enumerate().map(|(n, term)| (term.as_str(), label(n))).collect(),
                    )
                }
            });
        }
        let texts = doc.texts.as_ref().map(|texts| {
            let text = |text: &'_ LexicalText| Ok((text.part()?, Language::of_code(&text.language)));
            texts.iter().map(text).collect::<Result<Vec<(Part, Language)>>>()
        });
        let texts = texts.transpose()?.map(|kinds| {
            let texts = doc.texts.iter().flatten();
            kinds.into_iter().zip(texts).map(|((part, language), text)| (part, language, text.text.as_str()))
        });
        let texts: Option<Vec<_>> = texts.map(Iterator::collect);
        let new = NewDocument {
            id: doc.id,
            patent_id: &doc.patent_id,
            application: &doc.application,
            grant: doc.grant,
            vectors: &doc.vectors,
            bags: doc.bags.as_ref().map(|bags| NewBags {
                model: &bags.model,
                bytes: &bags.bytes,
                lengths: &bags.lengths,
            }),
            texts: texts.as_deref().map(|texts| Texts { texts }),
        };
        builder.push(&new, &values).map_err(from_core)
    }

    /// Writes the columns, syncs the file and renames it into place.
    #[napi(catch_unwind)]
    pub fn finish(&mut self) -> Result<WrittenSegment> {
        let builder = self.taken()?;
        let (docs, passages) = (builder.docs() as u32, builder.passages() as u32);
        let bytes = builder.finish().map_err(from_core)? as f64;
        Ok(WrittenSegment { docs, passages, bytes })
    }
}

/// A segment to merge.
#[napi(object)]
pub struct MergeInput {
    /// The segment file.
    pub path: String,
    /// Document ids deleted since the segment was written.
    pub deleted: Uint32Array,
}

pub struct Merge {
    inputs: Vec<(PathBuf, Vec<u32>)>,
    out: PathBuf,
}

impl Merge {
    fn run(&self) -> Result<WrittenSegment> {
        let mut opened = Vec::new();
        for (path, ids) in &self.inputs {
            let segment = Segment::open(path).map_err(from_core)?;
            let deleted = deleted_of(&segment, ids);
            opened.push((segment, deleted));
        }
        let inputs: Vec<(&Segment, &Bitmap)> = opened.iter().map(|(s, d)| (s, d)).collect();
        let (docs, passages, bytes) = merge(&inputs, &self.out).map_err(from_core)?;
        Ok(WrittenSegment { docs: docs as u32, passages: passages as u32, bytes: bytes as f64 })
    }
}

#[napi]
impl Task for Merge {
    type Output = WrittenSegment;
    type JsValue = WrittenSegment;
    fn compute(&mut self) -> Result<WrittenSegment> {
        caught(|| in_background(Niceness::Merge, || self.run()))
    }
    fn resolve(&mut self, _: Env, written: WrittenSegment) -> Result<WrittenSegment> {
        Ok(written)
    }
}

/// Ordinals of deleted documents. Ids of other segments are ignored.
pub fn deleted_of(segment: &Segment, ids: &[u32]) -> Bitmap {
    let mut deleted = Bitmap::empty(segment.docs());
    for &id in ids {
        if let Some(ordinal) = segment.ordinal_of_id(id) {
            deleted.insert(ordinal);
        }
    }
    deleted
}

/// Writes the segment `out` from several neighbours, without their deleted documents, on a background thread.
#[napi]
pub fn merge_segments(inputs: Vec<MergeInput>, out: String) -> AsyncTask<Merge> {
    let inputs = inputs.into_iter().map(|input| (input.path.into(), input.deleted.to_vec())).collect();
    AsyncTask::new(Merge { inputs, out: out.into() })
}
