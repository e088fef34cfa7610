//! Writes segments: from documents, and from other segments.

use super::{Column, ColumnKind, ColumnSpec, Segment};
use crate::bags::{BagsBuilder, NewBags};
use crate::bitmap::Bitmap;
use crate::columns::KeywordBuilder;
use crate::file::{bytes_of, Writer};
use crate::lexical::index::Lexical;
use crate::lexical::write::{self as lexical, LexicalBuilder, Texts};
use crate::sketch::{self, SketchBuilder, Sketched};
use crate::vectors;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

enum ColumnBuilder {
    Keyword(KeywordBuilder),
    Date(Vec<i32>),
}

/// One document to be written.
pub struct NewDocument<'a> {
    pub id: u32,
    pub patent_id: &'a str,
    /// Number that links an application with its grant; empty = none.
    pub application: &'a str,
    pub grant: bool,
    /// Rows × dimensions.
    pub vectors: &'a [f32],
    /// Bags for rerankers. Without them, rerankers read the texts.
    pub bags: Option<NewBags<'a>>,
    /// Texts for the lexical index. Without those of every document, the segment has none.
    pub texts: Option<Texts<'a>>,
}

/// The values of one document in a column.
pub enum Value<'a> {
    /// (term, spelling to show)
    Keywords(Vec<(&'a str, &'a str)>),
    Day(i32),
}

pub struct SegmentBuilder {
    out: Writer,
    dimensions: usize,
    specs: Vec<ColumnSpec>,
    columns: Vec<ColumnBuilder>,
    row_at: Vec<u32>,
    doc_id: Vec<u32>,
    doc_key: Vec<u64>,
    application: Vec<u64>,
    grant: Vec<u8>,
    bags: BagsBuilder,
    sketches: SketchBuilder,
    has_sketches: bool,
    sketched: Sketched,
    lexical: Option<LexicalBuilder>,
    path: PathBuf,
    buffer: Vec<u16>,
}

/// Key shared by the publications of one application; 0 = none.
pub fn application_key(application: &str) -> u64 {
    if application.is_empty() {
        0
    } else {
        xxh3_64(application.as_bytes()).max(1)
    }
}

impl SegmentBuilder {
    /// Begins a file. It appears at `path` when it is finished.
    ///
    /// # Errors
    /// `Invalid` if there are no dimensions, and those of files.
    pub fn create(path: &Path, dimensions: usize, specs: Vec<ColumnSpec>) -> Result<Self> {
        if dimensions == 0 {
            return Err(Error::Invalid("got 0 dimensions; expected 1 or more".into()));
        }
        let mut out = Writer::create(path)?;
        out.begin("vector")?;
        let columns = specs
            .iter()
            .map(|spec| match spec.kind {
                ColumnKind::Keyword => ColumnBuilder::Keyword(KeywordBuilder::new()),
                ColumnKind::Date => ColumnBuilder::Date(Vec::new()),
            })
            .collect();
        Ok(SegmentBuilder {
            out,
            dimensions,
            specs,
            columns,
            row_at: vec![0],
            doc_id: Vec::new(),
            doc_key: Vec::new(),
            application: Vec::new(),
            grant: Vec::new(),
            bags: BagsBuilder::default(),
            sketches: SketchBuilder::new(dimensions),
            has_sketches: true,
            sketched: Sketched::default(),
            lexical: None,
            path: path.into(),
            buffer: Vec::new(),
        })
    }

    /// For a segment that is small or searched once: it is scanned exactly.
    pub fn without_sketches(mut self) -> Self {
        self.has_sketches = false;
        self
    }

    /// Appends a document. Ids must ascend; `values` are in the order of the columns.
    pub fn push(&mut self, doc: &NewDocument, values: &[Value]) -> Result<()> {
        if !doc.vectors.len().is_multiple_of(self.dimensions) || doc.vectors.is_empty() {
            return Err(Error::Invalid(format!(
                "{}: got {} numbers; expected rows of {} dimensions",
                doc.patent_id,
                doc.vectors.len(),
                self.dimensions
            )));
        }
        // The comparison is false for NaN.
        if !doc.vectors.iter().all(|x| x.abs() <= vectors::GREATEST) {
            let reason = "a vector holds NaN, infinity or a component beyond half precision";
            return Err(Error::Invalid(format!("{}: {reason}", doc.patent_id)));
        }
        self.buffer.clear();
        vectors::encode(doc.vectors, &mut self.buffer);
        self.out.append(bytes_of(&self.buffer))?;
        if self.has_sketches {
            self.sketches.add(&self.buffer, &mut self.sketched);
        }
        let rows = doc.vectors.len() / self.dimensions;
        self.push_row_count(rows)?;
        self.push_facts(
            doc.id,
            xxh3_64(doc.patent_id.as_bytes()),
            application_key(doc.application),
            doc.grant,
        )?;
        self.bags.push(doc.bags, rows)?;
        self.push_texts(doc.texts)?;
        self.push_values(values)
    }

