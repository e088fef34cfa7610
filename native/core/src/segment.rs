//! A segment: the vectors and filter columns of some documents, immutable once written.
//!
//! Documents are numbered 0..n within the segment (their *ordinal*), ascending by document id. The
//! passages of a document are consecutive rows. Sections besides the columns: `vector` (f16 rows),
//! `row_at` (u32, documents + 1), `doc_id` (u32), `doc_key` and `application` (u64: xxh3 of the
//! patent_id, and of the application that links an application with its grant; 0 = none), `grant`
//! (u8, 0 or 1), `about` (dimensions and column names as lines of text), and those of `bags.rs` and
//! `lexical/write.rs`.

use crate::bags::{Bags, BagsBuilder, DocumentBags, NewBags};
use crate::bitmap::Bitmap;
use crate::columns::{KeywordBuilder, Keywords};
use crate::file::{bytes_of, Container, Writer};
use crate::lexical::index::{is_current, Lexical};
use crate::lexical::write::{self as lexical, LexicalBuilder, Texts};
use crate::vectors;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Approximate search over the rows of one segment; the FAISS index implements it.
pub trait Ann: Send + Sync {
    /// Rows of about the best `k` passages with estimates of their scores, best first.
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        effort: Effort,
    ) -> Result<Vec<(u32, f32)>>;
    /// Codes that can be scanned, if the lists of the index have them.
    fn codes(&self) -> Option<&dyn Codes> {
        None
    }
    fn len(&self) -> usize;
    /// Inverted lists of an IVF index, 0 for other indexes. With this `nprobe`, all lists are
    /// scanned.
    fn lists(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Rows whose codes are scanned together.
pub const CODE_BLOCK: usize = 32;

/// Inverted lists whose row numbers are in memory: those of an index with codes, or of a new index.
pub trait Lists {
    /// Nearness of each list to the query. Lists are probed from the greatest down.
    fn list_scores(&self, query: &[f32], out: &mut Vec<f32>) -> Result<()>;
    /// The rows of a list, in the order of its codes.
    fn list_rows(&self, list: usize) -> &[i64];
}

/// Codes in inverted lists, from which the scores of whole lists are estimated. A number s means
/// the estimate `offset + step * s`; scans return `(step, offset)`.
pub trait Codes: Lists {
    /// Estimates of the rows of some lists, each list padded with 0 to whole blocks; and the best
    /// estimate of each block.
    fn scan_lists(
        &self,
        query: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> Result<(f32, f32)>;
    /// Estimates of all rows, ordered by row.
    fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)>;
}

/// Effort of an approximate search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    pub nprobe: usize,
    pub ef_search: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Keyword,
    Date,
}

#[derive(Clone, Debug)]
pub struct ColumnSpec {
    pub name: String,
    pub kind: ColumnKind,
}

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
    lexical: Option<LexicalBuilder>,
    path: PathBuf,
    buffer: Vec<u16>,
}

/// Separates keys of families from those of applications.
const FAMILY_SEED: u64 = 1;

/// Key shared by the publications of one application; 0 = none.
pub fn application_key(application: &str) -> u64 {
    if application.is_empty() {
        0
    } else {
        xxh3_64(application.as_bytes()).max(1)
    }
}

