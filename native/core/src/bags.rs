//! The bags of a segment's texts (`late/bag.rs`), which rerankers read. They are stored with the
//! vectors.
//!
//! Sections, all absent if no document has bags:
//! - `bag.model`: UTF-8, the model whose pieces the bags contain
//! - `bag`: for each document a byte, whose bit 0 says that its first passage is its abstract; the
//!   bag of its titles; the bags of its passages
//! - `bag.at`: u64, documents + 1; the start of each document in `bag`
//! - `bag.length`: u16, for each document one for the titles and one for each passage
//!
//! A document without bags has no bytes, and lengths of 0.

use crate::file::{bytes_of, Container, Writer};
use crate::{Error, Result};
use std::ops::Range;

const FIRST_IS_ABSTRACT: u8 = 1;

/// The bags of one document to be written.
#[derive(Clone, Copy)]
pub struct NewBags<'a> {
    pub model: &'a str,
    /// In the form of section `bag`.
    pub bytes: &'a [u8],
    /// In the form of section `bag.length`.
    pub lengths: &'a [u16],
}

impl NewBags<'_> {
    /// The first byte of a document's bags.
    pub fn head(first_is_abstract: bool) -> u8 {
        if first_is_abstract {
            FIRST_IS_ABSTRACT
        } else {
            0
        }
    }

    fn is_sound(&self, passages: usize) -> bool {
        let bags: usize = self.lengths.iter().map(|&length| length as usize).sum();
        self.lengths.len() == 1 + passages && self.bytes.len() == 1 + bags && !self.model.is_empty()
    }
}

/// Collects the sections of a file.
#[derive(Default)]
pub struct BagsBuilder {
    /// The model whose bags are stored; bags of other models are omitted.
    model: Option<String>,
    at: Vec<u64>,
    lengths: Vec<u16>,
    /// Bytes of pushed documents. Copied bytes stay in their files until the sections are written.
    bytes: Vec<u8>,
}

impl BagsBuilder {
    /// Stores bags of this model only.
    pub fn of_model(model: Option<&str>) -> Self {
        BagsBuilder { model: model.map(Into::into), ..Default::default() }
    }

    /// Adds the next document. Its bags may be missing.
    pub fn push(&mut self, bags: Option<NewBags>, passages: usize) -> Result<()> {
        let Some(bags) = bags else {
            self.advance(None, passages);
            return Ok(());
        };
        if !bags.is_sound(passages) {
            let (bytes, lengths) = (bags.bytes.len(), bags.lengths.len());
            let message = format!(
                "got bags of {bytes} bytes with {lengths} lengths; expected those of {passages} passages"
            );
            return Err(Error::Invalid(message));
        }
        let model = self.model.get_or_insert_with(|| bags.model.to_owned());
        if model != bags.model {
            return Err(Error::Invalid(format!("got bags of model {}; expected model {model}", bags.model)));
        }
        self.bytes.extend_from_slice(bags.bytes);
        self.advance(Some((bags.bytes.len(), bags.lengths)), passages);
        Ok(())
    }

    /// Adds the next document from another segment. Its bytes follow in `write_with`.
    pub fn copy(&mut self, from: Option<&Bags>, ordinal: usize, texts: Range<usize>) {
        let passages = texts.len() - 1;
        let kept = from.filter(|bags| self.model.as_deref() == Some(bags.model));
        self.advance(kept.map(|bags| (bags.bytes_of(ordinal).len(), &bags.lengths[texts])), passages);
    }

    fn advance(&mut self, bags: Option<(usize, &[u16])>, passages: usize) {
        let end = self.at.last().copied().unwrap_or(0);
        if self.at.is_empty() {
            self.at.push(0);
        }
        let (bytes, lengths) = bags.unwrap_or((0, &[]));
        self.at.push(end + bytes as u64);
        self.lengths.extend_from_slice(lengths);
        self.lengths.extend(std::iter::repeat_n(0, 1 + passages - lengths.len()));
    }

    /// Writes the pushed documents.
    pub fn write(&self, out: &mut Writer) -> Result<()> {
        self.write_with(out, |out| out.append(&self.bytes))
    }

    /// Writes the copied documents. `append` writes their bytes, one document after another.
    pub fn write_with(&self, out: &mut Writer, append: impl FnOnce(&mut Writer) -> Result<()>) -> Result<()> {
        let Some(model) = self.model.as_deref().filter(|_| self.at.last().is_some_and(|&end| end > 0)) else {
            return Ok(());
        };
        out.begin("bag")?;
        append(out)?;
        out.section("bag.at", bytes_of(&self.at))?;
        out.section("bag.length", bytes_of(&self.lengths))?;
        out.section("bag.model", model.as_bytes())
    }
}

/// Where the bags of an open segment are in its file.
pub struct BagPlaces {
    model: String,
    bytes: Range<usize>,
    at: Range<usize>,
    lengths: Range<usize>,
}

