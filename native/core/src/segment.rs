//! A segment: the vectors and filter columns of some documents, immutable once written.
//!
//! Documents are numbered 0..n within the segment (their *ordinal*), ascending by document id. The
//! passages of a document are consecutive rows. Sections besides the columns: `vector` (f16 rows),
//! `row_at` (u32, documents + 1), `doc_id` (u32), `doc_key` and `application` (u64: xxh3 of the
//! patent_id, and of the application that links an application with its grant; 0 = none), `grant`
//! (u8, 0 or 1), `about` (dimensions and column names as lines of text), and those of `bags.rs` and
//! `lexical/write.rs` and `sketch.rs`.

pub mod ann;
mod starts;
mod write;

pub use ann::{Ann, Codes, Effort, Lists, CODE_BLOCK};
pub use write::{application_key, merge, NewDocument, SegmentBuilder, Value};

use crate::bags::{BagPlaces, Bags, DocumentBags};
use crate::columns::Keywords;
use crate::day_order::DayOrder;
use crate::file::Container;
use crate::lexical::index::{is_current, Lexical};
use crate::sketch::{self, Sketches};
use crate::{Error, Result};
use starts::Starts;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_64_with_seed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Keyword,
    Date,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSpec {
    pub name: String,
    pub kind: ColumnKind,
}

/// Separates keys of families from those of applications.
const FAMILY_SEED: u64 = 1;

