//! FAISS as the approximate index of a segment: opening, building, and finding out how hard it must try.

use crate::errors::{caught, coded, from_core, from_shim};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::bitmap::Bitmap;
use priorart_core::segment::{Ann, Effort, Segment};
use priorart_core::vectors::{decode, dot};
use priorart_shim::{BuildParams, Index, Kind, SearchParams};
use std::path::{Path, PathBuf};

struct Faiss(Index);

impl Ann for Faiss {
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        effort: Effort,
    ) -> priorart_core::Result<Vec<u32>> {
        let params = SearchParams {
            nprobe: effort.nprobe.max(1),
            ef_search: effort.ef_search.max(k),
            filter: filter.map(Bitmap::as_bytes),
            ..Default::default()
        };
        let (_, rows) =
            self.0.search(query, k, &params).map_err(|e| priorart_core::Error::Invalid(e.to_string()))?;
        Ok(rows.into_iter().filter(|&row| row >= 0).map(|row| row as u32).collect())
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn lists(&self) -> usize {
        self.0.nlist()
    }
}

/// Opens an index by memory map; it must hold exactly the segment's rows.
pub fn open_ann(path: &Path, rows: usize, dimensions: usize) -> Result<Box<dyn Ann>> {
    let index = Index::load(path, true).map_err(|e| {
        let coded_error = from_shim(e);
        Error::new(coded_error.status, format!("{} ({})", coded_error.reason, path.display()))
    })?;
    if index.len() != rows || index.dims() != dimensions {
        let found = format!("{} rows × {} dimensions", index.len(), index.dims());
        let path = path.display();
        return Err(coded("data_corrupt", format!("{path}: {found}, the segment has {rows} × {dimensions}")));
    }
    Ok(Box::new(Faiss(index)))
}

#[napi(object)]
pub struct IndexSpec {
    pub kind: String,
    pub threads: u32,
    pub seed: u32,
}

#[napi(object)]
pub struct BuiltIndex {
    pub lists: u32,
    /// Probes at which the index found at least `recall` of the true 10 nearest of sampled queries.
    pub nprobe: u32,
    pub ef_search: u32,
    pub recall: f64,
}

pub struct Build {
    segment: PathBuf,
    out: PathBuf,
    spec: IndexSpec,
}

/// Rows given to FAISS at once.
const CHUNK: usize = 1 << 14;
/// Training rows a list: FAISS's k-means takes no more than 256 of each.
const TRAINING_PER_LIST: usize = 128;
const TRAINING_LEAST: usize = 20_000;
/// A graph built twice as thoroughly takes twice as long to build and half the effort of every search for the
/// same recall (measured with 28,000 passages of patents in two languages).
const EF_CONSTRUCTION: usize = 200;

fn build(segment: &Segment, spec: &IndexSpec) -> Result<Index> {
    let kind: Kind = spec.kind.parse().map_err(from_shim)?;
    let (rows, dimensions) = (segment.passages(), segment.dimensions());
    let params = BuildParams {
        threads: spec.threads as usize,
        seed: spec.seed as u64,
        ef_construction: EF_CONSTRUCTION,
        ..Default::default()
    };
    let mut index = Index::new(kind, dimensions, &params, rows).map_err(from_shim)?;
    if !index.is_trained() {
        let wanted = (index.nlist() * TRAINING_PER_LIST).max(TRAINING_LEAST).min(rows);
        let mut sample = Vec::with_capacity(wanted * dimensions);
        for n in 0..wanted {
            // Evenly spread: neighbouring rows belong to one document and say the same.
            let row = n * rows / wanted;
            decode(segment.rows(row..row + 1), &mut sample);
        }
        index.train(&sample).map_err(from_shim)?;
    }
    let mut chunk = Vec::with_capacity(CHUNK * dimensions);
    for from in (0..rows).step_by(CHUNK) {
        chunk.clear();
        decode(segment.rows(from..(from + CHUNK).min(rows)), &mut chunk);
        index.add(&chunk).map_err(from_shim)?;
    }
    Ok(index)
}

const SAMPLED_QUERIES: usize = 128;
const K: usize = 10;
const ENOUGH: f64 = 0.997;
/// Rows asked of the index to find the best `K` among, as a search asks for 50 documents: codes only propose,
/// and 4-bit codes are coarse (`PASSAGES_PER_DOCUMENT` and `WIDENING` in search/plan.ts).
const PROPOSED: usize = 200;
const PROPOSED_PQ: usize = 800;
/// Beyond this a graph costs more than scoring everything.
const EF_SEARCH_MOST: usize = 1024;

