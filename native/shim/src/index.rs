use crate::kind::GREATEST_COMPONENT;
use crate::{ffi, BuildParams, Error, Kind, SearchParams};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

/// Rows that training of 4-bit product quantization needs, for its 16 centroids in each part.
const PQ_TRAINING_ROWS: usize = 16;

/// One FAISS index.
pub struct Index {
    pub(crate) handle: NonNull<ffi::Handle>,
    shape: ffi::Shape,
    threads: i32,
    read_only: bool,
}

// SAFETY: FAISS's `search` and `range_search` are const and may run concurrently; functions that
// change the index take `&mut self`. An index is not tied to the thread that created it.
unsafe impl Send for Index {}
unsafe impl Sync for Index {}

impl Drop for Index {
    fn drop(&mut self) {
        // SAFETY: the handle was returned by create or read, and is dropped once.
        unsafe { ffi::priorart_index_free(self.handle.as_ptr()) }
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Index({}, {} rows of {} dims)", self.kind(), self.len(), self.dims())
    }
}

impl Index {
    /// An empty index for vectors of `dims` components. `expected_rows` determines only the number
    /// of lists.
    pub fn new(kind: Kind, dims: usize, params: &BuildParams, expected_rows: usize) -> Result<Index, Error> {
        if dims == 0 || dims > 1 << 16 {
            return Err(Error::InvalidParameter(format!("dims is {dims}; expected 1 to 65536")));
        }
        let build = ffi::Build {
            kind: kind as i32,
            dims: dims as i32,
            nlist: match params.nlist {
                0 => BuildParams::lists_for(expected_rows),
                n => n,
            } as u64,
            pq_m: pq_parts(kind, dims, params.pq_m)? as u64,
            hnsw_m: in_range("hnsw_m", params.hnsw_m, 2, 1024)? as u64,
            ef_construction: in_range("ef_construction", params.ef_construction, 1, 1 << 20)? as u64,
            seed: (params.seed & 0x7fff_ffff) as i32,
        };
        in_range("nlist", build.nlist as usize, 1, 1 << 24)?;
        let threads = in_range("threads", params.threads, 0, 4096)? as i32;
        let mut handle = ptr::null_mut();
        // SAFETY: both pointers live through the call.
        ffi::check(|status| unsafe { ffi::priorart_index_create(status, &build, &mut handle) })?;
        Ok(Index::own(handle, threads, false))
    }

    /// Reads an index that [`Index::save`] or FAISS itself wrote.
    ///
    /// Without `mmap`, everything is read and checked. With `mmap`, vectors, lists and graphs stay
    /// in the file, which must not change while the index lives. `ivf-pq` and `ivf-pq-refine`
    /// always load their lists, since their codes must be aligned. Sizes, tables and the edges of a
    /// graph are checked; vectors and the row numbers of lists are not. A search reports a row that
    /// does not exist and an infinite score as [`Error::Corrupt`], and never finds a row whose
    /// score is NaN. Damage thus never causes access outside of memory, but it may change results;
    /// compare a checksum to exclude that.
    pub fn load(path: &Path, mmap: bool) -> Result<Index, Error> {
        let path = c_path(path)?;
        let mut handle = ptr::null_mut();
        // SAFETY: both pointers live through the call.
        ffi::check(|status| unsafe { ffi::priorart_index_read(status, path.as_ptr(), mmap, &mut handle) })?;
        Ok(Index::own(handle, 0, mmap))
    }

    fn own(handle: *mut ffi::Handle, threads: i32, read_only: bool) -> Index {
        let handle = NonNull::new(handle).expect("success without an index");
        let mut index = Index { handle, shape: ffi::Shape::default(), threads, read_only };
        index.refresh();
        index
    }

    fn refresh(&mut self) {
        // SAFETY: the handle is alive.
        unsafe { ffi::priorart_index_shape(self.handle.as_ptr(), &mut self.shape) }
    }

    /// Learns centroids and value ranges from `vectors` (rows × dims). Kinds that learn nothing accept it too.
    pub fn train(&mut self, vectors: &[f32]) -> Result<(), Error> {
        self.check_writable()?;
        let rows = self.check_stored(vectors)?;
        let mut needed = if self.kind().has_lists() { self.nlist() } else { 1 };
        if self.kind().has_product_quantizer() {
            needed = needed.max(PQ_TRAINING_ROWS);
        }
        if rows < needed {
            return Err(Error::TooFewRows { rows, needed });
        }
        // SAFETY: `vectors` holds rows × dims numbers; `&mut self` excludes concurrent use.
        let outcome = ffi::check(|status| unsafe {
            let h = self.handle.as_ptr();
            ffi::priorart_index_train(status, h, rows as u64, vectors.as_ptr(), self.threads)
        });
        self.refresh();
        outcome
    }

