//! A snapshot: a fixed set of segments, searched in one call.

use crate::clauses::{clauses_of, FilterClause, Selection};
use crate::errors::{coded, from_core};
use crate::opened::{open_shared, SegmentPath};
use crate::recall::{CheckRecall, RecallCheck};
use crate::segments::deleted_of;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::search::{
    members, preferred, sample, sample_above, search, Deviations, Hit, Outcome, Passing, Request, Scan,
    Snapshot as Core,
};
use priorart_core::segment::{Effort, Segment};
use priorart_core::shown::ShownScore as Shown;
use std::sync::Arc;

/// How one segment is searched. `deviations`: by the sketches of its documents. `nprobe` or `efSearch`: by its index. `codes`:
/// by a full PQ scan. Without any of these, every allowed passage is scored.
#[napi(object)]
pub struct SegmentScan {
    /// Standard deviations above the score of a document's mean at which the bound on its score lies, if it has one passage.
    pub deviations: Option<f64>,
    /// If it has n passages, √(2 ln n) and this number, if they are more. Default: `deviations`.
    pub deviations_of_several: Option<f64>,
    /// Whether to scan all PQ codes.
    pub codes: Option<bool>,
    /// Number of passages to ask the index for, if its kind needs it.
    pub k: Option<u32>,
    /// Number of lists to scan.
    pub nprobe: Option<u32>,
    /// Candidates kept while walking a graph.
    pub ef_search: Option<u32>,
}

impl SegmentScan {
    fn on(&self, segment: &Segment) -> Result<Scan> {
        let codes = self.codes == Some(true);
        let asks = self.nprobe.is_some() || self.ef_search.is_some();
        if segment.ann.is_none() && (codes || asks) {
            return Err(coded("internal", "the plan asks for an index that the segment does not have"));
        }
        if let Some(one) = self.deviations {
            let several = self.deviations_of_several.unwrap_or(one);
            let deviations = Deviations { one: one as f32, several: several as f32 };
            return match segment.sketches() {
                Some(_) => Ok(Scan::Documents(deviations)),
                None => Err(coded("internal", "the plan asks for sketches that the segment does not have")),
            };
        }
        if !asks {
            return Ok(if codes { Scan::Codes } else { Scan::Exact });
        }
        let (nprobe, ef_search) = (self.nprobe.unwrap_or(1), self.ef_search.unwrap_or(16));
        let effort = Effort { nprobe: nprobe as usize, ef_search: ef_search as usize };
        Ok(Scan::Ann { k: self.k.unwrap_or(1) as usize, effort })
    }
}

/// What a search returns.
#[napi(object)]
pub struct SearchOptions {
    /// Number of documents.
    pub documents: u32,
    /// Number of passages of each document.
    pub chunks: u32,
    /// Whether an application and its grant count as one document.
    pub dedupe: bool,
    /// With `dedupe`: whether a whole family counts as one document.
    pub family: Option<bool>,
    /// How scores are shown: documents with equal shown scores are then equal. Without it, exact scores are compared.
    pub shown: Option<ShownScore>,
    /// Inner product below which documents are left out; -2 allows all.
    pub min_score: f64,
    /// For `searchWords`: whether every passage of a document is scored. Otherwise, those that the document's sketch
    /// proposes.
    pub exact: Option<bool>,
}

/// What a recall check compares.
#[napi(object)]
pub struct RecallOptions {
    /// Whether an application and its grant count as one document.
    pub dedupe: bool,
    /// That of the search.
    pub shown: Option<ShownScore>,
    /// Number of the best documents that are compared.
    pub places: u32,
    /// If a filter allows more passages than this, the check is not made.
    pub most_passages: f64,
}