pub enum Column<'a> {
    Keyword(Keywords<'a>),
    /// The day of each document.
    Date(&'a [i32]),
}

/// Ranges in the file of the sections that searches read. A search asks for them thousands of times, and a lookup by name
/// hashes the name.
struct Places {
    doc_id: Range<usize>,
    doc_key: Range<usize>,
    application: Range<usize>,
    grant: Range<usize>,
    row_at: Range<usize>,
    vector: Range<usize>,
    /// Of documents, and of passages; `None` if the segment has no sketches of this version.
    sketches: Option<(Range<usize>, Range<usize>)>,
    bags: Option<BagPlaces>,
}

/// An open segment, shared by all threads.
pub struct Segment {
    file: Arc<Container>,
    dimensions: usize,
    specs: Vec<ColumnSpec>,
    docs: usize,
    passages: usize,
    places: Places,
    /// Whether the data that every search needs has been verified; and the same for each column.
    facts_whole: AtomicBool,
    columns_whole: Box<[AtomicBool]>,
    /// For each column, the order of a date column; made by the first filter that needs it.
    day_orders: Box<[OnceLock<Option<DayOrder>>]>,
    /// Made by the first search.
    starts: OnceLock<Starts>,
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
        let mut has_sketches = false;
        for line in about.lines() {
            match line.split_once(' ') {
                Some(("sketch", version)) => has_sketches = version.parse() == Ok(sketch::VERSION),
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
        let range = |name| file.range_of(name);
        let places = Places {
            doc_id: range("doc_id")?,
            doc_key: range("doc_key")?,
            application: range("application")?,
            grant: range("grant")?,
            row_at: range("row_at")?,
            vector: range("vector")?,
            sketches: match has_sketches {
                true => Some((range("sketch.docs")?, range("sketch.rows")?)),
                false => None,
            },
            bags: Bags::places(&file, docs, passages)?,
        };
        let columns_whole = specs.iter().map(|_| AtomicBool::new(false)).collect();
        let day_orders = specs.iter().map(|_| OnceLock::new()).collect();
        let facts_whole = AtomicBool::new(false);
        let segment = Segment {
            dimensions,
            specs,
            docs,
            passages,
            places,
            facts_whole,
            columns_whole,
            day_orders,
            starts: OnceLock::new(),
            lexical: OnceLock::new(),
            ann: None,
            family: OnceLock::new(),
            file,
        };
        for spec in &segment.specs {
            segment.column(spec)?;
        }
        if has_sketches && segment.sketches().is_none() {
            return Err(Error::corrupt(path, "its sketches have a wrong length"));
        }
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

    pub fn doc_id(&self) -> &[u32] {
        self.file.numbers_at(&self.places.doc_id)
    }

    pub fn doc_key(&self) -> &[u64] {
        self.file.numbers_at(&self.places.doc_key)
    }

    pub fn application(&self) -> &[u64] {
        self.file.numbers_at(&self.places.application)
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
        self.grant()[ordinal] != 0
    }

    fn grant(&self) -> &[u8] {
        self.file.bytes(self.places.grant.clone())
    }

    pub fn row_at(&self) -> &[u32] {
        self.file.numbers_at(&self.places.row_at)
    }

    pub fn rows_of(&self, ordinal: usize) -> Range<usize> {
        let at = self.row_at();
        at[ordinal] as usize..(at[ordinal + 1] as usize).min(self.passages)
    }

    pub fn vectors(&self) -> &[u16] {
        self.file.numbers_at(&self.places.vector)
    }

    /// Stored rows, as half-precision bits.
    pub fn rows(&self, rows: Range<usize>) -> &[u16] {
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
    pub fn verify_rows(&self, rows: Range<usize>) -> Result<()> {
        let bytes = |row: usize| self.places.vector.start + row * self.dimensions * size_of::<u16>();
        self.file.verify(bytes(rows.start)..bytes(rows.end))
    }

    /// The sketches, if the segment has any of this version. Call `verify_facts` before those of
    /// documents are used, and `verify_sketch` before those of passages are.
    #[inline]
    pub fn sketches(&self) -> Option<Sketches<'_>> {
        let (docs, rows) = self.places.sketches.as_ref()?;
        let bytes = |place: &Range<usize>| self.file.bytes(place.clone());
        Sketches::new(self.dimensions, (self.docs, self.passages), bytes(docs), bytes(rows))
    }

    /// Verifies bytes of the section `sketch.rows`.
    #[inline]
    pub fn verify_sketch(&self, bytes: Range<usize>) -> Result<()> {
        let (_, rows) = self.places.sketches.as_ref().expect("the segment has sketches");
        self.file.verify(rows.start + bytes.start..rows.start + bytes.end)
    }

    /// Numbers of a document's texts (titles and passages) among all texts of the segment.
    fn texts_of(&self, ordinal: usize) -> Range<usize> {
        let rows = self.rows_of(ordinal);
        rows.start + ordinal..rows.end + ordinal + 1
    }

    /// The bags for rerankers, if the segment has any.
    pub fn bags(&self) -> Option<Bags<'_>> {
        self.places.bags.as_ref().map(|places| places.open(&self.file))
    }

    /// The bags of a document, if the segment has bags of this model.
    pub fn bags_of(&self, ordinal: usize, model: &str) -> Result<Option<DocumentBags<'_>>> {
        self.verify_facts()?;
        let Some(bags) = self.bags().filter(|bags| bags.model == model) else { return Ok(None) };
        self.file.verify(bags.place_of(ordinal))?;
        Ok(bags.document(ordinal, self.texts_of(ordinal)))
    }

    pub fn facts(&self) -> Facts<'_> {
        Facts {
            dimensions: self.dimensions,
            application: self.application(),
            doc_key: self.doc_key(),
            grant: self.grant(),
            row_at: self.row_at(),
            starts: self.starts.get_or_init(|| Starts::of(self.row_at(), self.passages)),
            vectors: self.vectors(),
        }
    }

    pub fn ordinal_of_id(&self, id: u32) -> Option<usize> {
        let ids = self.doc_id();
        // Ids ascend, so no id lies further back than if there were no gaps. Mostly, there are none.
        let most = id.checked_sub(*ids.first()?)? as usize;
        if ids.get(most) == Some(&id) {
            return Some(most);
        }
        ids[..most.min(ids.len())].binary_search(&id).ok()
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

    /// The documents of a date column by day; `None` if the column is too short for that. `days` are those of the column.
    pub fn day_order(&self, name: &str, days: &[i32]) -> Option<&DayOrder> {
        let n = self.specs.iter().position(|spec| spec.name == name)?;
        self.day_orders[n].get_or_init(|| DayOrder::of(days)).as_ref()
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
    starts: &'a Starts,
    vectors: &'a [u16],
}

impl<'a> Facts<'a> {
    pub fn is_grant(&self, ordinal: usize) -> bool {
        self.grant[ordinal] != 0
    }

    pub fn rows_of(&self, ordinal: usize) -> Range<usize> {
        let passages = self.vectors.len() / self.dimensions;
        self.row_at[ordinal] as usize..(self.row_at[ordinal + 1] as usize).min(passages)
    }

    /// Numbers of passages of adjacent documents.
    pub fn counts(&self, ordinals: Range<usize>) -> impl Iterator<Item = usize> + 'a {
        let from = &self.row_at[ordinals.clone()];
        let to = &self.row_at[ordinals.start + 1..=ordinals.end];
        from.iter().zip(to).map(|(from, to)| to.saturating_sub(*from) as usize)
    }

    /// Stored rows, as half-precision bits.
    pub fn rows(&self, rows: Range<usize>) -> &'a [u16] {
        &self.vectors[rows.start * self.dimensions..rows.end * self.dimensions]
    }

    /// The document of a row.
    pub fn ordinal_of_row(&self, row: u32) -> usize {
        self.starts.document_of(row)
    }
}

/// Sections whose parts are verified when they are read.
const LARGE: [&str; 4] = ["vector", "bag", "lexical", "sketch.rows"];

/// Whether a section belongs to a column.
fn is_part(section: &str, column: &str) -> bool {
    section.strip_prefix(column).is_some_and(|rest| rest.starts_with('.'))
}