    /// Appends `vectors` (rows × dims). Their row numbers continue those of the existing rows.
    pub fn add(&mut self, vectors: &[f32]) -> Result<(), Error> {
        self.check_writable()?;
        if !self.is_trained() {
            return Err(Error::NotTrained);
        }
        let rows = self.check_stored(vectors)?;
        if rows == 0 {
            return Ok(());
        }
        // SAFETY: as in `train`.
        let outcome = ffi::check(|status| unsafe {
            let h = self.handle.as_ptr();
            ffi::priorart_index_add(status, h, rows as u64, vectors.as_ptr(), self.threads)
        });
        self.refresh();
        outcome
    }

    /// The `k` best rows for each query (n × dims), best first: `k` scores and `k` row numbers for
    /// each. Missing hits have row -1 and score -∞. Runs on the calling thread only.
    pub fn search(
        &self,
        queries: &[f32],
        k: usize,
        params: &SearchParams,
    ) -> Result<(Vec<f32>, Vec<i64>), Error> {
        let n = self.check_vectors(queries)?;
        let search = self.search_params(params)?;
        let places = n.checked_mul(k).filter(|p| *p <= 1 << 40).ok_or_else(|| too_many(k))?;
        let (mut scores, mut rows) = (Vec::new(), Vec::new());
        scores.try_reserve_exact(places).map_err(|_| too_many(k))?;
        rows.try_reserve_exact(places).map_err(|_| too_many(k))?;
        scores.resize(places, f32::NEG_INFINITY);
        rows.resize(places, -1i64);
        // FAISS allocates heaps of k entries, so k is limited to the number of rows.
        let found = k.min(self.len());
        if found == 0 || n == 0 {
            return Ok((scores, rows));
        }
        // SAFETY: there is room for n × found results; the filter was checked to have a bit for
        // every row.
        ffi::check(|status| unsafe {
            let (h, s, r) = (self.handle.as_ptr(), scores.as_mut_ptr(), rows.as_mut_ptr());
            ffi::priorart_index_search(status, h, n as u64, queries.as_ptr(), found as u64, &search, s, r)
        })?;
        spread(&mut scores, n, found, k, f32::NEG_INFINITY);
        spread(&mut rows, n, found, k, -1);
        for (score, row) in scores.iter_mut().zip(&rows) {
            if *row < 0 {
                *score = f32::NEG_INFINITY;
            }
        }
        self.check_hits(&scores, &rows)?;
        Ok((scores, rows))
    }

    /// All rows that score at least `min_score` for the query, unordered. Exact for `flat`. Kinds
    /// with lists scan only the probed lists; `ivf-pq` compares its estimates with the threshold; a
    /// graph finds rows around its `ef_search` candidates.
    pub fn range_search(
        &self,
        query: &[f32],
        min_score: f32,
        params: &SearchParams,
    ) -> Result<(Vec<f32>, Vec<i64>), Error> {
        let n = self.check_vectors(query)?;
        if n != 1 {
            let expected = format!("one of {} components", self.dims());
            return Err(Error::DimensionMismatch { what: "the query", expected, got: query.len() });
        }
        if min_score.is_nan() {
            return Err(Error::InvalidParameter("min_score is not a number".into()));
        }
        let search = self.search_params(params)?;
        if self.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut hits = ptr::null_mut();
        // SAFETY: as in `search`; on success, `hits` must be freed here.
        let (scores, rows) = unsafe {
            ffi::check(|status| {
                let h = self.handle.as_ptr();
                ffi::priorart_index_range_search(status, h, query.as_ptr(), min_score, &search, &mut hits)
            })?;
            let (mut scores, mut rows) = (ptr::null(), ptr::null());
            let count = ffi::priorart_range_hits(hits, &mut scores, &mut rows) as usize;
            let copied = match count {
                0 => (Vec::new(), Vec::new()),
                _ => (
                    std::slice::from_raw_parts(scores, count).to_vec(),
                    std::slice::from_raw_parts(rows, count).to_vec(),
                ),
            };
            ffi::priorart_range_free(hits);
            copied
        };
        self.check_hits(&scores, &rows)?;
        Ok((scores, rows))
    }