impl SegmentBuilder {
    pub fn create(path: &Path, dimensions: usize, specs: Vec<ColumnSpec>) -> Result<Self> {
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
            lexical: None,
            path: path.into(),
            buffer: Vec::new(),
        })
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
    /// their bags.
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
        self.finish_with(|bags, out| bags.write(out))
    }

    fn finish_with(mut self, bags: impl FnOnce(&BagsBuilder, &mut Writer) -> Result<()>) -> Result<u64> {
        bags(&self.bags, &mut self.out)?;
        let mut about = format!("dimensions {}\n", self.dimensions);
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

pub enum Column<'a> {
    Keyword(Keywords<'a>),
    Date(&'a [i32]),
}

/// An open segment, shared by all threads.
pub struct Segment {
    file: Arc<Container>,
    dimensions: usize,
    specs: Vec<ColumnSpec>,
    docs: usize,
    passages: usize,
    /// Offsets of the vectors and the bags in the file.
    vector_at: usize,
    bag_at: usize,
    /// Whether the data that every search needs has been verified; and the same for each column.
    facts_whole: AtomicBool,
    columns_whole: Box<[AtomicBool]>,
    /// Opened by the first search that needs it.
    lexical: OnceLock<Option<Lexical>>,
    family: OnceLock<Vec<u64>>,
    pub ann: Option<Box<dyn Ann>>,
}

impl Segment {
    pub fn open(path: &Path) -> Result<Self> {
        let file = Arc::new(Container::open(path)?);
        let about = String::from_utf8_lossy(file.section("about")?).into_owned();
        let mut dimensions = 0;
        let mut specs = Vec::new();
        for line in about.lines() {
            match line.split_once(' ') {
                Some(("dimensions", n)) => dimensions = n.parse().unwrap_or(0),
                Some(("keyword", name)) => {
                    specs.push(ColumnSpec { name: name.into(), kind: ColumnKind::Keyword })
                }
                Some(("date", name)) => specs.push(ColumnSpec { name: name.into(), kind: ColumnKind::Date }),
                _ => return Err(Error::corrupt(path, format!("unknown line {line:?} in section about"))),
            }
        }
        let docs = file.numbers::<u32>("doc_id")?.len();
        let row_at = file.numbers::<u32>("row_at")?;
        let passages = row_at.last().copied().unwrap_or(0) as usize;
        let sound = dimensions > 0
            && row_at.len() == docs + 1
            && file.numbers::<u16>("vector")?.len() == passages * dimensions
            && file.numbers::<u64>("doc_key")?.len() == docs
            && file.numbers::<u64>("application")?.len() == docs
            && file.section("grant")?.len() == docs;
        if !sound {
            return Err(Error::corrupt(path, "its sections are inconsistent"));
        }
        let vector_at = file.range_of("vector")?.start;
        let bag_at = if file.has("bag") { file.range_of("bag")?.start } else { 0 };
        let columns_whole = specs.iter().map(|_| AtomicBool::new(false)).collect();
        let facts_whole = AtomicBool::new(false);
        let segment = Segment {
            dimensions,
            specs,
            docs,
            passages,
            vector_at,
            bag_at,
            facts_whole,
            columns_whole,
            lexical: OnceLock::new(),
            ann: None,
            family: OnceLock::new(),
            file,
        };
        for spec in &segment.specs {
            segment.column(spec)?;
        }
        Bags::of(&segment.file, docs, passages)?;
        Ok(segment)
    }

    pub fn file(&self) -> &Container {
        &self.file
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub fn docs(&self) -> usize {
        self.docs
    }

    pub fn passages(&self) -> usize {
        self.passages
    }

    pub fn specs(&self) -> &[ColumnSpec] {
        &self.specs
    }

    fn known<T: crate::file::Plain>(&self, name: &str) -> &[T] {
        self.file.numbers(name).expect("checked at opening")
    }

    pub fn doc_id(&self) -> &[u32] {
        self.known("doc_id")
    }

    pub fn doc_key(&self) -> &[u64] {
        self.known("doc_key")
    }

    pub fn application(&self) -> &[u64] {
        self.known("application")
    }

    /// For each document a key that the publications of a family share. A publication without a
    /// family has the key of its application; 0 = none.
    ///
    /// # Errors
    /// If the segment has no column `family`, or it is damaged.
    pub fn family(&self) -> Result<&[u64]> {
        if let Some(keys) = self.family.get() {
            return Ok(keys);
        }
        let families = self.keywords("family")?;
        let key = |(ordinal, &application): (usize, &u64)| match families.of_doc(ordinal).first() {
            Some(&term) => xxh3_64_with_seed(families.term(term).as_bytes(), FAMILY_SEED).max(1),
            None => application,
        };
        let keys = self.application().iter().enumerate().map(key).collect();
        Ok(self.family.get_or_init(|| keys))
    }

    pub fn is_grant(&self, ordinal: usize) -> bool {
        self.file.section("grant").expect("checked at opening")[ordinal] != 0
    }

    pub fn row_at(&self) -> &[u32] {
        self.known("row_at")
    }

    pub fn rows_of(&self, ordinal: usize) -> std::ops::Range<usize> {
        let at = self.row_at();
        at[ordinal] as usize..(at[ordinal + 1] as usize).min(self.passages)
    }

    pub fn vectors(&self) -> &[u16] {
        self.known("vector")
    }

    /// Stored rows, as half-precision bits.
    pub fn rows(&self, rows: std::ops::Range<usize>) -> &[u16] {
        &self.vectors()[rows.start * self.dimensions..rows.end * self.dimensions]
    }

    /// Verifies the data that every search needs. Call it before any search. Columns are verified
    /// at their first use, vectors and bags for each document.
    pub fn verify_facts(&self) -> Result<()> {
        if self.facts_whole.load(Ordering::Relaxed) {
            return Ok(());
        }
        let is_column = |name: &str| self.specs.iter().any(|spec| is_part(name, &spec.name));
        self.file.verify_sections(|name| !LARGE.contains(&name) && !is_column(name))?;
        self.facts_whole.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The lexical index; `None` if the segment has none of this version of the analysis. Its bytes
    /// are verified when they are read.
    pub fn lexical(&self) -> Result<Option<&Lexical>> {
        if let Some(open) = self.lexical.get() {
            return Ok(open.as_ref());
        }
        let opened = Lexical::open(&self.file, self.docs)?;
        Ok(self.lexical.get_or_init(|| opened).as_ref())
    }

    /// Whether the segment has a lexical index of this version of the analysis.
    pub fn has_lexical(&self) -> Result<bool> {
        is_current(&self.file)
    }

    /// Verifies rows. Call it before `rows` or `vectors` are used for an answer.
    #[inline]
    pub fn verify_rows(&self, rows: std::ops::Range<usize>) -> Result<()> {
        let bytes = |row: usize| self.vector_at + row * self.dimensions * size_of::<u16>();
        self.file.verify(bytes(rows.start)..bytes(rows.end))
    }

    /// Numbers of a document's texts (titles and passages) among all texts of the segment.
    fn texts_of(&self, ordinal: usize) -> std::ops::Range<usize> {
        let rows = self.rows_of(ordinal);
        rows.start + ordinal..rows.end + ordinal + 1
    }

    /// The bags for rerankers, if the segment has any.
    pub fn bags(&self) -> Option<Bags<'_>> {
        Bags::of(&self.file, self.docs, self.passages).expect("checked at opening")
    }

    /// The bags of a document, if the segment has bags of this model.
    pub fn bags_of(&self, ordinal: usize, model: &str) -> Result<Option<DocumentBags<'_>>> {
        self.verify_facts()?;
        let Some(bags) = self.bags().filter(|bags| bags.model == model) else { return Ok(None) };
        let bytes = bags.range_of(ordinal);
        self.file.verify(self.bag_at + bytes.start..self.bag_at + bytes.end)?;
        Ok(bags.document(ordinal, self.texts_of(ordinal)))
    }

    pub fn facts(&self) -> Facts<'_> {
        Facts {
            dimensions: self.dimensions,
            application: self.application(),
            doc_key: self.doc_key(),
            grant: self.file.section("grant").expect("checked at opening"),
            row_at: self.row_at(),
            vectors: self.vectors(),
        }
    }

    pub fn ordinal_of_id(&self, id: u32) -> Option<usize> {
        self.doc_id().binary_search(&id).ok()
    }

    pub fn column(&self, spec: &ColumnSpec) -> Result<Column<'_>> {
        match spec.kind {
            ColumnKind::Keyword => Ok(Column::Keyword(Keywords::open(&self.file, &spec.name)?)),
            ColumnKind::Date => {
                let days: &[i32] = self.file.numbers(&format!("{}.day", spec.name))?;
                if days.len() != self.docs {
                    return Err(Error::corrupt(
                        self.file.path(),
                        format!("column {} has a wrong length", spec.name),
                    ));
                }
                Ok(Column::Date(days))
            }
        }
    }

    pub fn column_named(&self, name: &str) -> Result<Column<'_>> {
        match self.specs.iter().position(|spec| spec.name == name) {
            Some(n) => {
                if !self.columns_whole[n].load(Ordering::Relaxed) {
                    self.file.verify_sections(|section| is_part(section, name))?;
                    self.columns_whole[n].store(true, Ordering::Relaxed);
                }
                self.column(&self.specs[n])
            }
            None => Err(Error::corrupt(
                self.file.path(),
                format!(
                    "no column {name}: an earlier version wrote the segment; run `priorart check --repair` to rebuild it"
                ),
            )),
        }
    }

    pub fn keywords(&self, name: &str) -> Result<Keywords<'_>> {
        match self.column_named(name)? {
            Column::Keyword(column) => Ok(column),
            Column::Date(_) => {
                Err(Error::Invalid(format!("column {name} holds dates; expected a keyword column")))
            }
        }
    }
}

