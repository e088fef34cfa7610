//! The static model: converts texts to vectors and ids.

use crate::errors::{coded, from_core};
use crate::open_files::OpenFiles;
use crate::segments::TokenBags;
use crate::snapshot::Snapshot;
use crate::text::{LateInteractionScores, RerankDocument};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::bags::NewBags;
use priorart_core::late::bag::Bagger;
use priorart_core::late::pieces::{scores, Candidate, Desk, Fit};
use priorart_core::late::{Mixture, Share};
use priorart_core::static_model::{Reader, Scratch, StaticModel as Core};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// All models that are open in this process.
static OPEN: LazyLock<OpenFiles<Core>> = LazyLock::new(Default::default);

/// Number of static models that are open in this process, over all threads.
#[napi]
pub fn open_static_models() -> u32 {
    OPEN.count() as u32
}

/// Ids of the model's pieces in several texts.
#[napi(object)]
pub struct Tokenized {
    pub ids: Uint32Array,
    /// Text i has `ids[offsets[i] .. offsets[i + 1]]`.
    pub offsets: Uint32Array,
}

/// Vectors and token bags of a document.
#[napi(object)]
pub struct EmbeddedDocument {
    /// Rows × dimensions: one row for each passage and, as the last one, one for the titles.
    pub vectors: Float32Array,
    pub bags: TokenBags,
}

/// A static model's file, mapped once a process.
#[napi]
pub struct StaticModel {
    model: Option<Arc<Core>>,
    scratch: Scratch,
    bagger: Bagger,
    desk: Desk,
}

#[napi]
impl StaticModel {
    /// Opens a model file.
    #[napi(constructor, catch_unwind)]
    pub fn new(path: String) -> Result<Self> {
        Ok(StaticModel {
            model: Some(OPEN.open(Path::new(&path), |path| Core::open(path).map_err(from_core))?),
            scratch: Scratch::default(),
            bagger: Bagger::default(),
            desk: Desk::default(),
        })
    }

    fn model(&self) -> Result<Arc<Core>> {
        self.model.clone().ok_or_else(|| coded("internal", "the model is closed"))
    }

    /// Components of a vector.
    #[napi(getter)]
    pub fn dimensions(&self) -> Result<u32> {
        Ok(self.model()?.dimensions() as u32)
    }

    /// Identifies its token bags.
    #[napi(getter)]
    pub fn bags_model(&self) -> Result<String> {
        Ok(self.model()?.bags_name())
    }

    /// The model's description of itself, JSON.
    #[napi(getter)]
    pub fn config(&self) -> Result<String> {
        Ok(self.model()?.config().to_owned())
    }

    /// Texts × dimensions, each row of length 1; the row of a text without pieces is 0.
    #[napi(catch_unwind)]
    pub fn embed(&mut self, texts: Vec<String>) -> Result<Float32Array> {
        let model = self.model()?;
        let (reader, mut ids) = (model.reader(), Vec::new());
        let mut out = vec![0f32; texts.len() * model.dimensions()];
        for (text, row) in texts.iter().zip(out.chunks_exact_mut(model.dimensions())) {
            reader.embed(text, &mut self.scratch, &mut ids, row);
        }
        Ok(out.into())
    }

    /// Mean of the `count` largest inner products of a vector with the model's cohort; 0 if it has none.
    #[napi(catch_unwind)]
    pub fn nearness(&self, vector: Float32Array, count: u32) -> Result<f64> {
        Ok(self.model()?.nearness(&vector, count as usize) as f64)
    }

    /// Pieces of texts.
    #[napi(catch_unwind)]
    pub fn tokenize(&mut self, texts: Vec<String>) -> Result<Tokenized> {
        let model = self.model()?;
        let (reader, mut ids, mut offsets) = (model.reader(), Vec::new(), vec![0u32]);
        for text in &texts {
            reader.ids(text, &mut self.scratch, &mut ids);
            offsets.push(ids.len() as u32);
        }
        Ok(Tokenized { ids: ids.into(), offsets: offsets.into() })
    }

    /// The token bags of a document.
    #[napi(catch_unwind)]
    pub fn bags(&mut self, texts: DocumentTexts) -> Result<TokenBags> {
        let model = self.model()?;
        let (reader, mut bags) = (model.reader(), Bags::new(&texts));
        for text in texts.all() {
            self.bagger.push(&reader, text, &mut bags.bytes);
            bags.end();
        }
        Ok(bags.of_model(&model))
    }

    /// Vectors and token bags of a document, in one pass over the texts.
    #[napi(catch_unwind)]
    pub fn embed_document(&mut self, texts: DocumentTexts) -> Result<EmbeddedDocument> {
        let model = self.model()?;
        let (reader, mut bags) = (model.reader(), Bags::new(&texts));
        let mut vectors = vec![0f32; (texts.passages.len() + 1) * model.dimensions()];
        let mut rows: Vec<&mut [f32]> = vectors.chunks_exact_mut(model.dimensions()).collect();
        // The titles' bag comes first, their vector last.
        rows.rotate_right(1);
        for (text, row) in texts.all().zip(rows) {
            self.bagger.embed(&reader, text, row, &mut bags.bytes);
            bags.end();
        }
        Ok(EmbeddedDocument { vectors: vectors.into(), bags: bags.of_model(&model) })
    }

    /// Late-interaction scores by the model's pieces. Only their order has a meaning.
    #[napi(catch_unwind)]
    pub fn late_interaction(
        &mut self,
        query: String,
        documents: Vec<RerankDocument>,
        fit: RerankFit,
    ) -> Result<LateInteractionScores> {
        let model = self.model()?;
        let reader = model.reader();
        let bags: Vec<TextBags> =
            documents.iter().map(|d| TextBags::of(d, &reader, &mut self.bagger)).collect();
        self.score(&reader, &query, &bags.iter().map(TextBags::candidate).collect::<Vec<_>>(), &fit.into())
    }