    /// Called after the facts: the first document begins the lexical index.
    fn push_texts(&mut self, texts: Option<Texts>) -> Result<()> {
        let Some(texts) = texts else {
            self.lexical = None;
            return Ok(());
        };
        if self.doc_id.len() == 1 {
            self.lexical = Some(LexicalBuilder::create(&self.path)?);
        }
        match &mut self.lexical {
            Some(lexical) => lexical.push(&self.path, &texts),
            None => Ok(()),
        }
    }

    fn push_row_count(&mut self, rows: usize) -> Result<()> {
        let end = *self.row_at.last().unwrap() as usize + rows;
        let end = u32::try_from(end)
            .map_err(|_| Error::Invalid("more than 2^32 passages in one segment".into()))?;
        self.row_at.push(end);
        Ok(())
    }

    fn push_facts(&mut self, id: u32, key: u64, application: u64, grant: bool) -> Result<()> {
        if self.doc_id.last().is_some_and(|&last| last >= id) {
            return Err(Error::Invalid(format!("got document id {id}; expected one above the previous id")));
        }
        self.doc_id.push(id);
        self.doc_key.push(key);
        self.application.push(application);
        self.grant.push(grant as u8);
        Ok(())
    }

    fn push_values(&mut self, values: &[Value]) -> Result<()> {
        if values.len() != self.columns.len() {
            return Err(Error::Invalid(format!(
                "got {} values; expected one for each of {} columns",
                values.len(),
                self.columns.len()
            )));
        }
        for ((column, value), spec) in self.columns.iter_mut().zip(values).zip(&self.specs) {
            match (column, value) {
                (ColumnBuilder::Keyword(column), Value::Keywords(terms)) => {
                    column.push(terms.iter().copied())
                }
                (ColumnBuilder::Date(column), Value::Day(day)) => column.push(*day),
                _ => {
                    return Err(Error::Invalid(format!(
                        "column {}: the value is of the wrong kind",
                        spec.name
                    )))
                }
            }
        }
        Ok(())
    }

    /// Copies the documents of an open segment that are not in `deleted`, without the bytes of
    /// their bags and sketches.
    fn copy_from(&mut self, segment: &Segment, deleted: &Bitmap) -> Result<()> {
        if segment.dimensions != self.dimensions {
            return Err(Error::Invalid("segments of different dimensions cannot be merged".into()));
        }
        let specs = self.specs.clone();
        let readers = specs.iter().map(|spec| segment.column(spec)).collect::<Result<Vec<_>>>()?;
        let bags = segment.bags();
        for ordinal in (0..segment.docs()).filter(|&o| !deleted.contains(o)) {
            let rows = segment.rows_of(ordinal);
            self.out.append(bytes_of(segment.rows(rows.clone())))?;
            self.push_row_count(rows.len())?;
            self.bags.copy(bags.as_ref(), ordinal, segment.texts_of(ordinal));
            self.push_facts(
                segment.doc_id()[ordinal],
                segment.doc_key()[ordinal],
                segment.application()[ordinal],
                segment.is_grant(ordinal),
            )?;
            let values: Vec<Value> = readers
                .iter()
                .map(|reader| match reader {
                    Column::Date(days) => Value::Day(days[ordinal]),
                    Column::Keyword(column) => Value::Keywords(
                        column.of_doc(ordinal).iter().map(|&t| (column.term(t), column.label(t))).collect(),
                    ),
                })
                .collect();
            self.push_values(&values)?;
        }
        Ok(())
    }