impl BagPlaces {
    pub fn open<'a>(&'a self, file: &'a Container) -> Bags<'a> {
        Bags {
            model: &self.model,
            start: self.bytes.start,
            bytes: file.bytes(self.bytes.clone()),
            at: file.numbers_at(&self.at),
            lengths: file.numbers_at(&self.lengths),
        }
    }
}

/// The bags of an open segment.
#[derive(Clone, Copy)]
pub struct Bags<'a> {
    pub model: &'a str,
    /// Where `bytes` begins in the file.
    start: usize,
    bytes: &'a [u8],
    at: &'a [u64],
    lengths: &'a [u16],
}

impl<'a> Bags<'a> {
    /// Checks the sections; `None` if the segment has no bags.
    pub fn places(file: &Container, docs: usize, passages: usize) -> Result<Option<BagPlaces>> {
        if !file.has("bag.model") {
            return Ok(None);
        }
        let model = std::str::from_utf8(file.section("bag.model")?);
        let (at, lengths) = (file.numbers::<u64>("bag.at")?, file.numbers::<u16>("bag.length")?);
        let sound = at.len() == docs + 1
            && lengths.len() == docs + passages
            && at[docs] as usize == file.section("bag")?.len();
        if !sound {
            return Err(Error::corrupt(file.path(), "the sections of bags are inconsistent"));
        }
        Ok(Some(BagPlaces {
            model: model
                .map_err(|_| Error::corrupt(file.path(), "section bag.model is not UTF-8"))?
                .to_owned(),
            bytes: file.range_of("bag")?,
            at: file.range_of("bag.at")?,
            lengths: file.range_of("bag.length")?,
        }))
    }

    pub fn documents(&self) -> usize {
        self.at.len() - 1
    }

    /// Range of a document's bytes in section `bag`; empty if its offsets are damaged.
    pub fn range_of(&self, ordinal: usize) -> Range<usize> {
        let range = self.at[ordinal] as usize..self.at[ordinal + 1] as usize;
        if range.start <= range.end && range.end <= self.bytes.len() {
            range
        } else {
            0..0
        }
    }

    /// Range of a document's bytes in the file.
    pub fn place_of(&self, ordinal: usize) -> Range<usize> {
        let range = self.range_of(ordinal);
        self.start + range.start..self.start + range.end
    }

    /// All bytes of a document; empty if it has no bags, or if its offsets are damaged.
    pub fn bytes_of(&self, ordinal: usize) -> &'a [u8] {
        self.bytes.get(self.at[ordinal] as usize..self.at[ordinal + 1] as usize).unwrap_or(&[])
    }

    /// The bags of a document. `texts` are the numbers of its titles and passages among all texts
    /// of the segment.
    pub fn document(&self, ordinal: usize, texts: Range<usize>) -> Option<DocumentBags<'a>> {
        let (&head, bytes) = self.bytes_of(ordinal).split_first()?;
        Some(DocumentBags { head, bytes, lengths: &self.lengths[texts] })
    }
}

/// The bags of one stored document.
pub struct DocumentBags<'a> {
    head: u8,
    bytes: &'a [u8],
    lengths: &'a [u16],
}

