use super::*;
use crate::bitmap::Bitmap;
use crate::segment::{NewDocument, SegmentBuilder, CODE_BLOCK};
use std::path::Path;

const DIMENSIONS: usize = 8;
const CENTRES: usize = 24;

/// Rows around centres of unit length, one for each document.
fn segment(path: &Path, rows: usize) -> (Segment, Vec<Vec<f32>>) {
    let mut state = 11u64;
    let mut vector = |middle: &[f32], spread: f32| {
        let row: Vec<f32> = middle.iter().map(|x| x + spread * (next_uniform(&mut state) - 0.5)).collect();
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.into_iter().map(|x| x / length).collect::<Vec<f32>>()
    };
    let centres: Vec<Vec<f32>> = (0..CENTRES).map(|_| vector(&[0.0; DIMENSIONS], 1.0)).collect();
    let mut builder = SegmentBuilder::create(path, DIMENSIONS, Vec::new()).unwrap();
    for n in 0..rows {
        let new = NewDocument {
            id: n as u32,
            patent_id: &format!("US{n}"),
            application: "",
            grant: false,
            vectors: &vector(&centres[n % CENTRES], 0.6),
            bags: None,
            texts: None,
        };
        builder.push(&new, &[]).unwrap();
    }
    builder.finish().unwrap();
    (Segment::open(path).unwrap(), centres)
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Rows in the lists of their nearest centroids, with or without codes.
struct Listed<'a> {
    segment: &'a Segment,
    centroids: Vec<Vec<f32>>,
    lists: Vec<Vec<i64>>,
    with_codes: bool,
}

impl<'a> Listed<'a> {
    fn new(segment: &'a Segment, centroids: &[Vec<f32>], with_codes: bool) -> Self {
        let mut lists = vec![Vec::new(); centroids.len()];
        for row in 0..segment.passages() {
            let score = |list: &usize| dot(&centroids[*list], segment.rows(row..row + 1));
            let nearest = (0..lists.len()).max_by(|a, b| score(a).total_cmp(&score(b))).unwrap();
            lists[nearest].push(row as i64);
        }
        Listed { segment, centroids: centroids.to_vec(), lists, with_codes }
    }

    /// Lists by their nearness to the query, nearest first.
    fn nearest_lists(&self, query: &[f32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.lists.len()).collect();
        order.sort_by(|&a, &b| {
            product(query, &self.centroids[b]).total_cmp(&product(query, &self.centroids[a]))
        });
        order
    }
}

impl Ann for Listed<'_> {
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        effort: Effort,
    ) -> Result<Vec<(u32, f32)>> {
        assert!(filter.is_none());
        let near = self.nearest_lists(query).into_iter().take(effort.nprobe);
        let rows = near.flat_map(|list| self.lists[list].iter().map(|&row| row as usize));
        let mut scored: Vec<(u32, f32)> =
            rows.map(|row| (row as u32, dot(query, self.segment.rows(row..row + 1)))).collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        scored.truncate(k);
        Ok(scored)
    }

    fn codes(&self) -> Option<&dyn Codes> {
        self.with_codes.then_some(self)
    }

    fn len(&self) -> usize {
        self.segment.passages()
    }

    fn lists(&self) -> usize {
        self.lists.len()
    }
}

impl Lists for Listed<'_> {
    fn list_scores(&self, query: &[f32], out: &mut Vec<f32>) -> Result<()> {
        out.clear();
        out.extend(self.centroids.iter().map(|centroid| product(query, centroid)));
        Ok(())
    }

    fn list_rows(&self, list: usize) -> &[i64] {
        &self.lists[list]
    }
}

impl Codes for Listed<'_> {
    fn scan_lists(
        &self,
        _: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> Result<(f32, f32)> {
        let blocks: usize =
            lists.iter().map(|&list| self.lists[list as usize].len().div_ceil(CODE_BLOCK)).sum();
        out.resize(blocks * CODE_BLOCK, 0);
        best.resize(blocks, 0);
        Ok((1.0, 0.0))
    }

    fn scan_all(&self, _: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)> {
        out.resize(self.len(), 0);
        Ok((1.0, 0.0))
    }
}

/// Finds the true rows if it may keep `needed` candidates, and the worst rows otherwise.
struct Graph<'a> {
    segment: &'a Segment,
    needed: usize,
}

