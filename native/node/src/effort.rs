//! What an index can do, found out when it is built: how hard it must try, and what that costs on this machine.

use crate::errors::from_shim;
use napi::Result;
use napi_derive::napi;
use priorart_core::segment::Segment;
use priorart_core::vectors::{decode, dot};
use priorart_shim::{Index, SearchParams};

#[napi(object)]
pub struct BuiltIndex {
    pub lists: u32,
    /// Probes at which the index found at least `recall` of the true 10 nearest of sampled queries.
    pub nprobe: u32,
    pub ef_search: u32,
    /// Rows that were asked of it then.
    pub proposed: u32,
    pub recall: f64,
    pub costs: MeasuredCosts,
}

/// Nanoseconds of processor time.
#[napi(object)]
pub struct MeasuredCosts {
    /// An exact score of a row, where rows are read one after another.
    pub row: f64,
    /// A search before it looks at its first row: choosing among the lists.
    pub start: f64,
    /// A row in a probed list, or a candidate on a walk through a graph.
    pub code: f64,
    /// A row in a scan of all codes; 0 without such codes.
    pub scan: f64,
}

const SAMPLED_QUERIES: usize = 128;
const K: usize = 10;
const ENOUGH: f64 = 0.997;
/// Rows asked of the index to find the best `K` among, as a search asks for 50 documents (`PASSAGES_PER_DOCUMENT` in
/// search/plan.ts). 4-bit codes are coarse, and the more rows there are, the more of them come before the best.
const PROPOSED: usize = 200;
/// A search asks again where it finds out that they did not suffice.
const PROPOSED_PQ: usize = 800;
const PROPOSED_PQ_MOST: usize = 3_200;
const PROPOSED_ENOUGH: f64 = 0.99;
/// Beyond this a graph costs more than scoring everything.
const EF_SEARCH_MOST: usize = 1024;

/// Finds the smallest effort at which the index finds 99.7 % of the true 10 nearest, or, where coarse codes
/// lose some even when every list is read, 99.7 % of what is found then.
pub fn calibrate(segment: &Segment, index: &Index) -> Result<BuiltIndex> {
    let samples = samples(segment);
    let lists = index.nlist();
    let (mut nprobe, mut ef_search) = (1, PROPOSED);
    let (proposed, most) = proposals(segment, index, &samples)?;
    loop {
        let recall = recall_of(segment, index, &samples, nprobe, ef_search, proposed)?;
        let at_most = if lists > 0 { nprobe >= lists } else { ef_search >= EF_SEARCH_MOST };
        if recall >= ENOUGH * most || at_most {
            let costs = measure(segment, index, &samples, nprobe, ef_search)?;
            let (lists, nprobe, ef_search) = (lists as u32, nprobe as u32, ef_search as u32);
            let proposed = proposed as u32;
            return Ok(BuiltIndex { lists, nprobe, ef_search, proposed, recall, costs });
        }
        if lists > 0 {
            nprobe = (nprobe + nprobe.div_ceil(4)).min(lists);
        } else {
            ef_search = (ef_search + ef_search.div_ceil(4)).min(EF_SEARCH_MOST);
        }
    }
}

/// Rows that have to be asked of the index, and the share of the true `K` nearest that is among them where every list
/// is read.
fn proposals(segment: &Segment, index: &Index, samples: &[Sample]) -> Result<(usize, f64)> {
    let lists = index.nlist();
    if lists == 0 {
        return Ok((PROPOSED, 1.0));
    }
    let quantized = index.kind().has_product_quantizer();
    let mut proposed = if quantized { PROPOSED_PQ } else { PROPOSED };
    loop {
        let recall = recall_of(segment, index, samples, lists, proposed, proposed)?;
        if recall >= PROPOSED_ENOUGH || !quantized || proposed >= PROPOSED_PQ_MOST.min(segment.passages()) {
            return Ok((proposed, recall));
        }
        proposed *= 2;
    }
}

