//! Saving and loading. A damaged file must give an error, never a crash.

mod data;

use data::{Data, Random};
use priorart_shim::{BuildParams, Error, Index, Kind, SearchParams};
use std::fs;
use std::path::PathBuf;

const DIMS: usize = 16;

fn data() -> Data {
    Data::clustered(700, DIMS, 21)
}

fn build(kind: Kind, data: &Data) -> Index {
    let params = BuildParams { nlist: 8, hnsw_m: 8, threads: 1, ..BuildParams::default() };
    let mut index = Index::new(kind, DIMS, &params, data.len()).unwrap();
    index.train(&data.rows).unwrap();
    index.add(&data.rows).unwrap();
    index
}

fn thorough() -> SearchParams<'static> {
    SearchParams { nprobe: 8, ef_search: 100, filter: None, k_factor: 4.0 }
}

struct Saved {
    _folder: tempfile::TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
}

fn saved(index: &Index) -> Saved {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.faiss");
    index.save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    Saved { _folder: folder, path, bytes }
}

#[test]
fn a_loaded_index_answers_like_the_saved_one() {
    let data = data();
    for kind in Kind::ALL {
        let index = build(kind, &data);
        let file = saved(&index);
        let expected = index.search(&data.queries, 10, &thorough()).unwrap();
        for mmap in [false, true] {
            let mut loaded = Index::load(&file.path, mmap).unwrap();
            assert_eq!(loaded.kind(), kind);
            assert_eq!((loaded.len(), loaded.dims(), loaded.nlist()), (700, DIMS, index.nlist()));
            assert_eq!(
                loaded.search(&data.queries, 10, &thorough()).unwrap(),
                expected,
                "{kind} mmap {mmap}"
            );
            let again = saved(&loaded);
            assert!(again.bytes == file.bytes, "{kind} mmap {mmap}: saved differently");
            if mmap {
                assert_eq!(loaded.add(&data.rows[..DIMS]), Err(Error::ReadOnly), "{kind}");
                assert_eq!(loaded.train(&data.rows), Err(Error::ReadOnly), "{kind}");
            } else {
                loaded.add(&data.queries).unwrap();
                let (_, rows) = loaded.search(data.query(3), 1, &thorough()).unwrap();
                let exact = !matches!(kind, Kind::IvfPq);
                assert!(!exact || rows[0] == 703, "{kind}: a row added after loading is not found: {rows:?}");
            }
        }
    }
}

#[test]
fn an_empty_index_can_be_saved() {
    let data = data();
    for kind in Kind::ALL {
        let params = BuildParams { nlist: 8, ..BuildParams::default() };
        let mut index = Index::new(kind, DIMS, &params, 0).unwrap();
        index.train(&data.rows).unwrap();
        let file = saved(&index);
        for mmap in [false, true] {
            let loaded = Index::load(&file.path, mmap).unwrap();
            assert_eq!(loaded.search(data.query(0), 2, &thorough()).unwrap().1, [-1, -1], "{kind}");
        }
    }
}

#[test]
fn no_file_and_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    for mmap in [false, true] {
        assert!(
            matches!(Index::load(&folder.path().join("none"), mmap), Err(Error::Io(m)) if m.contains("none"))
        );
        assert!(matches!(Index::load(folder.path(), mmap), Err(Error::Io(_))));
    }
    let index = build(Kind::Flat, &data());
    assert!(matches!(index.save(&folder.path().join("no/folder")), Err(Error::Io(_))));
}

/// Loads damaged bytes with and without mmap. A load may succeed if the damage is in the data; a
/// search must then end and return rows of the index. A search of a mapped file may also report the
/// damage.
fn survives(kind: Kind, path: &PathBuf, bytes: &[u8], data: &Data, must_fail: bool, what: &str) {
    fs::write(path, bytes).unwrap();
    for mmap in [false, true] {
        match Index::load(path, mmap) {
            Err(Error::Corrupt(_)) => {}
            Err(other) => panic!("{kind} {what} mmap {mmap}: {other:?}"),
            Ok(_) if must_fail => panic!("{kind} {what} mmap {mmap}: loaded"),
            Ok(index) if index.dims() != DIMS => {}
            Ok(index) => match index.search(&data.queries, 10, &thorough()) {
                Ok((scores, rows)) => {
                    let sound = |(row, score): (&i64, &f32)| *row == -1 || *row < 700 && score.is_finite();
                    assert!(
                        rows.iter().zip(&scores).all(sound),
                        "{kind} {what} mmap {mmap}: {rows:?} {scores:?}"
                    );
                }
                Err(Error::Corrupt(_)) if mmap => {}
                Err(other) => panic!("{kind} {what} mmap {mmap}: {other:?}"),
            },
        }
    }
}

