//! Writes the lexical index of a segment.
//!
//! Sections, absent if a document came without texts:
//! - `lexical`: the files of a tantivy index with one segment, one after another. Its documents are
//!   numbered like those of the segment.
//! - `lexical.files`: the version of the analysis, then a line for each file: length in bytes, name

use super::analysis::{Analyser, Language, VERSION};
use super::index::{index_of, Lexical};
use super::{failed, schema, Part, BETWEEN_TEXTS};
use crate::bitmap::Bitmap;
use crate::file::Writer;
use crate::{Error, Result};
use std::io::Read;
use std::path::{Path, PathBuf};
use tantivy::directory::{MmapDirectory, OwnedBytes, RamDirectory};
use tantivy::fastfield::{write_alive_bitset, AliveBitSet};
use tantivy::indexer::merge_filtered_segments;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{Directory, Index, IndexSettings, SingleSegmentIndexWriter, TantivyDocument};

pub(super) const TOKENIZER: &str = "priorart";
pub(super) const SECTION: &str = "lexical";
pub(super) const FILES: &str = "lexical.files";
/// Positions that tantivy leaves between two texts of a part.
const TANTIVY_GAP: u32 = 1;
/// Bytes by which tantivy sizes its table of terms.
const MEMORY: usize = 15_000_000;
/// The most memory that it may use, bytes. Its arena ends at 4 GiB, with a panic. An ingest needs far less, because its segments are
/// small; a merge needs none. It is reached if `check --repair` makes the index of a segment of millions of passages again.
const MOST_MEMORY: usize = 3_800_000_000;

/// The texts of a document.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// Language of a text and the text, by the part that holds it.
    pub texts: &'a [(Part, Language, &'a str)],
}

/// Collects the lexical index of a segment.
pub struct LexicalBuilder {
    directory: RamDirectory,
    writer: SingleSegmentIndexWriter,
}

impl LexicalBuilder {
    pub fn create(path: &Path) -> Result<Self> {
        let directory = RamDirectory::create();
        let tokenizers = TokenizerManager::new();
        tokenizers.register(TOKENIZER, Terms::default());
        let writer = Index::builder()
            .schema(schema())
            .tokenizers(tokenizers)
            .single_segment_index_writer(directory.clone(), MEMORY)
            .map_err(failed(path))?;
        Ok(LexicalBuilder { directory, writer })
    }

    /// Adds the next document. Fails before the index needs more memory than tantivy can address.
    pub fn push(&mut self, path: &Path, texts: &Texts) -> Result<()> {
        if self.writer.mem_usage() > MOST_MEMORY {
            let reason = "the texts of one segment are too many for one lexical index: export the folder, and ingest the export into a new one";
            return Err(Error::Invalid(format!("{}: {reason}", path.display())));
        }
        let mut document = TantivyDocument::new();
        for (part, language, text) in texts.texts {
            document.add_text(part.field(), format!("{}{text}", mark_of(*language)));
        }
        self.writer.add_document(document).map_err(failed(path))
    }

    pub fn write(self, out: &mut Writer, path: &Path) -> Result<()> {
        let index = self.writer.finalize().map_err(failed(path))?;
        let read = |name: &Path| -> Result<OwnedBytes> {
            let file = self.directory.open_read(name).map_err(|error| failed(path)(error.into()))?;
            file.read_bytes().map_err(Error::io(path))
        };
        write_sections(&index, out, |name, out| out.append(&read(name)?))
    }
}

/// A character that tells the tokenizer the language of the text behind it.
fn mark_of(language: Language) -> char {
    char::from_u32('\u{e000}' as u32 + language as u32).expect("a private character")
}

fn language_of(mark: char) -> Language {
    let all = [Language::English, Language::German, Language::French, Language::Other];
    all.into_iter().find(|&language| mark_of(language) == mark).unwrap_or(Language::Other)
}

/// The analysis as a tokenizer of tantivy. Terms of one text are kept together, so that their
/// strings are allocated once.
#[derive(Default)]
struct Terms {
    analyser: Analyser,
    text: String,
    /// End of each term in `text`, and its position.
    ends: Vec<(usize, u32)>,
    /// Number of positions, with those behind the last term.
    positions: u32,
}