/// Documents that a search found.
#[napi(object)]
pub struct SearchHits {
    /// Document ids, best first.
    pub docs: Uint32Array,
    /// Best inner product of each document.
    pub scores: Float32Array,
    /// Passages of hit i: `passages[passageAt[i] .. passageAt[i + 1]]`, numbered within the document.
    pub passage_at: Uint32Array,
    /// Numbers of passages within their documents.
    pub passages: Uint32Array,
    /// Inner product of each passage.
    pub passage_scores: Float32Array,
    /// Number of passages that were scored exactly.
    pub rows_scored: f64,
    /// Number of documents that were visited by their sketches.
    pub visited: f64,
    /// Number of passages that indexes proposed or whose codes were scanned.
    pub candidates: f64,
    /// How often an index was asked again for more passages.
    pub widened: u32,
    /// Number of segments that were scanned exactly although the plan was to use their index.
    pub rescanned: u32,
}

/// Number of documents ahead for which the search for their best passages prefetches.
const PLACES_AHEAD: usize = 2;

/// The best passages of some documents.
#[napi(object)]
pub struct BestPassages {
    /// Passages of document i: `passages[passageAt[i] .. passageAt[i + 1]]`, best first, numbered within the document.
    pub passage_at: Uint32Array,
    pub passages: Uint32Array,
    /// Inner product of each passage.
    pub passage_scores: Float32Array,
    /// Number of passages that were scored exactly.
    pub rows_scored: f64,
}

/// A sample of documents and a threshold.
#[napi(object)]
pub struct Above {
    /// Number of documents that were scored.
    pub looked_at: u32,
    /// Number of those at or above the threshold.
    pub above: u32,
}

/// Calibration of the shown score: a logistic curve of the inner product, rounded.
#[napi(object)]
pub struct ShownScore {
    pub midpoint: f64,
    pub slope: f64,
    /// Digits after the point.
    pub decimals: u32,
}

impl From<&ShownScore> for Shown {
    fn from(&ShownScore { midpoint, slope, decimals }: &ShownScore) -> Self {
        Shown { midpoint, slope, decimals }
    }
}

/// Documents that are one result with others.
#[napi(object)]
pub struct Members {
    /// Document ids, ascending within a group.
    pub docs: Uint32Array,
    /// The group of document i of the list has the members `docs[at[i] .. at[i + 1]]`.
    pub at: Uint32Array,
}

/// A segment of a snapshot.
#[napi(object)]
pub struct OpenSegment {
    /// Number of documents, deleted ones included.
    pub docs: u32,
    /// Number of passages, those of deleted documents included.
    pub passages: u32,
    /// Whether it has a FAISS index.
    pub has_index: bool,
    /// Whether it has sketches of its documents.
    pub has_sketches: bool,
}

/// Segments that are searched together.
#[napi]
pub struct Snapshot(pub(crate) Core);

#[napi]
impl Snapshot {
    /// Opens the segments that no thread of this process has open.
    #[napi(constructor, catch_unwind)]
    pub fn new(segments: Vec<SegmentPath>) -> Result<Self> {
        let mut opened = Vec::with_capacity(segments.len());
        for part in &segments {
            let segment = open_shared(&part.into())?;
            let deleted = deleted_of(&segment, &part.deleted);
            opened.push((segment, deleted));
        }
        Ok(Snapshot(Core { segments: opened }))
    }