/// Share of the true `K` nearest rows of the samples that the index proposes at some effort.
fn recall_of(
    segment: &Segment,
    index: &Index,
    samples: &[Sample],
    nprobe: usize,
    ef_search: usize,
    proposed: usize,
) -> Result<f64> {
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

/// Samples by which costs are measured, and groups of rows whose exact scores are: long ones, as an exact scan reads
/// them. (In groups of 32 a row of a million took 53 ns, in a scan 22.)
const TIMED: usize = 16;
const TIMED_GROUPS: usize = 128;
const GROUP: usize = 1024;

/// What searches cost on this machine: of the times of sixteen samples the third shortest, since whatever else the
/// machine does while an index is built only makes them longer. Lists are probed as far as a search does, at least an
/// eighth of them: few rows would be lost in what a search costs anyway.
fn measure(
    segment: &Segment,
    index: &Index,
    samples: &[Sample],
    nprobe: usize,
    ef_search: usize,
) -> Result<MeasuredCosts> {
    let rows = segment.passages();
    let timed: Vec<&[f32]> = samples
        .iter()
        .step_by(samples.len().div_ceil(TIMED).max(1))
        .map(|sample| &sample.query[..])
        .collect();
    let quick_of = |work: &mut dyn FnMut(&[f32]) -> Result<()>| -> Result<f64> {
        let mut times = Vec::new();
        for query in &timed {
            work(query)?; // Brings everything into memory.
            let from = thread_time();
            work(query)?;
            times.push(thread_time() - from);
        }
        times.sort_by(f64::total_cmp);
        Ok(times.get(times.len() / 8).copied().unwrap_or(0.0))
    };
    let search = |query: &[f32], nprobe: usize, ef_search: usize| {
        let params = SearchParams { nprobe, ef_search, ..Default::default() };
        index.search(query, PROPOSED, &params).map(drop).map_err(from_shim)
    };
    let groups = TIMED_GROUPS.min(rows / GROUP).max(1);
    let group = GROUP.min(rows);
    let exact = quick_of(&mut |query| {
        for n in 0..groups {
            let from = n * (rows - group) / groups;
            let scores =
                segment.rows(from..from + group).chunks_exact(query.len()).map(|row| dot(query, row));
            std::hint::black_box(scores.fold(f32::NEG_INFINITY, f32::max));
        }
        Ok(())
    })?;
    let row = exact / (groups * group) as f64;
    let lists = index.nlist();
    if lists == 0 {
        let walk = quick_of(&mut |query| search(query, 1, ef_search))?;
        return Ok(MeasuredCosts { row, start: 0.0, code: walk / ef_search.max(1) as f64, scan: 0.0 });
    }
    let probes = nprobe.max(lists / 8);
    let start = quick_of(&mut |query| search(query, 1, PROPOSED))?;
    let probed = quick_of(&mut |query| search(query, probes, PROPOSED))?;
    let code = (probed - start).max(0.0) / (rows as f64 * probes as f64 / lists as f64);
    let mut scores = Vec::new();
    let scan = match index.kind().has_product_quantizer() {
        true => quick_of(&mut |query| index.code_scores(query, &mut scores).map(drop).map_err(from_shim))?,
        false => 0.0,
    };
    Ok(MeasuredCosts { row, start, code, scan: scan / rows as f64 })
}

/// Nanoseconds that this thread has computed; where the system does not tell, that have passed.
fn thread_time() -> f64 {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    {
        #[repr(C)]
        struct Timespec {
            seconds: i64,
            nanoseconds: i64,
        }
        extern "C" {
            fn clock_gettime(clock: i32, out: *mut Timespec) -> i32;
        }
        const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
        let mut now = Timespec { seconds: 0, nanoseconds: 0 };
        // SAFETY: `now` has the layout of timespec on 64-bit Linux.
        if unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut now) } == 0 {
            return now.seconds as f64 * 1e9 + now.nanoseconds as f64;
        }
    }
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_nanos() as f64
}