impl Ann for Graph<'_> {
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        _: Option<&Bitmap>,
        effort: Effort,
    ) -> Result<Vec<(u32, f32)>> {
        let score = |row: usize| dot(query, self.segment.rows(row..row + 1));
        let mut scored: Vec<(u32, f32)> = (0..self.len()).map(|row| (row as u32, score(row))).collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        if effort.ef_search < self.needed {
            scored.reverse();
        }
        scored.truncate(k);
        Ok(scored)
    }

    fn len(&self) -> usize {
        self.segment.passages()
    }

    fn lists(&self) -> usize {
        0
    }
}

impl Lists for Graph<'_> {
    fn list_scores(&self, _: &[f32], _: &mut Vec<f32>) -> Result<()> {
        unreachable!("a graph has no lists")
    }

    fn list_rows(&self, _: usize) -> &[i64] {
        unreachable!("a graph has no lists")
    }
}

#[test]
fn as_many_lists_are_probed_as_hold_the_true_rows() {
    let dir = tempfile::tempdir().unwrap();
    let (segment, centres) = segment(&dir.path().join("segment"), 3000);
    for with_codes in [true, false] {
        let index = Listed::new(&segment, &centres, with_codes);
        let samples = samples(&segment);
        assert_eq!(samples.len(), SAMPLED_QUERIES);
        let share_at = |nprobe: usize| {
            let found = |Sample { query, rows, .. }: &Sample| {
                let near = &index.nearest_lists(query)[..nprobe];
                let in_them =
                    |row: &&u32| near.iter().any(|&list| index.lists[list].contains(&(**row).into()));
                rows.iter().filter(in_them).count()
            };
            samples.iter().map(found).sum::<usize>() as f64 / (samples.len() * K) as f64
        };
        let least = (1..=CENTRES).find(|&nprobe| share_at(nprobe) >= ENOUGH).unwrap();
        assert!((2..CENTRES).contains(&least), "{least} lists would show nothing");
        let found = calibrate(&segment, &index).unwrap();
        assert_eq!(found.effort, Effort { nprobe: least, ef_search: PROPOSED });
        assert!((found.recall - share_at(least)).abs() < 1e-9, "{} {}", found.recall, share_at(least));
        let again = calibrate(&segment, &index).unwrap();
        assert_eq!((again.effort, again.recall), (found.effort, found.recall));
        let Costs { row, start, code, scan } = found.costs;
        assert!([row, start, code, scan].iter().all(|cost| cost.is_finite() && *cost >= 0.0));
        assert!(row > 0.0 && start > 0.0 && (scan > 0.0) == with_codes, "{:?}", found.costs);
    }
}

#[test]
fn one_list_is_probed_if_there_is_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let (segment, centres) = segment(&dir.path().join("segment"), 40);
    let found = calibrate(&segment, &Listed::new(&segment, &centres[..1], true)).unwrap();
    assert_eq!((found.effort.nprobe, found.recall), (1, 1.0));
}

#[test]
fn fewer_rows_than_are_looked_for_are_all_found() {
    let dir = tempfile::tempdir().unwrap();
    let (segment, centres) = segment(&dir.path().join("segment"), K / 2);
    let found = calibrate(&segment, &Listed::new(&segment, &centres, false)).unwrap();
    assert_eq!(found.recall, 1.0);
    assert!(found.effort.nprobe <= CENTRES);
}

#[test]
fn a_graph_keeps_as_many_candidates_as_it_needs() {
    let dir = tempfile::tempdir().unwrap();
    let (segment, _) = segment(&dir.path().join("segment"), 3000);
    // Each step is a quarter more: 200, 250, 313, 392, 490, …
    for (needed, expected) in [(1, 200), (250, 250), (251, 313), (400, 490)] {
        let found = calibrate(&segment, &Graph { segment: &segment, needed }).unwrap();
        assert_eq!(found.effort, Effort { nprobe: 1, ef_search: expected }, "{needed}");
        assert_eq!(found.recall, 1.0);
        assert!(found.costs.code > 0.0 && found.costs.start == 0.0 && found.costs.scan == 0.0);
    }
    let hopeless = calibrate(&segment, &Graph { segment: &segment, needed: usize::MAX }).unwrap();
    assert_eq!(hopeless.effort.ef_search, EF_SEARCH_MOST);
    assert!(hopeless.recall < 0.5);
}
