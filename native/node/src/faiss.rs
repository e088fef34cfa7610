//! A FAISS index as a class, for applications that use one without the engine. `src/index/faiss.ts`
//! is the public interface and checks arguments; this file converts them.

use crate::errors::{caught, coded, from_shim};
use crate::open_files::OpenFiles;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_shim::{BuildParams, Index, Kind, SearchParams};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Mapped indexes that any thread of this process has open.
static MAPPED: LazyLock<OpenFiles<Index>> = LazyLock::new(Default::default);

fn open_shared(path: &Path) -> Result<Arc<Index>> {
    let missing =
        |e: std::io::Error| coded("invalid_request", format!("cannot open {}: {e}", path.display()));
    std::fs::metadata(path).map_err(missing)?;
    MAPPED.open(path, |path| Index::load(path, true).map_err(on_file))
}

/// Writes a mapped index beside the path and renames it: the path may be the file that is mapped, which must not change.
fn replace(index: &Index, path: &Path) -> Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".part-{}", std::process::id()));
    let part = Path::new(&part);
    let written = index.save(part).map_err(on_file).and_then(|()| {
        let failed =
            |e: std::io::Error| coded("invalid_request", format!("cannot write {}: {e}", path.display()));
        std::fs::rename(part, path).map_err(failed)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(part);
    }
    written
}

/// Converts an error about a file. The path comes from the caller, so an unusable file is an
/// invalid request.
fn on_file(error: priorart_shim::Error) -> Error {
    match &error {
        priorart_shim::Error::Io(message) if message.contains("No space left") => coded("disk_full", message),
        priorart_shim::Error::Io(message) => coded("invalid_request", message),
        _ => from_shim(error),
    }
}

enum Held {
    Own(Index),
    Mapped(Arc<Index>),
}

impl Held {
    fn get(&self) -> &Index {
        match self {
            Held::Own(index) => index,
            Held::Mapped(index) => index,
        }
    }

    fn get_mut(&mut self) -> Result<&mut Index> {
        match self {
            Held::Own(index) => Ok(index),
            Held::Mapped(_) => Err(from_shim(priorart_shim::Error::ReadOnly)),
        }
    }
}

/// Options of a new index.
#[napi(object)]
pub struct FaissOptions {
    /// Expected number of rows, from which `nlist` is chosen if it is not given.
    pub expected_rows: Option<u32>,
    /// Inverted lists of the `ivf-…` kinds. Default: about twice the square root of `expectedRows`.
    pub nlist: Option<u32>,
    /// Parts of a vector in `ivf-pq…`, 4 bits each; must divide the dimensions. Default: half of them, or all if they are odd.
    pub pq_m: Option<u32>,
    /// Edges of a node of the `hnsw-…` kinds. Default: 32.
    pub hnsw_m: Option<u32>,
    /// Candidates examined for each row added to a graph. Default: 80.
    pub ef_construction: Option<u32>,
    /// Threads of `train` and `add`. Default: all processors.
    pub threads: Option<u32>,
    /// Seed of the random choices in training. Default: 1234.
    pub seed: Option<u32>,
}

/// Options of a search.
#[napi(object)]
pub struct FaissSearchOptions {
    /// Number of lists to scan, at most all. Default: 16.
    pub nprobe: Option<u32>,
    /// Candidates kept while walking a graph. Default: 64, or `k` if that is more.
    pub ef_search: Option<u32>,
    /// A bitmap with a bit for every row: row `i` may be returned if bit `i % 8` of byte `i / 8` is set.
    pub filter: Option<Uint8Array>,
    /// `ivf-pq-refine`: how many times `k` rows are scored again. Default: 4.
    pub k_factor: Option<f64>,
}

/// What a search found.
#[napi(object)]
pub struct FaissHits {
    /// Inner products, best first, `k` for each query; `-Infinity` if fewer were found.
    pub distances: Float32Array,
    /// Row numbers in the order of adding, `k` for each query; -1 if fewer were found.
    pub labels: Int32Array,
}

impl FaissHits {
    fn new((scores, rows): (Vec<f32>, Vec<i64>)) -> FaissHits {
        // `add` keeps row numbers below 2³¹.
        let labels: Vec<i32> = rows.into_iter().map(|row| row as i32).collect();
        FaissHits { distances: scores.into(), labels: labels.into() }
    }
}

