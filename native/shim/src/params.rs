/// How an index is built.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildParams {
    /// Number of inverted lists; 0: chosen from the expected rows by [`BuildParams::lists_for`].
    pub nlist: usize,
    /// Parts of a vector in product quantization, four bits each. Must divide the dimensions; 0:
    /// half of the dimensions.
    pub pq_m: usize,
    /// Edges of a graph node on every level above the lowest, which has twice as many.
    pub hnsw_m: usize,
    /// Candidates examined for each row that is added to a graph.
    pub ef_construction: usize,
    /// Threads of `train` and `add`; 0: all of the machine. A graph built with several threads
    /// differs slightly between builds. All other kinds are identical for the same seed.
    pub threads: usize,
    /// Seed; only the low 31 bits are used.
    pub seed: u64,
}

impl Default for BuildParams {
    fn default() -> BuildParams {
        BuildParams { nlist: 0, pq_m: 0, hnsw_m: 32, ef_construction: 80, threads: 0, seed: 1234 }
    }
}

impl BuildParams {
    /// Number of lists for a number of rows: about twice its square root, so that choosing lists
    /// and scanning a few of them take about the same time. A list has at least 39 rows: with
    /// fewer, FAISS's k-means gives poor centroids.
    pub fn lists_for(rows: usize) -> usize {
        let balanced = (2.0 * (rows as f64).sqrt()).round() as usize;
        balanced.min(rows / 39).clamp(1, 65_536)
    }
}

/// How an index is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchParams<'a> {
    /// Lists to scan, for kinds with lists; at most all.
    pub nprobe: usize,
    /// Candidates kept on the walk through a graph; at least `k` for `k` hits.
    pub ef_search: usize,
    /// Bit `i % 8` of byte `i / 8` is set if row `i` may be returned. At least one bit for each
    /// row.
    pub filter: Option<&'a [u8]>,
    /// For `ivf-pq-refine`: `k_factor * k` rows are rescored.
    pub k_factor: f32,
}

impl Default for SearchParams<'_> {
    fn default() -> Self {
        SearchParams { nprobe: 16, ef_search: 64, filter: None, k_factor: 4.0 }
    }
}
