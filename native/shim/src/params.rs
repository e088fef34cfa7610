/// How an index is built.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildParams {
    /// Inverted lists; 0: chosen from the expected rows by [`BuildParams::lists_for`].
    pub nlist: usize,
    /// Parts of a vector in product quantization, four bits each; must divide the dimensions; 0: half of them.
    pub pq_m: usize,
    /// Edges of a graph node on every level above the ground, which has twice as many.
    pub hnsw_m: usize,
    /// Candidates looked at for each row added to a graph.
    pub ef_construction: usize,
    /// Threads of `train` and `add`; 0: all of the machine. A graph built with more than one thread differs a
    /// little from build to build; everything else is the same for the same seed.
    pub threads: usize,
    /// Only the low 31 bits count.
    pub seed: u64,
}

impl Default for BuildParams {
    fn default() -> BuildParams {
        BuildParams { nlist: 0, pq_m: 0, hnsw_m: 32, ef_construction: 80, threads: 0, seed: 1234 }
    }
}

impl BuildParams {
    /// Lists for so many rows: about twice the square root, so that choosing the lists and scanning a few of them
    /// cost about the same, and never fewer than 39 rows a list, which is where FAISS's k-means gets poor.
    pub fn lists_for(rows: usize) -> usize {
        let balanced = (2.0 * (rows as f64).sqrt()).round() as usize;
        balanced.min(rows / 39).clamp(1, 65_536)
    }
}

/// How an index is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchParams<'a> {
    /// Lists that are scanned, of the kinds with lists; more than there are: all.
    pub nprobe: usize,
    /// Candidates kept while walking a graph; at least `k` for `k` hits.
    pub ef_search: usize,
    /// Bit `i % 8` of byte `i / 8` says whether row `i` may be returned. At least one bit a row.
    pub filter: Option<&'a [u8]>,
    /// `ivf-pq-refine`: how many times `k` rows go to the refine stage.
    pub k_factor: f32,
}

impl Default for SearchParams<'_> {
    fn default() -> Self {
        SearchParams { nprobe: 16, ef_search: 64, filter: None, k_factor: 4.0 }
    }
}