fn params(options: &FaissSearchOptions, default_ef: usize) -> SearchParams<'_> {
    let default = SearchParams::default();
    SearchParams {
        nprobe: options.nprobe.map_or(default.nprobe, |n| n as usize),
        ef_search: options.ef_search.map_or(default_ef.max(default.ef_search), |n| n as usize),
        filter: options.filter.as_deref(),
        k_factor: options.k_factor.map_or(default.k_factor, |k| k as f32),
    }
}

/// A FAISS index by inner product. Components of vectors are given row after row. Calls run on the calling thread.
#[napi]
pub struct FaissIndex(Held);

#[napi]
impl FaissIndex {
    /// An empty index. `dims`: components of a vector.
    #[napi(constructor)]
    pub fn new(kind: String, dims: u32, options: FaissOptions) -> Result<FaissIndex> {
        caught(|| {
            let kind: Kind = kind.parse().map_err(from_shim)?;
            let default = BuildParams::default();
            let or = |given: Option<u32>, default: usize| given.map_or(default, |n| n as usize);
            let build = BuildParams {
                nlist: or(options.nlist, default.nlist),
                pq_m: or(options.pq_m, default.pq_m),
                hnsw_m: or(options.hnsw_m, default.hnsw_m),
                ef_construction: or(options.ef_construction, default.ef_construction),
                threads: or(options.threads, default.threads),
                seed: options.seed.map_or(default.seed, u64::from),
            };
            let rows = or(options.expected_rows, 0);
            Index::new(kind, dims as usize, &build, rows).map(|i| FaissIndex(Held::Own(i))).map_err(from_shim)
        })
    }

    /// Opens an index file. With `mmap`, vectors and lists stay in the file, and the index cannot be added to.
    #[napi]
    pub fn read(path: String, mmap: bool) -> Result<FaissIndex> {
        caught(|| {
            let path = Path::new(&path);
            if mmap {
                return open_shared(path).map(|index| FaissIndex(Held::Mapped(index)));
            }
            Index::load(path, false).map(|index| FaissIndex(Held::Own(index))).map_err(on_file)
        })
    }

    /// Learns centroids and value ranges from rows × dimensions components.
    #[napi]
    pub fn train(&mut self, x: Float32Array) -> Result<()> {
        caught(|| self.0.get_mut()?.train(&x).map_err(from_shim))
    }

    /// Appends rows × dimensions components.
    #[napi]
    pub fn add(&mut self, x: Float32Array) -> Result<()> {
        caught(|| {
            let index = self.0.get_mut()?;
            if index.len() + x.len() / index.dims() > i32::MAX as usize {
                return Err(coded("invalid_request", "an index holds at most 2147483647 rows"));
            }
            index.add(&x).map_err(from_shim)
        })
    }

    /// The `k` best rows for each query; queries × dimensions components.
    #[napi]
    pub fn search(&self, x: Float32Array, k: u32, options: FaissSearchOptions) -> Result<FaissHits> {
        let params = params(&options, k as usize);
        caught(|| self.0.get().search(&x, k as usize, &params).map(FaissHits::new).map_err(from_shim))
    }

    /// All rows with a score of at least `min` for one query, unordered.
    #[napi]
    pub fn range_search(&self, x: Float32Array, min: f64, options: FaissSearchOptions) -> Result<FaissHits> {
        let params = params(&options, 0);
        caught(|| self.0.get().range_search(&x, min as f32, &params).map(FaissHits::new).map_err(from_shim))
    }

    /// Writes the index in FAISS's own file format. Not atomic, unless the index is mapped.
    #[napi]
    pub fn write(&self, path: String) -> Result<()> {
        caught(|| {
            let path = Path::new(&path);
            match &self.0 {
                Held::Own(index) => index.save(path).map_err(on_file),
                Held::Mapped(index) => replace(index, path),
            }
        })
    }

    /// Number of rows.
    #[napi]
    pub fn ntotal(&self) -> u32 {
        self.0.get().len() as u32
    }

    /// Components of a vector.
    #[napi]
    pub fn get_dimension(&self) -> u32 {
        self.0.get().dims() as u32
    }

    /// Number of inverted lists; 0 for kinds without lists.
    #[napi]
    pub fn nlist(&self) -> u32 {
        self.0.get().nlist() as u32
    }

    /// Name of the index kind.
    #[napi]
    pub fn kind(&self) -> &'static str {
        self.0.get().kind().name()
    }

    /// Whether `train` was called, or nothing needs to be learned.
    #[napi]
    pub fn is_trained(&self) -> bool {
        self.0.get().is_trained()
    }
}