    /// Late-interaction scores of the documents that a search found, from the bags in their segments. `texts` are those
    /// of the documents that `withoutBags` returns, in its order.
    #[napi(catch_unwind)]
    pub fn late_interaction_found(
        &mut self,
        query: String,
        snapshot: &Snapshot,
        found: FoundPassages,
        texts: Vec<RerankDocument>,
        fit: RerankFit,
    ) -> Result<LateInteractionScores> {
        let model = self.model()?;
        let reader = model.reader();
        let bags: Vec<TextBags> = texts.iter().map(|d| TextBags::of(d, &reader, &mut self.bagger)).collect();
        let (mut made, own) = (bags.iter(), model.bags_name());
        let mut candidates = Vec::with_capacity(found.docs.len());
        for (&id, ends) in found.docs.iter().zip(found.passage_at.windows(2)) {
            let stored = match snapshot.find(id) {
                Some((segment, ordinal)) => segment.bags_of(ordinal, &own).map_err(from_core)?,
                None => None,
            };
            let candidate = match stored {
                Some(bags) => {
                    let passages = found.passages.get(ends[0] as usize..ends[1] as usize).unwrap_or(&[]);
                    let candidate = || {
                        Some(Candidate {
                            title: bags.title()?,
                            summary: bags.summary()?,
                            passages: passages
                                .iter()
                                .map(|&n| bags.passage(n as usize))
                                .collect::<Option<_>>()?,
                        })
                    };
                    candidate().ok_or_else(damaged)?
                }
                None => made
                    .next()
                    .map(TextBags::candidate)
                    .ok_or_else(|| coded("internal", format!("document {id} has neither bags nor texts")))?,
            };
            candidates.push(candidate);
        }
        self.score(&reader, &query, &candidates, &fit.into())
    }

    /// Closes the file at once instead of at garbage collection.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.model = None;
        self.desk = Desk::default();
    }
}

impl StaticModel {
    fn score(
        &mut self,
        reader: &Reader,
        query: &str,
        candidates: &[Candidate],
        fit: &Fit,
    ) -> Result<LateInteractionScores> {
        let found = scores(reader, query, candidates, fit, &mut self.desk).ok_or_else(damaged)?;
        Ok(LateInteractionScores { documents: found.documents.into(), passages: found.passages.into() })
    }
}

fn damaged() -> Error {
    coded("data_corrupt", "the token bags of a segment are damaged; run `priorart check --repair`")
}

/// Weights of one kind of text of a patent.
#[napi(object)]
pub struct RerankShare {
    /// Weight of the best matches of the query's pieces in the text.
    pub partners: f64,
    /// Weight of the cosine of query and text.
    pub cosine: f64,
}

/// Weights of the texts of a patent.
#[napi(object)]
pub struct RerankFit {
    pub passage: RerankShare,
    pub title: RerankShare,
    #[napi(js_name = "abstract")]
    pub summary: RerankShare,
    /// Exponent of the IDF by which a piece of the query is weighted.
    pub rarity: f64,
}

impl From<RerankFit> for Fit {
    fn from(fit: RerankFit) -> Self {
        let share =
            |share: RerankShare| Share { partners: share.partners as f32, cosine: share.cosine as f32 };
        let (passage, title, summary) = (share(fit.passage), share(fit.title), share(fit.summary));
        Fit { mixture: Mixture { passage, title, summary }, rarity: fit.rarity as f32 }
    }
}

/// The searched texts of a document.
#[napi(object)]
pub struct DocumentTexts {
    /// The titles in all languages, one per line.
    pub title: String,
    pub passages: Vec<String>,
    /// Whether the first passage is the abstract.
    pub first_is_abstract: bool,
}

impl DocumentTexts {
    fn all(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.title).chain(&self.passages).map(String::as_str)
    }
}

/// Passages that a search found, as in `SearchHits`.
#[napi(object)]
pub struct FoundPassages {
    pub docs: Uint32Array,
    pub passage_at: Uint32Array,
    pub passages: Uint32Array,
}

/// Bags in the order and form of a segment.
struct Bags {
    bytes: Vec<u8>,
    lengths: Vec<u16>,
    ended: usize,
}

impl Bags {
    fn new(texts: &DocumentTexts) -> Self {
        let bytes = vec![NewBags::head(texts.first_is_abstract)];
        Bags { ended: bytes.len(), bytes, lengths: Vec::with_capacity(1 + texts.passages.len()) }
    }

    /// Ends a bag at the current position.
    fn end(&mut self) {
        self.lengths.push((self.bytes.len() - self.ended) as u16);
        self.ended = self.bytes.len();
    }

    fn of_model(self, model: &Core) -> TokenBags {
        TokenBags { model: model.bags_name(), bytes: self.bytes.into(), lengths: self.lengths.into() }
    }
}

/// Bags of a document's texts for one request.
struct TextBags {
    title: Vec<u8>,
    summary: Vec<u8>,
    passages: Vec<Vec<u8>>,
}

impl TextBags {
    fn of(document: &RerankDocument, model: &Reader, bagger: &mut Bagger) -> Self {
        let mut bag = |text: &str| {
            let mut out = Vec::new();
            bagger.push(model, text, &mut out);
            out
        };
        TextBags {
            title: bag(&document.title),
            summary: bag(&document.summary),
            passages: document.passages.iter().map(|text| bag(text)).collect(),
        }
    }

    fn candidate(&self) -> Candidate<'_> {
        let passages = self.passages.iter().map(Vec::as_slice).collect();
        Candidate { title: &self.title, summary: &self.summary, passages }
    }
}
