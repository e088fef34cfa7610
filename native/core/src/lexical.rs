//! The lexical index: which documents hold a word, a number or a code. It stands beside the vectors
//! of a segment, in the same file, so that it is committed, merged, copied and verified with them.

pub mod analysis;
mod beside;
mod characters;
mod compounds;
pub mod concept;
mod elision;
mod endings;
mod found;
mod fragments;
mod grammar;
mod greek;
pub mod han;
pub mod index;
mod okurigana;
mod particles;
pub mod places;
pub mod question;
mod readings;
pub mod score;
mod spacing;
mod stop_words;
pub mod stream;
pub mod sums;
pub mod terms;
pub mod translate;
pub mod write;

use crate::Error;
use std::path::Path;
use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::TantivyError;

/// The fields of a document, in the order of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Names of applicants and inventors, whose words have no stem.
    Names,
    Title,
    Claims,
    /// Abstract and description.
    Text,
}

impl Part {
    pub const ALL: [Part; 4] = [Part::Names, Part::Title, Part::Claims, Part::Text];

    pub fn name(self) -> &'static str {
        match self {
            Part::Names => "names",
            Part::Title => "title",
            Part::Claims => "claims",
            Part::Text => "text",
        }
    }

    fn field(self) -> Field {
        Field::from_field_id(self as u32)
    }
}

/// Positions between two texts of a part, so that no phrase is found across them: more than a phrase has between two of
/// its words.
const BETWEEN_TEXTS: u32 = 8;

fn schema() -> Schema {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(write::TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let options = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    for part in Part::ALL {
        schema.add_text_field(part.name(), options.clone());
    }
    schema.build()
}

/// An error of tantivy on the index of a segment file.
fn failed(path: &Path) -> impl Fn(TantivyError) -> Error + '_ {
    move |error| match input_output(&error) {
        Some(source) => reading(path, source),
        None => Error::corrupt(path, format!("the lexical index: {error}")),
    }
}

/// The error of the operating system behind an error of tantivy: a full disk is no damage.
fn input_output(error: &TantivyError) -> Option<&std::io::Error> {
    match error {
        TantivyError::IoError(source)
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: source, .. })
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: source, .. })
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: source, .. }) => {
            Some(source)
        }
        _ => None,
    }
}

/// An error of reading a part of the file, which may carry that of a damaged block.
fn reading(path: &Path, source: &std::io::Error) -> Error {
    match source.kind() {
        std::io::ErrorKind::InvalidData => Error::corrupt(path, format!("the lexical index: {source}")),
        kind => Error::Io { path: path.into(), source: std::io::Error::new(kind, source.to_string()) },
    }
}

#[cfg(test)]
mod tests;