    /// Writes the index in FAISS's file format. The write is neither atomic nor synced: the caller
    /// passes a temporary file, syncs it and renames it.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        if !self.is_trained() {
            return Err(Error::NotTrained);
        }
        let path = c_path(path)?;
        // SAFETY: both pointers live through the call.
        ffi::check(|status| unsafe { ffi::priorart_index_write(status, self.handle.as_ptr(), path.as_ptr()) })
    }

    pub fn kind(&self) -> Kind {
        Kind::from_number(self.shape.kind)
    }

    /// Number of components of a vector.
    pub fn dims(&self) -> usize {
        self.shape.dims as usize
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.shape.rows as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of inverted lists; 0 for kinds without lists.
    pub fn nlist(&self) -> usize {
        self.shape.nlist as usize
    }

    pub fn is_trained(&self) -> bool {
        self.shape.trained
    }

    /// Whether the index refers to a mapped file.
    pub(crate) fn is_mapped(&self) -> bool {
        self.read_only
    }

    /// Number of rows of `queries`. Checks that rows are complete and components are in range.
    pub(crate) fn check_vectors(&self, queries: &[f32]) -> Result<usize, Error> {
        self.check_rows(queries, GREATEST_COMPONENT)
    }

    /// `check_vectors` for vectors that are stored or used for training, with the limit of the
    /// kind.
    fn check_stored(&self, vectors: &[f32]) -> Result<usize, Error> {
        self.check_rows(vectors, self.kind().greatest_component())
    }

    fn check_rows(&self, vectors: &[f32], most: f32) -> Result<usize, Error> {
        let dims = self.dims();
        if !vectors.len().is_multiple_of(dims) {
            let expected = format!("a multiple of {dims}");
            return Err(Error::DimensionMismatch {
                what: "the number of components",
                expected,
                got: vectors.len(),
            });
        }
        // No range contains NaN.
        match vectors.iter().position(|v| !(-most..=most).contains(v)) {
            Some(at) => Err(Error::ComponentOutOfRange { at, most }),
            None => Ok(vectors.len() / dims),
        }
    }

    fn check_writable(&self) -> Result<(), Error> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        Ok(())
    }

    fn search_params(&self, params: &SearchParams) -> Result<ffi::Search, Error> {
        if !self.is_trained() {
            return Err(Error::NotTrained);
        }
        if !(params.k_factor >= 1.0 && params.k_factor <= 1e6) {
            let message = format!("k_factor is {}; expected 1 to 1000000", params.k_factor);
            return Err(Error::InvalidParameter(message));
        }
        let needed = self.len().div_ceil(8);
        if let Some(filter) = params.filter.filter(|f| f.len() < needed) {
            let expected = format!("at least {needed}");
            return Err(Error::DimensionMismatch {
                what: "the bytes of the filter",
                expected,
                got: filter.len(),
            });
        }
        Ok(ffi::Search {
            nprobe: params.nprobe as u64,
            ef_search: params.ef_search as u64,
            filter: params.filter.map_or(ptr::null(), <[u8]>::as_ptr),
            filter_bytes: params.filter.map_or(0, <[u8]>::len) as u64,
            k_factor: params.k_factor,
        })
    }

    /// Checks results of a search. Row numbers and vectors of a mapped file are not checked when it
    /// is opened, so damage appears only here.
    fn check_hits(&self, scores: &[f32], rows: &[i64]) -> Result<(), Error> {
        let len = self.len() as i64;
        if let Some(row) = rows.iter().find(|row| **row >= len || **row < -1) {
            return Err(Error::Corrupt(format!("a list names row {row} of {len}")));
        }
        match rows.iter().zip(scores).find(|(row, score)| **row >= 0 && !score.is_finite()) {
            Some((row, score)) => Err(Error::Corrupt(format!("row {row} scores {score}"))),
            None => Ok(()),
        }
    }
}

/// Moves n groups of `found` items to groups of `k`, and fills the rest with `empty`.
fn spread<T: Copy>(items: &mut [T], n: usize, found: usize, k: usize, empty: T) {
    if found == k {
        return;
    }
    for i in (0..n).rev() {
        items.copy_within(i * found..(i + 1) * found, i * k);
        items[i * k + found..(i + 1) * k].fill(empty);
    }
}

fn too_many(k: usize) -> Error {
    Error::InvalidParameter(format!("k is {k}: too large for memory; use a smaller k"))
}

fn pq_parts(kind: Kind, dims: usize, pq_m: usize) -> Result<usize, Error> {
    // By default two dimensions a part; one, if their number is odd.
    let default = if dims.is_multiple_of(2) { dims / 2 } else { dims };
    let parts = if pq_m == 0 { default } else { pq_m };
    if kind.has_product_quantizer() && (parts > dims || !dims.is_multiple_of(parts)) {
        return Err(Error::InvalidParameter(format!(
            "pq_m is {parts}; expected a divisor of the {dims} dimensions"
        )));
    }
    Ok(parts)
}

fn in_range(name: &str, value: usize, min: usize, max: usize) -> Result<usize, Error> {
    if value < min || value > max {
        return Err(Error::InvalidParameter(format!("{name} is {value}; expected {min} to {max}")));
    }
    Ok(value)
}

fn c_path(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Error::Io(format!("{}: a path cannot contain a NUL", path.display())))
}