impl Clone for Terms {
    fn clone(&self) -> Self {
        Terms::default()
    }
}

impl Tokenizer for Terms {
    type TokenStream<'a> = TermsOfText<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermsOfText<'a> {
        let mut characters = text.chars();
        let language = characters.next().map_or(Language::Other, language_of);
        let Terms { analyser, text, ends, positions } = self;
        text.clear();
        ends.clear();
        *positions = analyser.terms(characters.as_str(), language, |term| {
            text.push_str(term.text);
            ends.push((text.len(), term.position));
        });
        TermsOfText { text, ends, positions: *positions, next: 0, from: 0, token: Token::default() }
    }
}

struct TermsOfText<'a> {
    text: &'a str,
    ends: &'a [(usize, u32)],
    positions: u32,
    next: usize,
    from: usize,
    token: Token,
}

impl TokenStream for TermsOfText<'_> {
    fn advance(&mut self) -> bool {
        let Some(&(end, position)) = self.ends.get(self.next) else { return false };
        self.token.text.clear();
        self.token.text.push_str(&self.text[self.from..end]);
        self.token.position = position as usize;
        self.from = end;
        self.next += 1;
        if self.next == self.ends.len() {
            // The next text of the part begins this far behind the last term.
            self.token.position_length = (self.positions - position + BETWEEN_TEXTS - TANTIVY_GAP) as usize;
        }
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Writes the files of an index. `append` appends one of them.
fn write_sections(
    index: &Index,
    out: &mut Writer,
    mut append: impl FnMut(&Path, &mut Writer) -> Result<()>,
) -> Result<()> {
    let mut names: Vec<PathBuf> = index.directory().list_managed_files().into_iter().collect();
    names.sort();
    let mut files = format!("{VERSION}\n");
    out.begin(SECTION)?;
    for name in names {
        let from = out.section_length();
        append(&name, out)?;
        files += &format!("{} {}\n", out.section_length() - from, name.display());
    }
    out.section(FILES, files.as_bytes())
}

/// Writes the index of merged segments: of each the documents that are not deleted. tantivy writes
/// it to a folder beside `path` first, because it may be larger than memory.
pub fn merge(inputs: &[(&Lexical, &Bitmap)], out: &mut Writer, path: &Path) -> Result<()> {
    let folder = path.with_extension("lexical");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let merged = merge_to(inputs, out, path, &folder);
    let removed = std::fs::remove_dir_all(&folder).map_err(Error::io(&folder));
    merged.and(removed)
}

fn merge_to(inputs: &[(&Lexical, &Bitmap)], out: &mut Writer, path: &Path, folder: &Path) -> Result<()> {
    let failed = failed(path);
    let directory = MmapDirectory::open(folder).map_err(|error| failed(error.into()))?;
    let mut segments = Vec::new();
    let mut alive = Vec::new();
    for (lexical, deleted) in inputs {
        let documents = lexical.documents();
        let mut kept = tantivy::BitSet::with_max_value(documents as u32);
        (0..documents).filter(|&n| !deleted.contains(n)).for_each(|n| {
            kept.insert(n as u32);
        });
        if kept.len() == 0 {
            continue;
        }
        let mut bytes = Vec::new();
        write_alive_bitset(&kept, &mut bytes).map_err(Error::io(path))?;
        alive.push(Some(AliveBitSet::open(OwnedBytes::new(bytes))));
        segments.extend(index_of(lexical.file())?.searchable_segments().map_err(&failed)?);
    }
    if segments.is_empty() {
        return Ok(());
    }
    let index =
        merge_filtered_segments(&segments, IndexSettings::default(), alive, directory).map_err(&failed)?;
    let copy = |name: &Path, out: &mut Writer| {
        let from = folder.join(name);
        let mut file = std::fs::File::open(&from).map_err(Error::io(&from))?;
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer).map_err(Error::io(&from))? {
                0 => return Ok(()),
                read => out.append(&buffer[..read])?,
            }
        }
    };
    write_sections(&index, out, copy)
}
