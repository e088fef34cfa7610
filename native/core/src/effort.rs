//! Calibration of a new index: the effort it needs for good recall, and the cost of searches on
//! this machine.

use crate::segment::{Ann, Codes, Effort, Lists, Segment};
use crate::vectors::{decode, dot};
use crate::Result;

/// Results of the calibration of a new index.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    /// The effort at which the index found `recall` of the true 10 nearest rows of sampled queries.
    pub effort: Effort,
    pub recall: f64,
    pub costs: Costs,
}

/// Nanoseconds of processor time.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// An exact score of a row, if rows are read in order.
    pub row: f64,
    /// The fixed cost of a search: the choice of lists.
    pub start: f64,
    /// A row in a probed list, or a candidate of a walk through a graph.
    pub code: f64,
    /// A row in a scan of all codes; 0 if the index has none.
    pub scan: f64,
}

const SAMPLED_QUERIES: usize = 128;
const K: usize = 10;
const ENOUGH: f64 = 0.995;
/// Rows that an index proposes, from which the best `K` are chosen. A search for 50 documents asks
/// for the same number (`PASSAGES_PER_DOCUMENT` in search/plan.ts).
const PROPOSED: usize = 200;
/// Above this, a walk through a graph costs more than scoring all rows.
const EF_SEARCH_MOST: usize = 1024;

/// Finds the smallest effort at which a new index finds 99.5 % of the true 10 nearest rows, and
/// measures the cost of a search.
///
/// # Errors
/// Errors of the index.
pub fn calibrate<I: Ann + Lists>(segment: &Segment, index: &I) -> Result<Calibrated> {
    let samples = samples(segment);
    let (effort, recall) = match index.lists() {
        0 => walked(segment, index, &samples)?,
        _ => probed(segment, index, &samples)?,
    };
    let costs = measure(segment, index, &samples, effort)?;
    Ok(Calibrated { effort, recall, costs })
}

/// The number of candidates that a walk through a graph must keep.
fn walked(segment: &Segment, index: &impl Ann, samples: &[Sample]) -> Result<(Effort, f64)> {
    let mut ef_search = PROPOSED;
    loop {
        let effort = Effort { nprobe: 1, ef_search };
        let recall = recall_of(segment, index, samples, effort)?;
        if recall >= ENOUGH || ef_search >= EF_SEARCH_MOST {
            return Ok((effort, recall));
        }
        ef_search = (ef_search + ef_search.div_ceil(4)).min(EF_SEARCH_MOST);
    }
}

/// The number of lists that must be probed. It follows from the lists of the true nearest rows,
/// without a search. Estimates from codes do not matter here, since exact scores correct them
/// (search/probe.rs).
fn probed<I: Ann + Lists>(segment: &Segment, index: &I, samples: &[Sample]) -> Result<(Effort, f64)> {
    let mut list_of = vec![0u32; segment.passages()];
    for list in 0..index.lists() {
        index.list_rows(list).iter().for_each(|&row| list_of[row as usize] = list as u32);
    }
    let mut places: Vec<usize> = Vec::new();
    let mut scores = Vec::new();
    for Sample { query, rows, .. } in samples {
        index.list_scores(query, &mut scores)?;
        let place = |row: &u32| {
            let own = scores[list_of[*row as usize] as usize];
            scores.iter().filter(|&&score| score > own).count()
        };
        places.extend(rows.iter().map(place));
    }
    places.sort_unstable();
    let needed = (places.len() as f64 * ENOUGH).ceil() as usize;
    let nprobe = needed.checked_sub(1).map_or(1, |n| places[n] + 1);
    let effort = Effort { nprobe, ef_search: PROPOSED };
    let recall = match index.codes() {
        Some(_) => places.partition_point(|&place| place < nprobe) as f64 / places.len().max(1) as f64,
        None => recall_of(segment, index, samples, effort)?,
    };
    Ok((effort, recall))
}

/// Share of the true `K` nearest rows of the samples that the index proposes at an effort.
fn recall_of(segment: &Segment, index: &impl Ann, samples: &[Sample], effort: Effort) -> Result<f64> {
    let per_sample = K.min(segment.passages());
    let mut found = 0;
    for Sample { query, least, .. } in samples {
        let proposed = index.candidates(query, PROPOSED, None, effort)?;
        let is_true = |row: usize| dot(query, segment.rows(row..row + 1)) >= *least;
        found += proposed.iter().filter(|(row, _)| is_true(*row as usize)).count().min(per_sample);
    }
    Ok(if samples.is_empty() { 1.0 } else { found as f64 / (samples.len() * per_sample) as f64 })
}

struct Sample {
    query: Vec<f32>,
    /// The `K` nearest rows, and the score of the last of them. Other rows with this score, such as
    /// rows of equal text, count as found too.
    rows: Vec<u32>,
    least: f32,
}

/// Makes queries like real questions: a row plus the difference of two other rows. A question has a
/// cosine of about .5 to .6 to its best passage; such a sum has .63, and differs in directions in
/// which vectors of texts differ.
///
/// Measured as the share of the best ten passages in the nearest tenth, fifth and half of 1,340
/// lists: .972, .986 and .999 for 94 questions in six languages over 112,000 passages of the
/// offices' documents; .960, .989 and .998 for 90 such sums; .872, .958 and .994 for rows reduced
/// to a tenth of their components. With whole rows as queries, every index looks good.
fn samples(segment: &Segment) -> Vec<Sample> {
    let rows = segment.passages();
    let count = SAMPLED_QUERIES.min(rows);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let decoded = |row: usize| {
        let mut out = Vec::with_capacity(segment.dimensions());
        decode(segment.rows(row..row + 1), &mut out);
        out
    };
    let mut sample = |n: usize| {
        let mut other = || decoded((next_uniform(&mut state) * rows as f32) as usize % rows);
        let (to, from) = (other(), other());
        let mut query = decoded(n * rows / count);
        query.iter_mut().zip(to.iter().zip(&from)).for_each(|(x, (to, from))| *x += to - from);
        let length = query.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            query.iter_mut().for_each(|x| *x /= length);
        }
        let (rows, least) = nearest(segment, &query);
        Sample { query, rows, least }
    };
    (0..count).map(&mut sample).collect()
}