/// Finds the smallest effort at which the index finds 99.7 % of the true 10 nearest, or, where coarse codes
/// lose some even when every list is read, 99.7 % of what is found then.
fn calibrate(segment: &Segment, index: &Index) -> Result<BuiltIndex> {
    let samples = samples(segment);
    let lists = index.nlist();
    let (mut nprobe, mut ef_search) = (1, PROPOSED);
    let target =
        if lists > 0 { ENOUGH * recall_of(segment, index, &samples, lists, ef_search)? } else { ENOUGH };
    loop {
        let recall = recall_of(segment, index, &samples, nprobe, ef_search)?;
        let at_most = if lists > 0 { nprobe >= lists } else { ef_search >= EF_SEARCH_MOST };
        if recall >= target || at_most {
            let (lists, nprobe, ef_search) = (lists as u32, nprobe as u32, ef_search as u32);
            return Ok(BuiltIndex { lists, nprobe, ef_search, recall });
        }
        if lists > 0 {
            nprobe = (nprobe + nprobe.div_ceil(4)).min(lists);
        } else {
            ef_search = (ef_search + ef_search.div_ceil(4)).min(EF_SEARCH_MOST);
        }
    }
}

/// Share of the true `K` nearest rows of the samples that the index proposes at some effort.
fn recall_of(
    segment: &Segment,
    index: &Index,
    samples: &[Sample],
    nprobe: usize,
    ef_search: usize,
) -> Result<f64> {
    let proposed = if index.kind().has_product_quantizer() { PROPOSED_PQ } else { PROPOSED };
    let per_sample = K.min(segment.passages());
    let mut found = 0;
    for Sample { query, least } in samples {
        let params = SearchParams { nprobe, ef_search: ef_search.max(proposed), ..Default::default() };
        let (_, rows) = index.search(query, proposed, &params).map_err(from_shim)?;
        let is_true =
            |row: i64| row >= 0 && dot(query, segment.rows(row as usize..row as usize + 1)) >= *least;
        found += rows.into_iter().filter(|&row| is_true(row)).count().min(per_sample);
    }
    Ok(if samples.is_empty() { 1.0 } else { found as f64 / (samples.len() * per_sample) as f64 })
}

struct Sample {
    query: Vec<f32>,
    /// Score of the `K`th nearest row: rows of equal text are as good as each other.
    least: f32,
}

/// Queries as short questions are: parts of stored rows. A question has a few of a passage's words, so three
/// quarters or nine tenths of a row's components are taken away, which leaves a cosine of about 0.5 or 0.3 to
/// it, as real questions have to the best passage. Whole rows would make every index look good.
fn samples(segment: &Segment) -> Vec<Sample> {
    let rows = segment.passages();
    let count = SAMPLED_QUERIES.min(rows);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut part_of = |n: usize| {
        let mut query = Vec::with_capacity(segment.dimensions());
        let row = n * rows / count;
        decode(segment.rows(row..row + 1), &mut query);
        let kept = if n % 2 == 0 { 0.25 } else { 0.1 };
        query.iter_mut().for_each(|x| *x *= (next_uniform(&mut state) < kept) as u8 as f32);
        let length = query.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            query.iter_mut().for_each(|x| *x /= length);
        }
        Sample { least: kth_best(segment, &query), query }
    };
    (0..count).map(&mut part_of).collect()
}

fn kth_best(segment: &Segment, query: &[f32]) -> f32 {
    let rows = segment.vectors().chunks_exact(segment.dimensions());
    let mut scores: Vec<f32> = rows.map(|row| dot(query, row)).collect();
    let nth = K.min(scores.len()) - 1;
    *scores.select_nth_unstable_by(nth, |a, b| b.total_cmp(a)).1
}

/// Uniform in 0..1, from xorshift64*: calibration must give the same answer each time.
fn next_uniform(state: &mut u64) -> f32 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
    bits as f32 / (1u64 << 24) as f32
}

impl Task for Build {
    type Output = BuiltIndex;
    type JsValue = BuiltIndex;
    fn compute(&mut self) -> Result<BuiltIndex> {
        caught(|| {
            let segment = Segment::open(&self.segment).map_err(from_core)?;
            let index = build(&segment, &self.spec)?;
            let mut temporary = self.out.clone().into_os_string();
            temporary.push(".tmp");
            let temporary = PathBuf::from(temporary);
            index.save(&temporary).map_err(from_shim)?;
            let failed = |e: std::io::Error| coded("io", format!("{}: {e}", temporary.display()));
            std::fs::File::open(&temporary).and_then(|f| f.sync_all()).map_err(failed)?;
            std::fs::rename(&temporary, &self.out).map_err(failed)?;
            priorart_core::file::sync_folder_of(&self.out).map_err(from_core)?;
            calibrate(&segment, &index)
        })
    }
    fn resolve(&mut self, _: Env, built: BuiltIndex) -> Result<BuiltIndex> {
        Ok(built)
    }
}

/// Builds the FAISS index of a segment file, durably, on a thread of its own, and measures the effort that
/// it needs.
#[napi]
pub fn build_index(segment: String, out: String, spec: IndexSpec) -> AsyncTask<Build> {
    AsyncTask::new(Build { segment: segment.into(), out: out.into(), spec })
}

/// The names of the index kinds.
#[napi]
pub fn index_kinds() -> Vec<String> {
    Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect()
}