impl<'a> DocumentBags<'a> {
    pub fn title(&self) -> Option<&'a [u8]> {
        self.text(0)
    }

    /// The abstract; empty if the document has none.
    pub fn summary(&self) -> Option<&'a [u8]> {
        if self.head & FIRST_IS_ABSTRACT == 0 {
            Some(&[])
        } else {
            self.passage(0)
        }
    }

    /// `None` if the bytes are damaged, or the passage does not exist.
    pub fn passage(&self, n: usize) -> Option<&'a [u8]> {
        self.text(n.checked_add(1)?)
    }

    fn text(&self, n: usize) -> Option<&'a [u8]> {
        let length = *self.lengths.get(n)? as usize;
        let from: usize = self.lengths[..n].iter().map(|&length| length as usize).sum();
        self.bytes.get(from..from + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitmap::Bitmap;
    use crate::segment::{merge, NewDocument, Segment, SegmentBuilder};
    use proptest::prelude::*;
    use std::path::Path;

    /// The bags of a document (titles, then passages), and whether the first passage is the
    /// abstract. Any bytes are valid here, since the container does not decode them.
    type Texts = (Vec<Vec<u8>>, bool);

    fn write(path: &Path, model: &str, first: u32, documents: &[(usize, Option<Texts>)]) -> Result<Segment> {
        let mut builder = SegmentBuilder::create(path, 1, vec![])?;
        for (n, (passages, texts)) in documents.iter().enumerate() {
            let made = texts.as_ref().map(|(bags, is_abstract)| {
                let mut bytes = vec![NewBags::head(*is_abstract)];
                bytes.extend(bags.concat());
                (bytes, bags.iter().map(|bag| bag.len() as u16).collect::<Vec<_>>())
            });
            let document = NewDocument {
                id: first + n as u32,
                patent_id: "x",
                application: "",
                grant: false,
                vectors: &vec![0.5; *passages],
                bags: made.as_ref().map(|(bytes, lengths)| NewBags { model, bytes, lengths }),
                texts: None,
            };
            builder.push(&document, &[])?;
        }
        builder.finish()?;
        Segment::open(path)
    }

    fn assert_kept(segment: &Segment, ordinal: usize, model: &str, expected: Option<&Texts>) {
        let bags = segment.bags_of(ordinal, model).unwrap();
        assert_eq!(bags.is_some(), expected.is_some());
        let (Some(bags), Some((texts, is_abstract))) = (bags, expected) else { return };
        assert_eq!(bags.title(), Some(&texts[0][..]));
        for (n, text) in texts[1..].iter().enumerate() {
            assert_eq!(bags.passage(n), Some(&text[..]));
        }
        assert_eq!(bags.passage(texts.len() - 1), None);
        assert_eq!(bags.summary(), Some(if *is_abstract { &texts[1][..] } else { &[] }));
    }

    fn documents() -> impl Strategy<Value = Vec<(usize, Option<Texts>)>> {
        let bag = prop::collection::vec(any::<u8>(), 0..9);
        let document = prop::collection::vec(bag, 2..5).prop_flat_map(|bags| {
            let passages = bags.len() - 1;
            (Just(passages), prop::option::of((Just(bags), any::<bool>())))
        });
        prop::collection::vec(document, 1..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn come_back_and_go_along_with_a_merge(
            parts in prop::collection::vec((documents(), "[mn]"), 1..4),
            gone in prop::collection::vec(any::<bool>(), 15),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut opened = Vec::new();
            for (n, (documents, model)) in parts.iter().enumerate() {
                let segment = write(&dir.path().join(n.to_string()), model, 100 * n as u32, documents).unwrap();
                for (ordinal, (_, texts)) in documents.iter().enumerate() {
                    assert_kept(&segment, ordinal, model, texts.as_ref());
                    assert_kept(&segment, ordinal, "another", None);
                }
                let mut deleted = Bitmap::empty(documents.len());
                (0..documents.len()).filter(|o| gone[5 * n + o]).for_each(|o| deleted.insert(o));
                opened.push((segment, deleted));
            }
            let inputs: Vec<_> = opened.iter().map(|(segment, deleted)| (segment, deleted)).collect();
            let path = dir.path().join("merged");
            merge(&inputs, &path).unwrap();
            let merged = Segment::open(&path).unwrap();
            prop_assert!(merged.file().damaged_blocks().is_empty());
            // The newest segment with bags decides which model's bags are kept.
            let newest = parts.iter().rev().find(|(documents, _)| documents.iter().any(|d| d.1.is_some()));
            let model = newest.map_or("none", |(_, model)| model);
            let mut ordinal = 0;
            for ((documents, own), (_, deleted)) in parts.iter().zip(&opened) {
                for (_, (_, texts)) in documents.iter().enumerate().filter(|(n, _)| !deleted.contains(*n)) {
                    assert_kept(&merged, ordinal, model, texts.as_ref().filter(|_| own == model));
                    ordinal += 1;
                }
            }
            prop_assert_eq!(ordinal, merged.docs());
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let texts = |bags: &[&[u8]]| Some((bags.iter().map(|bag| bag.to_vec()).collect(), false));
        assert!(write(&path, "m", 0, &[(1, texts(&[b"t", b"p"]))]).is_ok());
        assert!(write(&path, "m", 0, &[(2, texts(&[b"t", b"p"]))]).is_err(), "a bag too few");
        assert!(write(&path, "m", 0, &[(1, texts(&[b"t", b"p", b"q"]))]).is_err(), "one too many");
        assert!(write(&path, "", 0, &[(1, texts(&[b"t", b"p"]))]).is_err(), "of no model");
    }

    #[test]
    fn damaged_offsets_are_noticed_or_give_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let write = |at: [u64; 3], lengths: [u16; 4]| {
            let mut out = Writer::create(&path).unwrap();
            out.section("bag", b"\x01tp\x00tq").unwrap();
            out.section("bag.at", bytes_of(&at)).unwrap();
            out.section("bag.length", bytes_of(&lengths)).unwrap();
            out.section("bag.model", b"m").unwrap();
            out.finish().unwrap();
            Container::open(&path).unwrap()
        };
        let opened = |file: &Container| Bags::places(file, 2, 2).unwrap().unwrap();
        let file = write([0, 3, 6], [1, 1, 1, 1]);
        let places = opened(&file);
        let bags = places.open(&file);
        assert_eq!(bags.document(0, 0..2).unwrap().summary(), Some(&b"p"[..]));
        assert!(Bags::places(&file, 2, 3).is_err() && Bags::places(&file, 1, 2).is_err());
        let file = write([0, u64::MAX, 6], [1, 1, 1, 1]);
        let places = opened(&file);
        let bags = places.open(&file);
        assert!(bags.document(0, 0..2).is_none() && bags.document(1, 2..4).is_none());
        let file = write([0, 3, 6], [1, 9, 1, 1]);
        let places = opened(&file);
        let bags = places.open(&file);
        assert_eq!(bags.document(0, 0..2).unwrap().passage(0), None);
        assert!(Bags::places(&write([0, 3, 7], [1, 1, 1, 1]), 2, 2).is_err());
    }
}