    /// Closes the segments at once instead of at garbage collection.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.0.segments.clear();
    }

    /// Its segments, in the order in which they were given.
    #[napi(getter)]
    pub fn segments(&self) -> Vec<OpenSegment> {
        let info = |(segment, _): &(Arc<Segment>, _)| OpenSegment {
            docs: segment.docs() as u32,
            passages: segment.passages() as u32,
            has_index: segment.ann.is_some(),
            has_sketches: segment.sketches().is_some(),
        };
        self.0.segments.iter().map(info).collect()
    }

    /// Ids of the documents of a segment that are not deleted, ascending.
    #[napi(catch_unwind)]
    pub fn doc_ids(&self, segment: u32) -> Result<Uint32Array> {
        let (segment, deleted) = self.at(segment)?;
        segment.verify_facts().map_err(from_core)?;
        let live = segment.doc_id().iter().enumerate().filter(|(n, _)| !deleted.contains(*n));
        Ok(live.map(|(_, &id)| id).collect::<Vec<u32>>().into())
    }

    pub(crate) fn at(&self, n: u32) -> Result<&(Arc<Segment>, priorart_core::bitmap::Bitmap)> {
        self.0.segments.get(n as usize).ok_or_else(|| coded("internal", format!("no segment {n}")))
    }

    /// Vectors of a document, passages × dimensions; null if no document has the id, or it is deleted.
    #[napi(catch_unwind)]
    pub fn vectors_of(&self, id: u32) -> Result<Option<Float32Array>> {
        let Some((segment, ordinal)) = self.find(id) else { return Ok(None) };
        let mut out = Vec::new();
        segment
            .verify_facts()
            .and_then(|()| segment.verify_rows(segment.rows_of(ordinal)))
            .map_err(from_core)?;
        priorart_core::vectors::decode(segment.rows(segment.rows_of(ordinal)), &mut out);
        Ok(Some(out.into()))
    }

    /// Indexes, in the list, of the documents without token bags of a model.
    #[napi(catch_unwind)]
    pub fn without_bags(&self, docs: Uint32Array, model: String) -> Result<Uint32Array> {
        let mut without = Vec::new();
        for (n, &id) in docs.iter().enumerate() {
            let bags = match self.find(id) {
                Some((segment, ordinal)) => segment.bags_of(ordinal, &model).map_err(from_core)?,
                None => None,
            };
            if bags.is_none() {
                without.push(n as u32);
            }
        }
        Ok(without.into())
    }

    /// The best documents of a selection. `scans` has one for each segment.
    #[napi(catch_unwind)]
    pub fn search(
        &self,
        query: Float32Array,
        selection: &Selection,
        scans: Vec<SegmentScan>,
        options: SearchOptions,
    ) -> Result<SearchHits> {
        let request = Request {
            query: &query,
            documents: options.documents as usize,
            chunks: options.chunks as usize,
            dedupe: options.dedupe,
            by_family: options.family == Some(true),
            shown: options.shown.as_ref().map(Shown::from),
            min_score: options.min_score as f32,
        };
        let outcome = self.run(selection, &scans, &request)?;
        Ok(self.hits(&outcome, &outcome.hits, &request))
    }

    /// The documents of a selection that are of the same application as each of some documents, or of the same family.
    /// A document is in its own group.
    #[napi(catch_unwind)]
    pub fn members(&self, selection: &Selection, docs: Uint32Array, family: bool) -> Result<Members> {
        if selection.0.len() != self.0.segments.len() {
            return Err(coded("internal", "the selection belongs to another snapshot"));
        }
        let (mut found, mut at) = (Vec::new(), vec![0u32]);
        for &id in docs.iter() {
            let group = match self.place(id) {
                Some(place) => members(&self.0, &selection.0, place, family).map_err(from_core)?,
                None => Vec::new(),
            };
            let of = |(segment, ordinal): (usize, usize)| self.0.segments[segment].0.doc_id()[ordinal];
            let mut ids: Vec<u32> = group.into_iter().map(of).collect();
            ids.sort_unstable();
            found.extend(ids);
            at.push(found.len() as u32);
        }
        Ok(Members { docs: found.into(), at: at.into() })
    }

    /// The best passages of documents that a search found, `chunks` of each at most. `known` is for each document one of its
    /// passages, `scores` the inner product of that passage. If not `exact`, only those passages of a document are scored
    /// that its sketch proposes.
    #[napi(catch_unwind)]
    pub fn best_passages(
        &self,
        query: Float32Array,
        docs: Uint32Array,
        known: Uint32Array,
        scores: Float32Array,
        chunks: u32,
        exact: bool,
    ) -> Result<BestPassages> {
        self.check(self.0.segments.len(), query.len())?;
        if known.len() != docs.len() || scores.len() != docs.len() {
            return Err(coded("internal", "each document has a known passage and its score"));
        }
        let request = Request {
            query: &query,
            documents: docs.len(),
            chunks: chunks as usize,
            dedupe: false,
            by_family: false,
            shown: None,
            min_score: f32::NEG_INFINITY,
        };
        let places = docs.iter().map(|&id| self.known_place(id)).collect::<Result<Vec<_>>>()?;
        let mut passing = Passing::new(&self.0, &request, exact);
        let (mut at, mut passages, mut found) = (vec![0u32], Vec::new(), Vec::new());
        for (n, &place) in places.iter().enumerate() {
            if let Some(&soon) = places.get(n + PLACES_AHEAD) {
                passing.prefetch(soon);
            }
            for (passage, score) in passing.of(place, Some((known[n], scores[n]))).map_err(from_core)? {
                passages.push(passage);
                found.push(score);
            }
            at.push(passages.len() as u32);
        }
        Ok(BestPassages {
            passage_at: at.into(),
            passages: passages.into(),
            passage_scores: found.into(),
            rows_scored: passing.rows_scored as f64,
        })
    }

    /// For each of some documents, the best of their families, the member of the first of some countries: the best of
    /// several, and the document itself if its family has none of these countries.
    #[napi(catch_unwind)]
    pub fn preferred(
        &self,
        query: Float32Array,
        selection: &Selection,
        docs: Uint32Array,
        countries: Vec<String>,
    ) -> Result<Uint32Array> {
        self.check(selection.0.len(), query.len())?;
        let request = Request {
            query: &query,
            documents: docs.len(),
            chunks: 1,
            dedupe: true,
            by_family: true,
            shown: None,
            min_score: f32::NEG_INFINITY,
        };
        let mut found = Vec::with_capacity(docs.len());
        for &id in docs.iter() {
            let own = self.known_place(id)?;
            let other = preferred(&self.0, &selection.0, &request, &countries, own).map_err(from_core)?;
            found.push(match other {
                Some(hit) => self.0.segments[hit.segment as usize].0.doc_id()[hit.ordinal as usize],
                None => id,
            });
        }
        Ok(found.into())
    }

    /// Ids of at most `size` documents, evenly spread over a selection. The sample is always the same.
    #[napi(catch_unwind)]
    pub fn sample(&self, selection: &Selection, size: u32) -> Result<Uint32Array> {
        if selection.0.len() != self.0.segments.len() {
            return Err(coded("internal", "the selection belongs to another snapshot"));
        }
        let ids = sample(&self.0, &selection.0, size as usize);
        let id = |(segment, ordinal): (usize, usize)| self.0.segments[segment].0.doc_id()[ordinal];
        Ok(ids.into_iter().map(id).collect::<Vec<u32>>().into())
    }

    /// Scores an even sample of about `size` documents of a selection, and counts those at or above a threshold.
    #[napi(catch_unwind)]
    pub fn sample_above(
        &self,
        query: Float32Array,
        selection: &Selection,
        min_score: f64,
        size: u32,
    ) -> Result<Above> {
        self.check(selection.0.len(), query.len())?;
        let (looked_at, above) = sample_above(&self.0, &selection.0, &query, min_score as f32, size as usize)
            .map_err(from_core)?;
        Ok(Above { looked_at: looked_at as u32, above: above as u32 })
    }

    /// Prepares a check whether the best documents that a search found, whose scores are given, are those of an exact
    /// scan. The check keeps the segments open, so the snapshot may be closed meanwhile.
    #[napi(catch_unwind)]
    pub fn recall_check(
        &self,
        query: Float32Array,
        clauses: Vec<FilterClause>,
        found: Float32Array,
        options: RecallOptions,
    ) -> Result<RecallCheck> {
        Ok(RecallCheck(Some(CheckRecall {
            snapshot: Core { segments: self.0.segments.clone() },
            query: query.to_vec(),
            clauses: clauses_of(clauses)?,
            dedupe: options.dedupe,
            shown: options.shown.as_ref().map(Shown::from),
            found: found.to_vec(),
            places: options.places as usize,
            most_passages: options.most_passages as usize,
        })))
    }
}