/// Sections that a scan reads, looked up once: a look-up by name takes some five times as long as
/// scoring a document.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    pub dimensions: usize,
    pub application: &'a [u64],
    pub doc_key: &'a [u64],
    grant: &'a [u8],
    row_at: &'a [u32],
    vectors: &'a [u16],
}

impl<'a> Facts<'a> {
    pub fn is_grant(&self, ordinal: usize) -> bool {
        self.grant[ordinal] != 0
    }

    pub fn rows_of(&self, ordinal: usize) -> std::ops::Range<usize> {
        let passages = self.vectors.len() / self.dimensions;
        self.row_at[ordinal] as usize..(self.row_at[ordinal + 1] as usize).min(passages)
    }

    /// Stored rows, as half-precision bits.
    pub fn rows(&self, rows: std::ops::Range<usize>) -> &'a [u16] {
        &self.vectors[rows.start * self.dimensions..rows.end * self.dimensions]
    }

    /// The document of a row.
    pub fn ordinal_of_row(&self, row: u32) -> usize {
        self.row_at.partition_point(|&at| at <= row) - 1
    }
}

/// Sections whose parts are verified when they are read.
const LARGE: [&str; 3] = ["vector", "bag", "lexical"];

/// Whether a section belongs to a column.
fn is_part(section: &str, column: &str) -> bool {
    section.strip_prefix(column).is_some_and(|rest| rest.starts_with('.'))
}

