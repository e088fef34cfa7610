//! The container of a segment's files, except the FAISS index.
//!
//! ```text
//! 0        magic "PRIORART", u32 format, u32 zero, padding to 64
//! 64       sections, each starting at a multiple of 64
//! t        block table: u64 xxh3 of each 64 KiB block of bytes 0..t (the last block may be short)
//! f        directory: per section u16 name length, name, u64 offset, u64 length
//! end-40   footer: u64 t, u64 f, u64 xxh3 of t..end-40, u64 length of the file, magic "PRIOREND"
//! ```
//! All numbers are little-endian. The footer is written last, so its absence shows that a file is
//! incomplete. Damaged bits are found block by block, without reading the whole file: callers
//! verify bytes before they use them, and each block is checked once.

use crate::{Error, Result};
use memmap2::Mmap;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use xxhash_rust::xxh3::{xxh3_64, Xxh3};

const MAGIC: &[u8; 8] = b"PRIORART";
const END: &[u8; 8] = b"PRIOREND";
pub const FORMAT: u32 = 1;
pub const BLOCK: usize = 64 << 10;
const ALIGN: u64 = 64;
const FOOTER: usize = 40;
/// Bytes that a writer collects before it writes them.
const BUFFER: usize = 1 << 20;
/// Writers of this process so far. It makes the names of their temporary files different.
static WRITERS: AtomicU32 = AtomicU32::new(0);

/// Writes sections one after another. `finish` makes the file durable under its final name. A writer
/// that is dropped before that removes its file, and writes nothing more.
pub struct Writer {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    /// Bytes that are not in the file yet. Not a `BufWriter`, which would write them when it is dropped.
    buffer: Vec<u8>,
    is_finished: bool,
    written: u64,
    block: Xxh3,
    in_block: usize,
    blocks: Vec<u64>,
    sections: Vec<(String, Range<u64>)>,
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

/// Makes a new file beside `path`. No other writer has it, in any process.
fn create_beside(path: &Path) -> Result<(PathBuf, File)> {
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}-{}.tmp", std::process::id(), WRITERS.fetch_add(1, Ordering::Relaxed)));
        let temporary = PathBuf::from(name);
        match File::options().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            // Left by a killed process of this number, or made by one on another machine.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(Error::io(&temporary)(error)),
        }
    }
}

impl Writer {
    pub fn create(path: &Path) -> Result<Self> {
        let (temporary, file) = create_beside(path)?;
        let mut writer = Writer {
            path: path.into(),
            temporary,
            file,
            buffer: Vec::with_capacity(BUFFER),
            is_finished: false,
            written: 0,
            block: Xxh3::new(),
            in_block: 0,
            blocks: Vec::new(),
            sections: Vec::new(),
        };
        let mut header = [0u8; ALIGN as usize];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        writer.put(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            return self.file.write_all(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.write(bytes).map_err(Error::io(&self.temporary))?;
        self.written += bytes.len() as u64;
        while !bytes.is_empty() {
            let take = bytes.len().min(BLOCK - self.in_block);
            self.block.update(&bytes[..take]);
            self.in_block += take;
            bytes = &bytes[take..];
            if self.in_block == BLOCK {
                self.close_block();
            }
        }
        Ok(())
    }

    fn close_block(&mut self) {
        self.blocks.push(self.block.digest());
        self.block.reset();
        self.in_block = 0;
    }

    fn align(&mut self) -> Result<()> {
        let padding = self.written.next_multiple_of(ALIGN) - self.written;
        self.put(&[0u8; ALIGN as usize][..padding as usize])
    }

    /// Begins a section. `append` adds to it until the next `begin` or `finish`.
    pub fn begin(&mut self, name: &str) -> Result<()> {
        self.align()?;
        self.sections.push((name.to_owned(), self.written..self.written));
        Ok(())
    }

    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.put(bytes)?;
        self.sections.last_mut().expect("a section was begun").1.end = self.written;
        Ok(())
    }

    pub fn section(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.begin(name)?;
        self.append(bytes)
    }

    /// Length of the section that `begin` began, in bytes.
    pub fn section_length(&self) -> u64 {
        self.sections.last().map_or(0, |(_, range)| range.end - range.start)
    }

    /// Flushes and syncs the file, renames it into place, and syncs the folder. Returns the file's
    /// length in bytes.
    pub fn finish(mut self) -> Result<u64> {
        self.align()?;
        if self.in_block > 0 {
            self.close_block();
        }
        let table_at = self.written;
        let mut tail = Vec::with_capacity(self.blocks.len() * 8 + 1024);
        for sum in &self.blocks {
            tail.extend_from_slice(&sum.to_le_bytes());
        }
        let directory_at = table_at + tail.len() as u64;
        for (name, range) in &self.sections {
            tail.extend_from_slice(&(name.len() as u16).to_le_bytes());
            tail.extend_from_slice(name.as_bytes());
            tail.extend_from_slice(&range.start.to_le_bytes());
            tail.extend_from_slice(&(range.end - range.start).to_le_bytes());
        }
        let sum = xxh3_64(&tail);
        let length = table_at + tail.len() as u64 + FOOTER as u64;
        tail.extend_from_slice(&table_at.to_le_bytes());
        tail.extend_from_slice(&directory_at.to_le_bytes());
        tail.extend_from_slice(&sum.to_le_bytes());
        tail.extend_from_slice(&length.to_le_bytes());
        tail.extend_from_slice(END);
        self.write(&tail)
            .and_then(|()| self.flush())
            .and_then(|()| self.file.sync_all())
            .map_err(Error::io(&self.temporary))?;
        std::fs::rename(&self.temporary, &self.path).map_err(Error::io(&self.path))?;
        self.is_finished = true;
        sync_folder_of(&self.path)?;
        Ok(length)
    }
}

/// Syncs the folder of a file. A rename is durable only after this.
pub fn sync_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|f| f.sync_all()).map_err(Error::io(folder))
}

