//! A copy of bytes in huge pages, for tables that are read at random places. The processor keeps the
//! addresses of few pages; with pages of 4 KiB, nearly each read of a table of 48 MB waits for the
//! address of its page first.

use memmap2::{Mmap, MmapMut};

/// Size of a huge page on x86-64 and on most of aarch64.
const PAGE: usize = 2 << 20;

/// A copy of bytes in anonymous memory.
pub struct HugeCopy {
    map: Mmap,
    start: usize,
    length: usize,
}

impl HugeCopy {
    /// Copies bytes; `None` if the system gives no memory, or `bytes` would fill less than one page.
    /// The pages are huge only if the system has huge pages: this is a hint.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < PAGE {
            return None;
        }
        let mut map = MmapMut::map_anon(bytes.len() + PAGE).ok()?;
        let start = map.as_ptr().align_offset(PAGE);
        #[cfg(target_os = "linux")]
        // Ignores the error of a kernel without huge pages.
        let _ = map.advise(memmap2::Advice::HugePage);
        map.get_mut(start..start + bytes.len())?.copy_from_slice(bytes);
        Some(HugeCopy { map: map.make_read_only().ok()?, start, length: bytes.len() })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.map[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_bytes() {
        let bytes: Vec<u8> = (0..3 * PAGE + 5).map(|n| (n % 251) as u8).collect();
        assert_eq!(HugeCopy::of(&bytes).unwrap().bytes(), bytes);
        assert!(HugeCopy::of(&bytes[..PAGE - 1]).is_none());
    }
}
