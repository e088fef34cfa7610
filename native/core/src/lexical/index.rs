//! Reads the lexical index of a segment.

use super::analysis::VERSION;
use super::write::{FILES, SECTION};
use super::{failed, reading, Part};
use crate::file::Container;
use crate::{Error, Result};
use std::fmt;
use std::io;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{FileHandle, OwnedBytes, WatchCallback, WatchHandle, WritePtr};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{Directory, DocSet, HasLen, Index, InvertedIndexReader, SegmentReader, Term, TERMINATED};

/// Terms at fixed distances: a word, or the pairs of a longer one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// Distance from the first term in positions, ascending from 0; and the term.
    pub terms: Vec<(u32, String)>,
}

impl Phrase {
    pub fn word(term: &str) -> Self {
        Phrase { terms: vec![(0, term.to_owned())] }
    }
}

/// The open index of a segment.
pub struct Lexical {
    file: Arc<Container>,
    parts: [PartIndex; Part::ALL.len()],
    documents: usize,
}

struct PartIndex {
    inverted: Arc<InvertedIndexReader>,
    lengths: FieldNormReader,
    sum: u64,
}

impl Lexical {
    /// `None` if the file has no index, or one of another version of the analysis.
    pub fn open(file: &Arc<Container>, documents: usize) -> Result<Option<Self>> {
        let path = file.path();
        if !file.has(FILES) || version(file)? != VERSION {
            return Ok(None);
        }
        let segments = index_of(file)?.searchable_segments().map_err(failed(path))?;
        let [segment] = &segments[..] else {
            return Err(Error::corrupt(path, "the lexical index has not one segment"));
        };
        let reader = SegmentReader::open(segment).map_err(failed(path))?;
        if reader.max_doc() as usize != documents {
            return Err(Error::corrupt(path, "the lexical index has another number of documents"));
        }
        let part = |part: Part| -> tantivy::Result<PartIndex> {
            let inverted = reader.inverted_index(part.field())?;
            let lengths = reader.get_fieldnorms_reader(part.field())?;
            let sum = (0..reader.max_doc()).map(|n| lengths.fieldnorm(n) as u64).sum();
            Ok(PartIndex { inverted, lengths, sum })
        };
        let [a, b, c, d] = Part::ALL.map(part);
        let parts = (|| Ok([a?, b?, c?, d?]))().map_err(failed(path))?;
        Ok(Some(Lexical { file: Arc::clone(file), parts, documents }))
    }

    pub fn file(&self) -> &Arc<Container> {
        &self.file
    }

    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Sum of the lengths of a part over all documents, deleted ones included.
    pub fn lengths(&self, part: Part) -> u64 {
        self.parts[part as usize].sum
    }

    /// About the number of terms in a part of a document.
    pub fn length(&self, part: Part, document: u32) -> u32 {
        length_of(self.length_code(part, document))
    }

    /// The byte in which tantivy stores this number.
    pub fn length_code(&self, part: Part, document: u32) -> u8 {
        self.parts[part as usize].lengths.fieldnorm_id(document)
    }

    /// Finds the terms of a phrase in a part; `None` if one of them is not there.
    pub fn locate(&self, part: Part, phrase: &Phrase) -> Result<Option<Located>> {
        let inverted = &self.parts[part as usize].inverted;
        let mut terms: Vec<(&str, LocatedTerm)> = Vec::with_capacity(phrase.terms.len());
        for (distance, term) in &phrase.terms {
            if let Some((_, same)) = terms.iter_mut().find(|(other, _)| other == term) {
                same.distances.push(*distance);
                continue;
            }
            let sought = Term::from_field_text(part.field(), term);
            let found = inverted.get_term_info(&sought).map_err(|error| self.fault(&error))?;
            let Some(info) = found else { return Ok(None) };
            terms.push((term, LocatedTerm { distances: vec![*distance], info }));
        }
        let terms: Vec<_> = terms.into_iter().map(|(_, term)| term).collect();
        Ok((!terms.is_empty()).then_some(Located { part, terms }))
    }