/// A memory-mapped container. Opening reads only the footer and the directory.
pub struct Container {
    path: PathBuf,
    map: Mmap,
    sections: HashMap<String, Range<usize>>,
    blocks: Range<usize>,
    checksum: u64,
    /// Blocks whose checksum was verified since the file was opened.
    whole: Box<[AtomicBool]>,
}

impl Container {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        // Safety: segment files are never changed after they are renamed into place.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
        let bad = |reason: &str| Error::corrupt(path, reason);
        let bytes = &map[..];
        if bytes.len() < ALIGN as usize + FOOTER || &bytes[..8] != MAGIC {
            return Err(bad("not a segment file (wrong magic)"));
        }
        let format = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
        if format != FORMAT {
            return Err(bad(&format!("segment format {format}; expected {FORMAT}")));
        }
        let footer = &bytes[bytes.len() - FOOTER..];
        let number = |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().unwrap());
        if &footer[32..] != END || number(24) != bytes.len() as u64 {
            return Err(bad("the file is incomplete: its end is missing"));
        }
        let (table, directory, end) = (number(0) as usize, number(8) as usize, bytes.len() - FOOTER);
        if table > directory || directory > end || (directory - table) / 8 != table.div_ceil(BLOCK) {
            return Err(bad("the footer's offsets do not match the file"));
        }
        if xxh3_64(&bytes[table..end]) != number(16) {
            return Err(bad("checksum of the directory does not match"));
        }
        let sections =
            read_directory(&bytes[directory..end], table).ok_or_else(|| bad("damaged directory"))?;
        let whole = (0..table.div_ceil(BLOCK)).map(|_| AtomicBool::new(false)).collect();
        let (path, checksum) = (path.into(), number(16));
        Ok(Container { path, blocks: table..directory, sections, checksum, map, whole })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checksum over the checksums of all blocks and the directory. It identifies the file's
    /// contents.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    pub fn len(&self) -> usize {
        self.map.len()
    }

    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    pub fn section(&self, name: &str) -> Result<&[u8]> {
        Ok(&self.map[self.range_of(name)?])
    }

    /// Bytes of the file. Verify them first.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.map[range]
    }

    pub fn has(&self, name: &str) -> bool {
        self.sections.contains_key(name)
    }

    /// A section as numbers. `T` must be plain (i8, u16, u32, u64, i32, f32).
    pub fn numbers<T: Plain>(&self, name: &str) -> Result<&[T]> {
        cast(self.section(name)?)
            .ok_or_else(|| Error::corrupt(&self.path, format!("section {name} has an odd length")))
    }

    /// The numbers at a place that `numbers` was called for when the file was opened.
    pub fn numbers_at<T: Plain>(&self, place: &Range<usize>) -> &[T] {
        cast(&self.map[place.clone()]).expect("checked at opening")
    }

    /// Tells the system that the process will not read a section soon. Its bytes stay readable.
    pub fn release(&self, name: &str) {
        #[cfg(unix)]
        if let Ok(range) = self.range_of(name) {
            // SAFETY: the map is shared and read-only, so pages that are dropped are read again from
            // the file. A failure changes nothing.
            let _ = unsafe {
                let advice = memmap2::UncheckedAdvice::DontNeed;
                self.map.unchecked_advise_range(advice, range.start, range.len())
            };
        }
    }

    /// Range of a section's bytes in the file.
    pub fn range_of(&self, name: &str) -> Result<Range<usize>> {
        let range = self.sections.get(name).cloned();
        range.ok_or_else(|| Error::corrupt(&self.path, format!("section {name} is missing")))
    }

    /// Verifies that bytes are unchanged since they were written. Reads only blocks that are not
    /// verified yet.
    pub fn verify(&self, range: Range<usize>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        for n in range.start / BLOCK..=(range.end - 1) / BLOCK {
            if !self.whole[n].load(Ordering::Relaxed) {
                self.verify_block(n)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn verify_block(&self, n: usize) -> Result<()> {
        let at = n * BLOCK;
        let block = &self.map[at..(at + BLOCK).min(self.blocks.start)];
        let sums: &[u64] = cast(&self.map[self.blocks.clone()]).unwrap_or(&[]);
        if sums.get(n) != Some(&xxh3_64(block)) {
            return Err(Error::corrupt(&self.path, format!("wrong checksum of the block at byte {at}; run `priorart check --repair` to rebuild the segment")));
        }
        self.whole[n].store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Verifies the sections whose names `wanted` accepts.
    pub fn verify_sections(&self, wanted: impl Fn(&str) -> bool) -> Result<()> {
        for (name, range) in &self.sections {
            if wanted(name) {
                self.verify(range.clone())?;
            }
        }
        Ok(())
    }

    /// Verifies the whole file, before another file is made from it.
    pub fn verify_all(&self) -> Result<()> {
        self.verify(0..self.blocks.start)
    }

    /// Reads every block and returns the byte ranges whose checksum does not match.
    pub fn damaged_blocks(&self) -> Vec<Range<usize>> {
        let sums: &[u64] = cast(&self.map[self.blocks.clone()]).unwrap_or(&[]);
        let data = &self.map[..self.blocks.start];
        data.chunks(BLOCK)
            .zip(sums)
            .enumerate()
            .filter(|(_, (block, sum))| xxh3_64(block) != **sum)
            .map(|(n, (block, _))| n * BLOCK..n * BLOCK + block.len())
            .collect()
    }
}

fn read_directory(mut rest: &[u8], limit: usize) -> Option<HashMap<String, Range<usize>>> {
    let mut sections = HashMap::new();
    while !rest.is_empty() {
        let name_length = u16::from_le_bytes(rest.get(..2)?.try_into().ok()?) as usize;
        let name = std::str::from_utf8(rest.get(2..2 + name_length)?).ok()?.to_owned();
        let at = 2 + name_length;
        let offset = u64::from_le_bytes(rest.get(at..at + 8)?.try_into().ok()?) as usize;
        let length = u64::from_le_bytes(rest.get(at + 8..at + 16)?.try_into().ok()?) as usize;
        let end = offset.checked_add(length).filter(|&end| end <= limit)?;
        sections.insert(name, offset..end);
        rest = &rest[at + 16..];
    }
    Some(sections)
}

/// Numbers for which every bit pattern is valid.
/// # Safety
/// Implemented for primitive numbers only.
pub unsafe trait Plain: Copy {}
unsafe impl Plain for i8 {}
unsafe impl Plain for u16 {}
unsafe impl Plain for u32 {}
unsafe impl Plain for u64 {}
unsafe impl Plain for i32 {}
unsafe impl Plain for f32 {}

pub fn cast<T: Plain>(bytes: &[u8]) -> Option<&[T]> {
    // Safety: T is plain, and align_to keeps alignment.
    let (head, body, tail) = unsafe { bytes.align_to::<T>() };
    (head.is_empty() && tail.is_empty()).then_some(body)
}

pub fn bytes_of<T: Plain>(numbers: &[T]) -> &[u8] {
    // Safety: T is plain, every byte of it is initialised.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), std::mem::size_of_val(numbers)) }
}

/// xxh3 of a whole file, for files of other formats (FAISS indexes).
pub fn checksum(path: &Path) -> Result<u64> {
    use std::io::Read;
    let mut file = File::open(path).map_err(Error::io(path))?;
    let mut sum = Xxh3::new();
    let mut buffer = vec![0u8; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(Error::io(path))? {
            0 => return Ok(sum.digest()),
            n => sum.update(&buffer[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(path: &Path) {
        let mut writer = Writer::create(path).unwrap();
        writer.section("a", b"hello").unwrap();
        writer.section("numbers", bytes_of(&(0..50_000u32).collect::<Vec<_>>())).unwrap();
        writer.section("nothing", b"").unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn sections_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        sample(&path);
        let file = Container::open(&path).unwrap();
        assert_eq!(file.section("a").unwrap(), b"hello");
        assert_eq!(file.numbers::<u32>("numbers").unwrap()[49_999], 49_999);
        file.release("numbers");
        file.release("nothing");
        assert_eq!(file.numbers::<u32>("numbers").unwrap()[49_999], 49_999);
        assert_eq!(file.section("nothing").unwrap(), b"");
        assert!(file.damaged_blocks().is_empty());
        assert!(matches!(file.section("b"), Err(Error::Corrupt { .. })));
    }

    fn names_in(dir: &Path) -> Vec<String> {
        let names = std::fs::read_dir(dir).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_writer_that_is_dropped_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(&dir.path().join("x")).unwrap();
        writer.section("a", &vec![7; 3 * BUFFER]).unwrap();
        writer.section("b", b"in the buffer").unwrap();
        assert_eq!(names_in(dir.path()).len(), 1);
        drop(writer);
        assert_eq!(names_in(dir.path()), Vec::<String>::new());
    }

    #[test]
    fn writers_of_one_path_do_not_share_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let mut failed = Writer::create(&path).unwrap();
        failed.section("a", b"of the failed one").unwrap();
        sample(&path);
        let whole = std::fs::read(&path).unwrap();
        drop(failed);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert_eq!(names_in(dir.path()), ["x"]);
        assert!(Container::open(&path).unwrap().damaged_blocks().is_empty());
    }

    #[test]
    fn sections_longer_than_the_buffer_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let long: Vec<u8> = (0..2 * BUFFER + 17).map(|n| (n % 251) as u8).collect();
        let mut writer = Writer::create(&path).unwrap();
        writer.section("short", b"hello").unwrap();
        writer.section("long", &long).unwrap();
        writer.begin("parts").unwrap();
        long.chunks(70_001).for_each(|part| writer.append(part).unwrap());
        writer.finish().unwrap();
        let file = Container::open(&path).unwrap();
        assert_eq!(file.section("short").unwrap(), b"hello");
        assert!(file.section("long").unwrap() == long && file.section("parts").unwrap() == long);
        assert!(file.damaged_blocks().is_empty());
    }

    #[test]
    fn every_truncation_and_every_flipped_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        sample(&path);
        let whole = std::fs::read(&path).unwrap();
        for cut in (0..whole.len()).step_by(997).chain(whole.len() - 41..whole.len()) {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(Container::open(&path).is_err(), "cut at {cut}");
        }
        for at in (0..whole.len()).step_by(1201).chain(whole.len() - 200..whole.len()) {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            std::fs::write(&path, &damaged).unwrap();
            let noticed = match Container::open(&path) {
                Err(_) => true,
                Ok(file) => {
                    assert!(file.verify(at..at + 1).is_err() && file.verify_all().is_err());
                    file.damaged_blocks().iter().any(|range| range.contains(&at))
                }
            };
            assert!(noticed, "flip at {at}");
        }
    }
}