impl Snapshot {
    /// The segment and the ordinal of a live document.
    pub fn find(&self, id: u32) -> Option<(&Segment, usize)> {
        let (n, ordinal) = self.place(id)?;
        Some((&*self.0.segments[n].0, ordinal))
    }

    /// The number of the segment of a live document, and the ordinal.
    pub(crate) fn place(&self, id: u32) -> Option<(usize, usize)> {
        self.0.segments.iter().enumerate().find_map(|(n, (segment, deleted))| {
            segment.doc_id().last().filter(|&&last| id <= last)?;
            let ordinal = segment.ordinal_of_id(id).filter(|&o| !deleted.contains(o))?;
            Some((n, ordinal))
        })
    }

    /// That of a document which a caller found in this snapshot.
    pub(crate) fn known_place(&self, id: u32) -> Result<(usize, usize)> {
        self.place(id).ok_or_else(|| coded("internal", format!("no document {id}")))
    }

    /// Checks that a selection has as many segments as this snapshot, and a query as many dimensions.
    pub(crate) fn check(&self, selected: usize, dimensions: usize) -> Result<()> {
        self.check_selection(selected)?;
        match self.0.segments.first() {
            Some((segment, _)) if segment.dimensions() != dimensions => {
                let message =
                    format!("the query has {dimensions} dimensions, the index {}", segment.dimensions());
                Err(coded("model_mismatch", message))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check_selection(&self, selected: usize) -> Result<()> {
        match selected == self.0.segments.len() {
            true => Ok(()),
            false => Err(coded("internal", "the selection belongs to another snapshot")),
        }
    }

    fn run(&self, selection: &Selection, scans: &[SegmentScan], request: &Request) -> Result<Outcome> {
        let scans = self.scans(selection, scans, request.query.len())?;
        search(&self.0, &selection.0, &scans, request).map_err(from_core)
    }

    /// The plan of a search, checked against selection and query.
    pub(crate) fn scans(
        &self,
        selection: &Selection,
        scans: &[SegmentScan],
        dimensions: usize,
    ) -> Result<Vec<Scan>> {
        if scans.len() != selection.0.len() {
            return Err(coded("internal", "plan and selection belong to different snapshots"));
        }
        self.check(selection.0.len(), dimensions)?;
        scans.iter().zip(&self.0.segments).map(|(scan, (segment, _))| scan.on(segment)).collect()
    }

    pub(crate) fn hits(&self, outcome: &Outcome, hits: &[Hit], request: &Request) -> SearchHits {
        let (mut at, mut passages, mut scores) = (vec![0u32], Vec::new(), Vec::new());
        for hit in hits {
            for &(number, score) in outcome.best_passages(&self.0, hit, request).iter() {
                passages.push(number);
                scores.push(score);
            }
            at.push(passages.len() as u32);
        }
        let id = |hit: &Hit| self.0.segments[hit.segment as usize].0.doc_id()[hit.ordinal as usize];
        SearchHits {
            docs: hits.iter().map(id).collect::<Vec<u32>>().into(),
            scores: hits.iter().map(|hit| hit.score).collect::<Vec<f32>>().into(),
            passage_at: at.into(),
            passages: passages.into(),
            passage_scores: scores.into(),
            rows_scored: outcome.rows_scored as f64,
            visited: outcome.visited as f64,
            candidates: outcome.candidates as f64,
            widened: outcome.widened as u32,
            rescanned: outcome.rescanned as u32,
        }
    }
}