    /// Appends the sketches of the documents that are not in `deleted` to the section
    /// `sketch.rows`. They are copied, or made if the segment has none.
    fn append_sketches(&mut self, segment: &Segment, deleted: &Bitmap) -> Result<()> {
        let sketches = segment.sketches();
        let mut made = Sketched::default();
        for ordinal in (0..segment.docs()).filter(|&o| !deleted.contains(o)) {
            let rows = segment.rows_of(ordinal);
            match &sketches {
                Some(sketches) => {
                    self.sketched.docs.extend(sketches.docs(ordinal..ordinal + 1));
                    self.out.append(sketches.rows(rows))?;
                }
                None => {
                    made.docs.clear();
                    made.rows.clear();
                    self.sketches.add(segment.rows(rows), &mut made);
                    self.sketched.docs.extend(&made.docs);
                    self.out.append(&made.rows)?;
                }
            }
        }
        Ok(())
    }

    pub fn docs(&self) -> usize {
        self.doc_id.len()
    }

    pub fn passages(&self) -> usize {
        *self.row_at.last().unwrap() as usize
    }

    /// Writes columns, facts and bags. Returns the file's length in bytes.
    pub fn finish(mut self) -> Result<u64> {
        if let Some(lexical) = self.lexical.take() {
            lexical.write(&mut self.out, &self.path)?;
        }
        self.out.section("sketch.rows", &self.sketched.rows)?;
        self.finish_with(|bags, out| bags.write(out))
    }

    /// Called after the sketches of passages are written.
    fn finish_with(mut self, bags: impl FnOnce(&BagsBuilder, &mut Writer) -> Result<()>) -> Result<u64> {
        self.out.section("sketch.docs", &self.sketched.docs)?;
        bags(&self.bags, &mut self.out)?;
        let mut about = format!("dimensions {}\n", self.dimensions);
        if self.has_sketches {
            about += &format!("sketch {}\n", sketch::VERSION);
        }
        for (spec, column) in self.specs.iter().zip(self.columns) {
            match column {
                ColumnBuilder::Keyword(column) => {
                    column.write(&spec.name, &mut self.out)?;
                    about += &format!("keyword {}\n", spec.name);
                }
                ColumnBuilder::Date(days) => {
                    self.out.section(&format!("{}.day", spec.name), bytes_of(&days))?;
                    about += &format!("date {}\n", spec.name);
                }
            }
        }
        self.out.section("row_at", bytes_of(&self.row_at))?;
        self.out.section("doc_id", bytes_of(&self.doc_id))?;
        self.out.section("doc_key", bytes_of(&self.doc_key))?;
        self.out.section("application", bytes_of(&self.application))?;
        self.out.section("grant", &self.grant)?;
        self.out.section("about", about.as_bytes())?;
        self.out.finish()
    }
}

/// Merges segments into one, without deleted documents. Inputs ascend by document id. If their bags
/// are of different models, those of the newest segment are kept. A segment whose documents are all deleted may have any columns.
///
/// # Errors
/// `Invalid` if the segments have different dimensions or columns, and those of damaged data and of files.
pub fn merge(inputs: &[(&Segment, &Bitmap)], out: &Path) -> Result<(usize, usize, u64)> {
    let (oldest, _) = inputs.first().ok_or_else(|| Error::Invalid("nothing to merge".into()))?;
    let has_documents = |(_, deleted): &&(&Segment, &Bitmap)| deleted.count() < deleted.len();
    let living: Vec<(&Segment, &Bitmap)> = inputs.iter().filter(has_documents).copied().collect();
    let first = living.first().map_or(*oldest, |(first, _)| *first);
    for (other, _) in &living {
        check_columns(first, other)?;
    }
    let mut builder = SegmentBuilder::create(out, first.dimensions, first.specs.clone())?;
    let all = || inputs.iter().filter_map(|(segment, deleted)| Some((segment.bags()?, deleted)));
    let model = all().next_back().map(|(bags, _)| bags.model);
    builder.bags = BagsBuilder::of_model(model);
    for (segment, deleted) in &living {
        // Damaged data must not get a new checksum.
        segment.file.verify_all()?;
        builder.copy_from(segment, deleted)?;
    }
    let (docs, passages) = (builder.docs(), builder.passages());
    let lexical: Option<Vec<(&Lexical, &Bitmap)>> = living
        .iter()
        .map(|(segment, deleted)| Ok(segment.lexical()?.map(|lexical| (lexical, *deleted))))
        .collect::<Result<_>>()?;
    if let Some(inputs) = lexical {
        lexical::merge(&inputs, &mut builder.out, out)?;
    }
    builder.out.begin("sketch.rows")?;
    for (segment, deleted) in &living {
        builder.append_sketches(segment, deleted)?;
    }
    let copy = |out: &mut Writer| {
        for (bags, deleted) in all().filter(|(bags, _)| Some(bags.model) == model) {
            for ordinal in (0..bags.documents()).filter(|&o| !deleted.contains(o)) {
                out.append(bags.bytes_of(ordinal))?;
            }
        }
        Ok(())
    };
    let bytes = builder.finish_with(|bags, out| bags.write_with(out, copy))?;
    Ok((docs, passages, bytes))
}

