//! Clustered vectors of unit length, like embeddings, and their exact answers by brute force in
//! f64.
#![allow(dead_code)] // Each test program compiles a copy and uses a part of it.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// splitmix64
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    /// Approximately normal: the centred sum of four uniform numbers.
    pub fn normal(&mut self) -> f32 {
        (0..4).map(|_| self.unit()).sum::<f32>() * 1.732 - 3.464
    }
}

pub struct Data {
    pub dims: usize,
    pub rows: Vec<f32>,
    pub queries: Vec<f32>,
}

impl Data {
    /// `count` rows and 50 queries around the same centres.
    pub fn clustered(count: usize, dims: usize, seed: u64) -> Data {
        let mut random = Random::new(seed);
        let centres: Vec<f32> = (0..100 * dims).map(|_| random.normal()).collect();
        let mut draw = |n: usize| {
            let mut out = Vec::with_capacity(n * dims);
            for _ in 0..n {
                let centre = (random.next() % 100) as usize * dims;
                let v: Vec<f32> = (0..dims).map(|j| centres[centre + j] + 0.9 * random.normal()).collect();
                let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                out.extend(v.iter().map(|x| x / norm));
            }
            out
        };
        Data { dims, rows: draw(count), queries: draw(50) }
    }

    pub fn len(&self) -> usize {
        self.rows.len() / self.dims
    }

    pub fn query(&self, i: usize) -> &[f32] {
        &self.queries[i * self.dims..(i + 1) * self.dims]
    }

    pub fn score(&self, query: usize, row: usize) -> f64 {
        let (q, r) = (self.query(query), &self.rows[row * self.dims..(row + 1) * self.dims]);
        q.iter().zip(r).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    }

    /// The `k` best allowed rows for a query, best first.
    pub fn best(&self, query: usize, k: usize, allowed: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut all: Vec<(f64, usize)> =
            (0..self.len()).filter(|r| allowed(*r)).map(|r| (self.score(query, r), r)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        all.into_iter().take(k).map(|(_, r)| r).collect()
    }
}

/// A bitmap that allows about `share` of the rows.
pub fn filter(rows: usize, share: f64, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bits = vec![0u8; rows.div_ceil(8)];
    for row in 0..rows {
        if f64::from(random.unit()) < share {
            bits[row / 8] |= 1 << (row % 8);
        }
    }
    bits
}

pub fn allowed(bits: &[u8], row: usize) -> bool {
    bits[row / 8] >> (row % 8) & 1 == 1
}

/// The share of `expected` that `got` contains.
pub fn recall(expected: &[usize], got: &[i64]) -> f64 {
    let hits = expected.iter().filter(|row| got.contains(&(**row as i64))).count();
    hits as f64 / expected.len() as f64
}