/// Merges segments into one, without deleted documents. Inputs ascend by document id. If their bags
/// are of different models, those of the newest segment are kept.
pub fn merge(inputs: &[(&Segment, &Bitmap)], out: &Path) -> Result<(usize, usize, u64)> {
    let (first, _) = inputs.first().ok_or_else(|| Error::Invalid("nothing to merge".into()))?;
    let mut builder = SegmentBuilder::create(out, first.dimensions, first.specs.clone())?;
    let all = || inputs.iter().filter_map(|(segment, deleted)| Some((segment.bags()?, deleted)));
    let model = all().last().map(|(bags, _)| bags.model);
    builder.bags = BagsBuilder::of_model(model);
    for (segment, deleted) in inputs {
        // Damaged data must not get a new checksum.
        segment.file.verify_all()?;
        builder.copy_from(segment, deleted)?;
    }
    let (docs, passages) = (builder.docs(), builder.passages());
    let lexical: Option<Vec<(&Lexical, &Bitmap)>> = inputs
        .iter()
        .map(|(segment, deleted)| Ok(segment.lexical()?.map(|lexical| (lexical, *deleted))))
        .collect::<Result<_>>()?;
    if let Some(inputs) = lexical {
        lexical::merge(&inputs, &mut builder.out, out)?;
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
