//! Damaged, missing and unwritable indexes.

use super::*;

#[test]
fn damage_is_an_error_and_a_segment_without_an_index_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let documents: Vec<Document> = (0..400).map(|n| vec![(Part::Text, TEXTS[n % TEXTS.len()])]).collect();
    drop(write(&path, 0, &documents));
    let concepts = Questions::default().concepts(None, "battery");
    let file = crate::file::Container::open(&path).unwrap();
    let range = file.range_of("lexical").unwrap();
    drop(file);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[range.start + range.len() / 2] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let segment = Segment::open(&path).unwrap();
    let deleted = none(&segment);
    let error = scores(&snapshot_of(vec![(segment, deleted)]), &concepts, SHARES).err().unwrap();
    assert_eq!(error.code(), "data_corrupt", "{error}");

    let segment = write_wordless(&path, 1);
    assert!(!segment.has_lexical().unwrap());
    let deleted = none(&segment);
    let scored = scores(&snapshot_of(vec![(segment, deleted)]), &concepts, SHARES).unwrap();
    assert_eq!((scored.without, scored.used.len()), (1, 0));
}

#[test]
fn documents_that_are_gone_need_no_words_in_a_merge() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let words = write(&path("words"), 2, &[vec![(Part::Text, "sensor")]]);
    let wordless = [write_wordless(&path("before"), 1), write_wordless(&path("behind"), 3)];
    SegmentBuilder::create(&path("empty"), 1, vec![]).unwrap().finish().unwrap();
    let empty = Segment::open(&path("empty")).unwrap();
    let gone = Bitmap::full(1);
    let (alive, without) = (none(&words), none(&empty));
    let merged = |inputs: &[(&Segment, &Bitmap)]| {
        merge(inputs, &path("merged")).unwrap();
        Segment::open(&path("merged")).unwrap()
    };
    let [before, behind] = &wordless;
    let kept = merged(&[(&empty, &without), (before, &gone), (&words, &alive), (behind, &gone)]);
    assert_eq!(kept.docs(), 1);
    let lexical = kept.lexical().unwrap().expect("the words are merged");
    assert!(lexical.locate(Part::Text, &Phrase::word("sensor")).unwrap().is_some());
    // A document without words hides those of the others as long as it lives.
    assert!(!merged(&[(before, &alive), (&words, &alive)]).has_lexical().unwrap());
    assert!(!merged(&[(before, &gone), (&words, &gone)]).has_lexical().unwrap());
}

#[test]
fn a_full_disk_is_no_damage() {
    use std::io::{Error, ErrorKind};
    use tantivy::directory::error::OpenWriteError;
    let path = Path::new("x");
    let full = || Error::new(ErrorKind::StorageFull, "no room");
    let opening = OpenWriteError::wrap_io_error(full(), path.into());
    for error in [opening.into(), full().into()] {
        assert_eq!(super::super::failed(path)(error).code(), "disk_full");
    }
    let damaged = Error::new(ErrorKind::InvalidData, "wrong checksum").into();
    assert_eq!(super::super::failed(path)(damaged).code(), "data_corrupt");
}