#[test]
fn a_file_that_ends_early_or_late_is_damaged() {
    let data = data();
    for kind in Kind::ALL {
        let file = saved(&build(kind, &data));
        let n = file.bytes.len();
        let mut random = Random::new(5);
        let cuts = (0..200).chain((0..200).map(|_| (random.next() as usize) % n)).chain(n - 20..n);
        for cut in cuts {
            survives(kind, &file.path, &file.bytes[..cut], &data, true, &format!("cut at {cut}"));
        }
        let longer = [file.bytes.as_slice(), b"x"].concat();
        survives(kind, &file.path, &longer, &data, true, "one byte more");
    }
}

#[test]
fn flipped_bytes_never_crash() {
    let data = data();
    for kind in Kind::ALL {
        let file = saved(&build(kind, &data));
        let n = file.bytes.len();
        let mut random = Random::new(6);
        // Every byte of the header with several masks, and many random bytes: sizes are spread over
        // the file.
        let places = (0..160).chain((0..500).map(|_| (random.next() as usize) % n)).collect::<Vec<_>>();
        for at in places {
            for mask in [0x01, 0x80, 0xff] {
                let mut bytes = file.bytes.clone();
                bytes[at] ^= mask;
                survives(kind, &file.path, &bytes, &data, at < 8, &format!("byte {at} ^ {mask:#x}"));
            }
        }
    }
}

#[test]
fn garbage_is_damaged() {
    let data = data();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("garbage");
    let mut random = Random::new(8);
    for n in [0, 1, 3, 4, 5, 45, 1000] {
        let bytes: Vec<u8> = (0..n).map(|_| random.next() as u8).collect();
        survives(Kind::Flat, &path, &bytes, &data, true, "garbage");
    }
    // A valid beginning, followed by various invalid sizes.
    for kind in Kind::ALL {
        let file = saved(&build(kind, &data));
        for filler in [0x00u8, 0x7f, 0xff] {
            for from in (4..200).step_by(3) {
                let mut bytes = file.bytes.clone();
                let to = (from + 8).min(bytes.len());
                bytes[from..to].fill(filler);
                survives(kind, &path, &bytes, &data, false, &format!("{filler:#x} from {from}"));
            }
        }
    }
}

/// Offset of the vectors' floats in a file of `HnswFlat`: its storage is the last part, and ends
/// with the vectors.
fn vectors_at(file: &Saved) -> usize {
    file.bytes.len() - 700 * DIMS * 4
}

#[test]
fn numbers_that_no_vector_holds_are_damage() {
    let data = data();
    for kind in [Kind::Flat, Kind::HnswFlat] {
        let file = saved(&build(kind, &data));
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            // One component, some vectors, or all vectors, which include the graph's entry point.
            for count in [1, 20 * DIMS, 700 * DIMS] {
                let mut bytes = file.bytes.clone();
                for n in 0..count {
                    let at = vectors_at(&file) + 4 * n;
                    bytes[at..at + 4].copy_from_slice(&bad.to_le_bytes());
                }
                survives(kind, &file.path, &bytes, &data, false, &format!("{count} of {bad}"));
                let whole = Index::load(&file.path, false);
                assert!(matches!(whole, Err(Error::Corrupt(_))), "{kind} {count} of {bad}");
            }
        }
        // A mapped index finds the other rows.
        let mut bytes = file.bytes.clone();
        let at = vectors_at(&file);
        bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        fs::write(&file.path, &bytes).unwrap();
        let mapped = Index::load(&file.path, true).unwrap();
        let (_, rows) =
            mapped.search(&data.queries, 700, &SearchParams { ef_search: 700, ..thorough() }).unwrap();
        assert!(!rows.contains(&0) && rows.contains(&1), "{kind}");
    }
}

#[test]
fn an_edge_to_nowhere_is_damage() {
    let data = data();
    for kind in [Kind::HnswFlat, Kind::HnswSq8] {
        let file = saved(&build(kind, &data));
        // Probabilities, widths, levels, offsets and edges, each after its count.
        let mut at = 37;
        for size in [8, 4, 4, 8] {
            let count = u64::from_le_bytes(file.bytes[at..at + 8].try_into().unwrap()) as usize;
            at += 8 + count * size;
        }
        let edges = u64::from_le_bytes(file.bytes[at..at + 8].try_into().unwrap()) as usize;
        assert!(edges >= 700 * 16);
        for edge in [0, edges / 2, edges - 1] {
            for to in [700, -2, i32::MAX, i32::MIN] {
                let mut bytes = file.bytes.clone();
                let place = at + 8 + 4 * edge;
                bytes[place..place + 4].copy_from_slice(&to.to_le_bytes());
                survives(kind, &file.path, &bytes, &data, true, &format!("edge {edge} to {to}"));
            }
        }
    }
}
