//! FAISS as the approximate index of a segment: opens and builds it.

use crate::background::{in_background, Niceness};
use crate::errors::{caught, coded, from_core, from_shim};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::bitmap::Bitmap;
use priorart_core::effort::calibrate;
use priorart_core::segment::{Ann, Codes, Effort, Lists, Segment};
use priorart_core::vectors::decode;
use priorart_shim::{BuildParams, Index, Kind, SearchParams};
use std::path::{Path, PathBuf};

struct Faiss {
    index: Index,
    path: PathBuf,
}

const _: () = assert!(priorart_core::segment::CODE_BLOCK == priorart_shim::BLOCK);

impl Ann for Faiss {
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        effort: Effort,
    ) -> priorart_core::Result<Vec<(u32, f32)>> {
        let params = SearchParams {
            nprobe: effort.nprobe.max(1),
            ef_search: effort.ef_search.max(k),
            filter: filter.map(Bitmap::as_bytes),
            ..Default::default()
        };
        let (scores, rows) = self.index.search(query, k, &params).map_err(|e| self.failed(e))?;
        let found = rows.into_iter().zip(scores).filter(|(row, _)| *row >= 0);
        Ok(found.map(|(row, score)| (row as u32, score)).collect())
    }

    fn codes(&self) -> Option<&dyn Codes> {
        self.index.kind().has_product_quantizer().then_some(self)
    }

    fn len(&self) -> usize {
        self.index.len()
    }

    fn lists(&self) -> usize {
        self.index.nlist()
    }
}

impl Lists for Faiss {
    fn list_scores(&self, query: &[f32], out: &mut Vec<f32>) -> priorart_core::Result<()> {
        self.index.list_scores(query, out).map_err(|e| self.failed(e))
    }

    fn list_rows(&self, list: usize) -> &[i64] {
        self.index.list_rows(list)
    }
}

impl Codes for Faiss {
    fn scan_lists(
        &self,
        query: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> priorart_core::Result<(f32, f32)> {
        self.index.scan_lists(query, lists, out, best).map_err(|e| self.failed(e))
    }

    fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> priorart_core::Result<(f32, f32)> {
        self.index.code_scores(query, out).map_err(|e| self.failed(e))
    }
}

impl Faiss {
    /// A search finds damage that is not checked when a memory-mapped file is opened.
    fn failed(&self, error: priorart_shim::Error) -> priorart_core::Error {
        match &error {
            priorart_shim::Error::Corrupt(_) => priorart_core::Error::corrupt(&self.path, error.to_string()),
            _ => priorart_core::Error::Invalid(error.to_string()),
        }
    }
}

/// Opens an index by memory map. It must have exactly the segment's rows.
pub fn open_ann(path: &Path, rows: usize, dimensions: usize) -> Result<Box<dyn Ann>> {
    let index = Index::load(path, true).map_err(|e| {
        let coded_error = from_shim(e);
        Error::new(coded_error.status, format!("{} ({})", coded_error.reason, path.display()))
    })?;
    if index.len() != rows || index.dims() != dimensions {
        let found = format!("{} rows × {} dimensions", index.len(), index.dims());
        let path = path.display();
        return Err(coded(
            "data_corrupt",
            format!("{path}: {found}, but the segment has {rows} × {dimensions}"),
        ));
    }
    Ok(Box::new(Faiss { index, path: path.into() }))
}

/// What index to build.
#[napi(object)]
pub struct IndexSpec {
    /// One of `indexKinds`.
    pub kind: String,
    /// Number of threads; 0: one for each processor.
    pub threads: u32,
    /// Seed of the random choices in training.
    pub seed: u32,
}

/// A built index and its calibration.
#[napi(object)]
pub struct BuiltIndex {
    /// Number of inverted lists; 0 for kinds without lists.
    pub lists: u32,
    /// Number of lists to scan. At this effort the index found the share `recall` of the exact 10 nearest passages of
    /// sampled queries.
    pub nprobe: u32,
    /// Candidates kept while walking a graph, for the same recall.
    pub ef_search: u32,
    /// Share of the exact 10 nearest passages that was found, 0 to 1.
    pub recall: f64,
    pub costs: MeasuredCosts,
}

/// Costs of a search on this machine, in nanoseconds of processor time.
#[napi(object)]
pub struct MeasuredCosts {
    /// The exact score of a passage, if passages are read sequentially.
    pub row: f64,
    /// The fixed cost of a search before its first passage: choosing the lists.
    pub start: f64,
    /// A passage in a probed list, or a candidate on a walk through a graph.
    pub code: f64,
    /// A passage in a full PQ scan; 0 for an index without PQ codes.
    pub scan: f64,
}

pub struct Build {
    segment: PathBuf,
    out: PathBuf,
    spec: IndexSpec,
}

/// Rows that are passed to FAISS together.
const CHUNK: usize = 1 << 14;
/// Training rows for each list. FAISS's k-means uses at most 256.
const TRAINING_PER_LIST: usize = 128;
const TRAINING_LEAST: usize = 20_000;
/// Twice the value takes twice as long to build, and halves the effort of every search for the same
/// recall (measured with 28,000 passages of patents in two languages).
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
            // Evenly spread: neighbouring rows belong to one document and are similar.
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

impl Build {
    fn run(&self) -> Result<BuiltIndex> {
        let segment = Segment::open(&self.segment).map_err(from_core)?;
        segment.file().verify_all().map_err(from_core)?;
        let index = build(&segment, &self.spec)?;
        let mut temporary = self.out.clone().into_os_string();
        temporary.push(".tmp");
        let temporary = PathBuf::from(temporary);
        let failed = |e: std::io::Error| coded("io", format!("{}: {e}", temporary.display()));
        let placed = index.save(&temporary).map_err(from_shim).and_then(|()| {
            std::fs::File::open(&temporary).and_then(|f| f.sync_all()).map_err(failed)?;
            std::fs::rename(&temporary, &self.out).map_err(failed)
        });
        if placed.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        placed?;
        priorart_core::file::sync_folder_of(&self.out).map_err(from_core)?;
        let faiss = Faiss { index, path: self.out.clone() };
        let calibrated = calibrate(&segment, &faiss).map_err(from_core)?;
        let (Effort { nprobe, ef_search }, costs) = (calibrated.effort, calibrated.costs);
        Ok(BuiltIndex {
            lists: faiss.lists() as u32,
            nprobe: nprobe as u32,
            ef_search: ef_search as u32,
            recall: calibrated.recall,
            costs: MeasuredCosts { row: costs.row, start: costs.start, code: costs.code, scan: costs.scan },
        })
    }
}

#[napi]
impl Task for Build {
    type Output = BuiltIndex;
    type JsValue = BuiltIndex;
    fn compute(&mut self) -> Result<BuiltIndex> {
        caught(|| in_background(Niceness::Merge, || self.run()))
    }
    fn resolve(&mut self, _: Env, built: BuiltIndex) -> Result<BuiltIndex> {
        Ok(built)
    }
}

/// Builds the FAISS index of a segment file on a background thread, syncs it, and calibrates it.
/// `out` is the path of the index file, which appears when it is whole.
#[napi]
pub fn build_index(segment: String, out: String, spec: IndexSpec) -> AsyncTask<Build> {
    AsyncTask::new(Build { segment: segment.into(), out: out.into(), spec })
}

/// Names of the index kinds.
#[napi]
pub fn index_kinds() -> Vec<String> {
    Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect()
}
