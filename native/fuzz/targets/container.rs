//! Fuzzes a file of a data folder. The end of most inputs is made valid, checksum included, so that
//! the directory is read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use priorart_core::{bags::Bags, columns::Keywords, file, segment::Segment, static_model::StaticModel};
use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 64;
const NAMES: [&str; 4] = ["a", "ids", "vectors", "kind"];

thread_local! { static FILE: OnceCell<PathBuf> = const { OnceCell::new() }; }

/// A file in memory if the system has /dev/shm.
fn path() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    folder.join(format!("priorart-fuzz-{}", std::process::id()))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&[fitting, table, directory], body)) = bytes.split_first_chunk::<3>() else { return };
    let mut whole = Vec::new();
    if fitting > 3 {
        let mut header = [0u8; HEADER];
        header[..8].copy_from_slice(b"PRIORART");
        header[8..12].copy_from_slice(&file::FORMAT.to_le_bytes());
        whole.extend_from_slice(&header);
    }
    whole.extend_from_slice(body);
    if fitting > 7 {
        // One block of up to 64 KiB, with its checksum as the table; the directory follows.
        let at = (HEADER + table as usize).min(whole.len());
        let mut tail = if fitting > 15 { xxh3_64(&whole[..at]).to_le_bytes().to_vec() } else { Vec::new() };
        tail.extend_from_slice(&whole[at..]);
        let directory_at = at as u64 + if fitting > 15 { 8 } else { u64::from(directory) };
        whole.truncate(at);
        let length = (at + tail.len() + 40) as u64;
        let sum = xxh3_64(&tail);
        for number in [at as u64, directory_at, sum, length] {
            tail.extend_from_slice(&number.to_le_bytes());
        }
        whole.extend_from_slice(&tail);
        whole.extend_from_slice(b"PRIOREND");
    }
    FILE.with(|cell| {
        let path = cell.get_or_init(path);
        fs::write(path, &whole).expect("room for a small file");
        if let Ok(file) = file::Container::open(path) {
            file.damaged_blocks();
            for name in NAMES {
                let _ = (file.section(name).map(<[u8]>::len), file.numbers::<u32>(name).map(<[u32]>::len));
                let _ = (Keywords::open(&file, name).map(|_| ()), Bags::places(&file, 1, 1).map(|_| ()));
            }
        }
        let _ = (Segment::open(path).map(|_| ()), StaticModel::open(path).map(|_| ()));
        fs::remove_file(path).expect("it was just written");
    });
});