    /// Calls `each` with the documents that hold a phrase in a part, ascending, and how often.
    pub fn occurrences(&self, located: &Located, mut each: impl FnMut(u32, u32)) -> Result<()> {
        self.occurrences_by_block(located, |documents, counts| {
            documents.iter().zip(counts).for_each(|(&document, &count)| each(document, count));
        })
    }

    /// The same, for some documents at a time.
    pub fn occurrences_by_block(
        &self,
        located: &Located,
        mut each: impl FnMut(&[u32], &[u32]),
    ) -> Result<()> {
        let inverted = &self.parts[located.part as usize].inverted;
        if let Some(info) = located.only_term() {
            let found = inverted.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs);
            let mut blocks = found.map_err(|error| self.fault(&error))?;
            while !blocks.docs().is_empty() {
                each(blocks.docs(), blocks.freqs());
                blocks.advance();
            }
            return Ok(());
        }
        let mut postings = Vec::with_capacity(located.terms.len());
        for LocatedTerm { distances, info } in &located.terms {
            let found = inverted.read_postings_from_terminfo(info, IndexRecordOption::WithFreqsAndPositions);
            postings.push((&distances[..], found.map_err(|error| self.fault(&error))?));
        }
        phrases(postings, |document, count| each(&[document], &[count]));
        Ok(())
    }

    fn fault(&self, error: &io::Error) -> Error {
        reading(self.file.path(), error)
    }
}

/// The number of terms that a byte of tantivy stands for.
pub fn length_of(code: u8) -> u32 {
    FieldNormReader::id_to_fieldnorm(code)
}

/// A phrase in one part of an index, whose terms are there.
pub struct Located {
    pub part: Part,
    terms: Vec<LocatedTerm>,
}

/// A term of a phrase: its distances from the first term, ascending, and its place in the index.
struct LocatedTerm {
    distances: Vec<u32>,
    info: TermInfo,
}

impl Located {
    /// The least and the greatest number of documents that may hold it, deleted ones included. The
    /// least is known of single terms only.
    pub fn documents(&self) -> (usize, usize) {
        let most = self.terms.iter().map(|term| term.info.doc_freq as usize).min().unwrap_or(0);
        (if self.only_term().is_some() { most } else { 0 }, most)
    }

    /// The term of a phrase of one term.
    fn only_term(&self) -> Option<&TermInfo> {
        match &self.terms[..] {
            [only] if only.distances.len() == 1 => Some(&only.info),
            _ => None,
        }
    }
}

/// Walks the documents that hold all terms, and counts where their distances are those wanted.
fn phrases(mut postings: Vec<(&[u32], SegmentPostings)>, mut each: impl FnMut(u32, u32)) {
    postings.sort_by_key(|(_, postings)| postings.size_hint());
    let furthest = postings.iter().flat_map(|(distances, _)| *distances).max().copied().unwrap_or(0);
    let (mut starts, mut positions) = (Vec::new(), Vec::new());
    let mut document = postings[0].1.doc();
    'documents: while document != TERMINATED {
        for n in 1..postings.len() {
            // `seek` goes forward only, and the first document of a term may lie behind this one.
            let at = postings[n].1.doc();
            let found = if at < document { postings[n].1.seek(document) } else { at };
            if found != document {
                if found == TERMINATED {
                    return;
                }
                document = postings[0].1.seek(found);
                continue 'documents;
            }
        }
        // Each position is moved so that the terms of one occurrence meet at one number.
        for (n, (distances, postings)) in postings.iter_mut().enumerate() {
            let moved = furthest - distances[0];
            let list = if n == 0 { &mut starts } else { &mut positions };
            postings.positions_with_offset(moved, list);
            if n > 0 {
                keep_common(&mut starts, &positions, 0);
            } else if distances.len() > 1 {
                positions.clone_from(&starts);
            }
            // The same term at its other distances.
            for distance in &distances[1..] {
                if starts.is_empty() {
                    break;
                }
                keep_common(&mut starts, &positions, distance - distances[0]);
            }
            if starts.is_empty() {
                break;
            }
        }
        if !starts.is_empty() {
            each(document, starts.len() as u32);
        }
        document = postings[0].1.advance();
    }
}