/// A merged segment has the columns of all its documents: one that some lack would be lost or could not be read.
fn check_columns(one: &Segment, other: &Segment) -> Result<()> {
    // They are found by name, so their order does not count.
    let lacks =
        |of: &Segment, from: &Segment| of.specs.iter().find(|spec| !from.specs.contains(spec)).cloned();
    let (path, column) = match (lacks(one, other), lacks(other, one)) {
        (Some(column), _) => (other.file.path(), column),
        (_, Some(column)) => (one.file.path(), column),
        _ => return Ok(()),
    };
    Err(Error::Invalid(format!(
        "segments of different columns cannot be merged: {} has no column {} of this kind; run `priorart check --repair` to rebuild it",
        path.display(),
        column.name
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment of one document.
    fn segment(path: &Path, id: u32, columns: &[(&'static str, ColumnKind)]) -> Segment {
        let spec = |&(name, kind): &(&'static str, ColumnKind)| ColumnSpec { name: name.into(), kind };
        let mut builder = SegmentBuilder::create(path, 1, columns.iter().map(spec).collect()).unwrap();
        let new = NewDocument {
            id,
            patent_id: "x",
            application: "",
            grant: false,
            vectors: &[0.5],
            bags: None,
            texts: None,
        };
        let value = |&(name, kind): &(&'static str, ColumnKind)| match kind {
            ColumnKind::Keyword => Value::Keywords(vec![(name, name)]),
            ColumnKind::Date => Value::Day(7),
        };
        builder.push(&new, &columns.iter().map(value).collect::<Vec<_>>()).unwrap();
        builder.finish().unwrap();
        Segment::open(path).unwrap()
    }

    #[test]
    fn segments_of_different_columns_are_not_merged() {
        use ColumnKind::{Date, Keyword};
        let dir = tempfile::tempdir().unwrap();
        let [older, newer] = ["1", "2"].map(|name| dir.path().join(name));
        let (a, b) = (("a", Keyword), ("b", Date));
        let (alive, gone, out) = (Bitmap::empty(1), Bitmap::full(1), dir.path().join("merged"));
        let cases: [(&[_], &[_], &Path); 4] = [
            (&[a], &[a, b], &older),
            (&[a, b], &[a], &newer),
            (&[a], &[("a", Date)], &newer),
            (&[a], &[("b", Keyword)], &newer),
        ];
        for (first, second, lacking) in cases {
            let (first, second) = (segment(&older, 1, first), segment(&newer, 2, second));
            let error = merge(&[(&first, &alive), (&second, &alive)], &out).unwrap_err();
            let message = error.to_string();
            assert_eq!(error.code(), "invalid_request", "{message}");
            assert!(message.contains("check --repair") && message.contains(&lacking.display().to_string()));
            assert!(!out.exists());
            // Nothing is copied of deleted documents.
            merge(&[(&first, &gone), (&second, &alive)], &out).unwrap();
            let merged = Segment::open(&out).unwrap();
            assert_eq!((merged.docs(), merged.specs()), (1, second.specs()));
            std::fs::remove_file(&out).unwrap();
        }
        let (first, second) = (segment(&older, 1, &[a, b]), segment(&newer, 2, &[b, a]));
        merge(&[(&first, &alive), (&second, &alive)], &out).unwrap();
        let merged = Segment::open(&out).unwrap();
        assert!(matches!(merged.column_named("b").unwrap(), Column::Date([7, 7])));
        assert_eq!(merged.keywords("a").unwrap().of_doc(1).len(), 1);
    }

    #[test]
    fn a_segment_has_dimensions() {
        let dir = tempfile::tempdir().unwrap();
        let error = SegmentBuilder::create(&dir.path().join("x"), 0, vec![]).err().unwrap();
        assert_eq!(error.code(), "invalid_request", "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