/// The `K` rows with the greatest scores, and the least of these scores.
fn nearest(segment: &Segment, query: &[f32]) -> (Vec<u32>, f32) {
    let rows = segment.vectors().chunks_exact(segment.dimensions());
    let mut scores: Vec<(f32, u32)> = rows.zip(0..).map(|(row, n)| (dot(query, row), n)).collect();
    let nth = K.min(scores.len()) - 1;
    let least = scores.select_nth_unstable_by(nth, |a, b| b.0.total_cmp(&a.0)).1 .0;
    (scores[..=nth].iter().map(|&(_, row)| row).collect(), least)
}

/// Uniform in 0..1, from xorshift64*. Deterministic, so that calibration always gives the same
/// result.
fn next_uniform(state: &mut u64) -> f32 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
    bits as f32 / (1u64 << 24) as f32
}

/// Samples for the measurement of costs, and groups of rows for that of exact scores. Groups are
/// long, as in an exact scan: in groups of 32, a row of a million took 53 ns; in a scan, 22 ns.
const TIMED: usize = 16;
const TIMED_GROUPS: usize = 128;
const GROUP: usize = 1024;

/// Measures the cost of searches on this machine. Takes the third shortest time of sixteen samples,
/// since other work on the machine only makes times longer. Probes as many lists as a search does,
/// but at least an eighth of them: the time of fewer rows would be lost in the fixed cost of a
/// search.
fn measure<I: Ann + Lists>(
    segment: &Segment,
    index: &I,
    samples: &[Sample],
    effort: Effort,
) -> Result<Costs> {
    let row = cost_of_row(segment, samples)?;
    let search = |query: &[f32], effort: Effort| index.candidates(query, PROPOSED, None, effort).map(drop);
    let lists = index.lists();
    if lists == 0 {
        let walk = quick_of(samples, |query| search(query, effort))?;
        return Ok(Costs { row, start: 0.0, code: walk / effort.ef_search.max(1) as f64, scan: 0.0 });
    }
    let probes = effort.nprobe.max(lists / 8);
    if let Some(codes) = index.codes() {
        return cost_of_codes(segment, codes, samples, probes, row);
    }
    let start = quick_of(samples, |query| search(query, Effort { nprobe: 1, ef_search: PROPOSED }))?;
    let probed = quick_of(samples, |query| search(query, Effort { nprobe: probes, ef_search: PROPOSED }))?;
    let code = (probed - start).max(0.0) / (segment.passages() as f64 * probes as f64 / lists as f64);
    Ok(Costs { row, start, code, scan: 0.0 })
}

fn cost_of_row(segment: &Segment, samples: &[Sample]) -> Result<f64> {
    let rows = segment.passages();
    let groups = TIMED_GROUPS.min(rows / GROUP).max(1);
    let group = GROUP.min(rows);
    let exact = quick_of(samples, |query| {
        for n in 0..groups {
            let from = n * (rows - group) / groups;
            let scores =
                segment.rows(from..from + group).chunks_exact(query.len()).map(|row| dot(query, row));
            std::hint::black_box(scores.fold(f32::NEG_INFINITY, f32::max));
        }
        Ok(())
    })?;
    Ok(exact / (groups * group) as f64)
}

fn cost_of_codes(
    segment: &Segment,
    codes: &dyn Codes,
    samples: &[Sample],
    probes: usize,
    row: f64,
) -> Result<Costs> {
    let chosen: Vec<u32> = (0..probes as u32).collect();
    let scanned: usize = chosen.iter().map(|list| codes.list_rows(*list as usize).len()).sum();
    let (mut list_scores, mut scores, mut best) = (Vec::new(), Vec::new(), Vec::new());
    let mut probe = |query: &[f32], lists: &[u32]| {
        codes.list_scores(query, &mut list_scores)?;
        codes.scan_lists(query, lists, &mut scores, &mut best).map(drop)
    };
    let start = quick_of(samples, |query| probe(query, &[]))?;
    let probed = quick_of(samples, |query| probe(query, &chosen))?;
    let code = (probed - start).max(0.0) / scanned.max(1) as f64;
    let scan = quick_of(samples, |query| codes.scan_all(query, &mut scores).map(drop))?;
    Ok(Costs { row, start, code, scan: scan / segment.passages() as f64 })
}

/// The third shortest time of some work over the timed samples.
fn quick_of(samples: &[Sample], mut work: impl FnMut(&[f32]) -> Result<()>) -> Result<f64> {
    let mut times = Vec::new();
    for Sample { query, .. } in samples.iter().step_by(samples.len().div_ceil(TIMED).max(1)) {
        work(query)?; // Loads everything into memory.
        let from = thread_time();
        work(query)?;
        times.push(thread_time() - from);
    }
    times.sort_by(f64::total_cmp);
    Ok(times.get(times.len() / 8).copied().unwrap_or(0.0))
}

/// Processor time of this thread in nanoseconds; elapsed time if the system does not tell.
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

#[cfg(test)]
mod tests;