/// Keeps the numbers of an ascending list that another ascending list has, too, when `more` is added to them.
fn keep_common(list: &mut Vec<u32>, other: &[u32], more: u32) {
    let mut at = 0;
    list.retain(|&number| {
        let wanted = number + more;
        while other.get(at).is_some_and(|&found| found < wanted) {
            at += 1;
        }
        other.get(at) == Some(&wanted)
    });
}

/// Whether a file has a lexical index that can be used.
pub fn is_current(file: &Container) -> Result<bool> {
    Ok(file.has(FILES) && version(file)? == VERSION)
}

fn version(file: &Container) -> Result<u32> {
    let text = String::from_utf8_lossy(file.section(FILES)?);
    let first = text.lines().next().and_then(|line| line.parse().ok());
    first.ok_or_else(|| Error::corrupt(file.path(), format!("section {FILES} has no version")))
}

/// The tantivy index in a file.
pub(super) fn index_of(file: &Arc<Container>) -> Result<Index> {
    let path = file.path();
    let text = String::from_utf8_lossy(file.section(FILES)?);
    let mut at = file.range_of(SECTION)?.start;
    let mut files = Vec::new();
    for line in text.lines().skip(1) {
        let known =
            line.split_once(' ').and_then(|(length, name)| Some((length.parse::<usize>().ok()?, name)));
        let (length, name) =
            known.ok_or_else(|| Error::corrupt(path, format!("section {FILES} has a damaged line")))?;
        files.push((PathBuf::from(name), at..at + length));
        at += length;
    }
    if at != file.range_of(SECTION)?.end {
        return Err(Error::corrupt(path, format!("section {SECTION} has another length than its files")));
    }
    let directory = Files { file: Arc::clone(file), files: files.into() };
    Index::open(directory).map_err(failed(path))
}

/// The files of an index within a segment's file, which can only be read.
#[derive(Clone)]
struct Files {
    file: Arc<Container>,
    files: Arc<[(PathBuf, Range<usize>)]>,
}

impl Files {
    fn handle(&self, path: &Path) -> Option<Handle> {
        let (_, range) = self.files.iter().find(|(name, _)| name == path)?;
        Some(Handle { file: Arc::clone(&self.file), range: range.clone() })
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the lexical index of {}", self.file.path().display())
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "the index of a segment cannot be changed")
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> std::result::Result<Arc<dyn FileHandle>, OpenReadError> {
        let handle = self.handle(path).ok_or_else(|| OpenReadError::FileDoesNotExist(path.into()))?;
        Ok(Arc::new(handle))
    }

    fn delete(&self, path: &Path) -> std::result::Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: read_only().into(), filepath: path.into() })
    }

    fn exists(&self, path: &Path) -> std::result::Result<bool, OpenReadError> {
        Ok(self.files.iter().any(|(name, _)| name == path))
    }

    fn open_write(&self, path: &Path) -> std::result::Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.into()))
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        let handle = self.handle(path).ok_or_else(|| OpenReadError::FileDoesNotExist(path.into()))?;
        let bytes = handle.read_bytes(0..handle.len());
        Ok(bytes.map_err(|error| OpenReadError::wrap_io_error(error, path.into()))?.to_vec())
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// One of the files. Its bytes are verified when they are read.
#[derive(Clone)]
struct Handle {
    file: Arc<Container>,
    range: Range<usize>,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?} of {}", self.range, self.file.path().display())
    }
}

impl HasLen for Handle {
    fn len(&self) -> usize {
        self.range.len()
    }
}

impl FileHandle for Handle {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let range = self.range.start + range.start..self.range.start + range.end;
        let damaged = |error: Error| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
        self.file.verify(range.clone()).map_err(damaged)?;
        Ok(OwnedBytes::new(Bytes { file: Arc::clone(&self.file), range }))
    }
}

/// Bytes of a file that stays mapped as long as they are used.
struct Bytes {
    file: Arc<Container>,
    range: Range<usize>,
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.file.bytes(self.range.clone())
    }
}

// Safety: the bytes are those of a memory map, which does not move while its container lives.
unsafe impl stable_deref_trait::StableDeref for Bytes {}
