//! Memory that is shared with another process: the only place of this crate where the compiler's word is not enough.
//!
//! Whoever else maps it may write at any time. So there are no references to its bytes as such: it is read and written by
//! atomic operations, of which a value may be any, and every place is checked against the length.

#![expect(unsafe_code, reason = "a mapping is raw memory; the accesses below are checked and atomic")]

use rustix::fd::AsFd;
use rustix::mm::{MapFlags, ProtFlags};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A shared mapping of a file, readable and writable.
///
/// Whoever truncates the file while it is mapped makes accesses fail with SIGBUS: it must be a file that only processes of
/// this run hold.
#[derive(Debug)]
pub(crate) struct SharedMapping {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: the mapping belongs to this value alone in this process, and all access is atomic.
unsafe impl Send for SharedMapping {}

const PAGE: u64 = 4096;

impl SharedMapping {
    /// Maps `len` bytes of a file from `offset`, a multiple of the page size, on.
    pub(crate) fn new(file: impl AsFd, offset: u64, len: usize) -> io::Result<Self> {
        let there = u64::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(0);
        let end = offset.checked_add(len as u64).filter(|end| *end <= there && len > 0);
        if end.is_none() || !offset.is_multiple_of(PAGE) {
            let why = format!("{len} bytes from {offset} are not in a file of {there} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses the place, so nothing that is mapped is touched.
        let base = unsafe {
            rustix::mm::mmap(std::ptr::null_mut(), len, protection, MapFlags::SHARED, &file, offset)
        }?;
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base, len })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// A pointer to `size` bytes at `at`, which lie within the mapping and are aligned to `size`.
    fn place(&self, at: usize, size: usize) -> Option<NonNull<u8>> {
        let fits = at.checked_add(size).is_some_and(|end| end <= self.len) && at.is_multiple_of(size);
        // SAFETY: `at` is less than the length of the mapping. Its base is aligned to a page, thus the sum to `size`.
        fits.then(|| unsafe { self.base.add(at) })
    }

    /// Two bytes at a multiple of two.
    pub(crate) fn u16(&self, at: usize) -> Option<&AtomicU16> {
        // SAFETY: within the mapping, aligned, and only accessed atomically for as long as `self` lives.
        self.place(at, 2).map(|p| unsafe { AtomicU16::from_ptr(p.as_ptr().cast()) })
    }

    /// Four bytes at a multiple of four.
    pub(crate) fn u32(&self, at: usize) -> Option<&AtomicU32> {
        // SAFETY: as above.
        self.place(at, 4).map(|p| unsafe { AtomicU32::from_ptr(p.as_ptr().cast()) })
    }

    /// Eight bytes at a multiple of eight.
    pub(crate) fn u64(&self, at: usize) -> Option<&AtomicU64> {
        // SAFETY: as above.
        self.place(at, 8).map(|p| unsafe { AtomicU64::from_ptr(p.as_ptr().cast()) })
    }

    fn bytes(&self, at: usize, len: usize) -> Option<&[AtomicU8]> {
        at.checked_add(len).filter(|end| *end <= self.len)?;
        // SAFETY: within the mapping; a byte has no alignment; only accessed atomically for as long as `self` lives.
        Some(unsafe { std::slice::from_raw_parts(self.base.as_ptr().add(at).cast(), len) })
    }

    /// Appends bytes of the mapping to `out`; `None` where they are not all in it.
    pub(crate) fn read(&self, at: usize, len: usize, out: &mut Vec<u8>) -> Option<()> {
        at.checked_add(len).filter(|end| *end <= self.len)?;
        let before = out.len();
        out.resize(before + len, 0);
        self.copy(at, &mut out[before..])
    }

    /// Fills `out` with bytes of the mapping; `None` where they are not all in it.
    pub(crate) fn copy(&self, at: usize, out: &mut [u8]) -> Option<()> {
        let (head, words, tail) = self.split(at, out.len())?;
        let (first, rest) = out.split_at_mut(head.len());
        let (middle, last) = rest.split_at_mut(words.len() * 8);
        first.iter_mut().zip(head).for_each(|(to, from)| *to = from.load(Ordering::Relaxed));
        for (to, from) in middle.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&from.load(Ordering::Relaxed).to_ne_bytes());
        }
        last.iter_mut().zip(tail).for_each(|(to, from)| *to = from.load(Ordering::Relaxed));
        Some(())
    }

    /// Writes bytes to the mapping; `None` where they do not fit.
    pub(crate) fn write(&self, at: usize, from: &[u8]) -> Option<()> {
        let (head, words, tail) = self.split(at, from.len())?;
        let (first, rest) = from.split_at(head.len());
        let (middle, last) = rest.split_at(words.len() * 8);
        head.iter().zip(first).for_each(|(to, from)| to.store(*from, Ordering::Relaxed));
        for (to, from) in words.iter().zip(middle.chunks_exact(8)) {
            let mut word = [0; 8];
            word.copy_from_slice(from);
            to.store(u64::from_ne_bytes(word), Ordering::Relaxed);
        }
        tail.iter().zip(last).for_each(|(to, from)| to.store(*from, Ordering::Relaxed));
        Some(())
    }

    /// A range as bytes up to the first word, whole words, and the bytes left.
    fn split(&self, at: usize, len: usize) -> Option<(&[AtomicU8], &[AtomicU64], &[AtomicU8])> {
        let head = (at.next_multiple_of(8) - at).min(len);
        let words = (len - head) / 8;
        let middle = match words {
            0 => &[][..],
            // SAFETY: `bytes` has checked the range; it begins at a multiple of eight, and is `words` words long.
            _ => unsafe {
                let first = self.bytes(at + head, words * 8)?.as_ptr();
                std::slice::from_raw_parts(first.cast::<AtomicU64>(), words)
            },
        };
        let done = head + words * 8;
        Some((self.bytes(at, head)?, middle, self.bytes(at.checked_add(done)?, len - done)?))
    }
}

impl Drop for SharedMapping {
    fn drop(&mut self) {
        // SAFETY: nobody has a reference into it any more, since all of them borrow from this value.
        let _ = unsafe { rustix::mm::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use rustix::fd::OwnedFd;
    use rustix::fs::MemfdFlags;

    pub(crate) fn file(len: u64) -> OwnedFd {
        let fd = rustix::fs::memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        rustix::fs::ftruncate(&fd, len).unwrap();
        fd
    }

    #[test]
    fn ranges_beyond_the_file_are_not_mapped() {
        let fd = file(8192);
        for (offset, len) in [(0, 8193), (4096, 4097), (1, 4096), (0, 0), (u64::MAX - 4095, 4096)] {
            assert!(SharedMapping::new(&fd, offset, len).is_err(), "{offset} {len}");
        }
        assert_eq!(SharedMapping::new(&fd, 4096, 4096).unwrap().len(), 4096);
    }

    #[test]
    fn words_are_where_they_are_aligned_and_fit() {
        let map = SharedMapping::new(file(4096), 0, 4096).unwrap();
        assert!(map.u16(4094).is_some() && map.u16(4095).is_none() && map.u16(4096).is_none());
        assert!(map.u32(4092).is_some() && map.u32(4094).is_none() && map.u32(usize::MAX).is_none());
        assert!(map.u64(4088).is_some() && map.u64(4092).is_none());
    }

    proptest! {
        #[test]
        fn written_bytes_are_read_back(at in 0_usize..4200, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let fd = file(4096);
            let (one, other) = (SharedMapping::new(&fd, 0, 4096).unwrap(), SharedMapping::new(&fd, 0, 4096).unwrap());
            let fits = at + bytes.len() <= 4096;
            prop_assert_eq!(one.write(at, &bytes).is_some(), fits);
            let mut out = vec![7];
            prop_assert_eq!(other.read(at, bytes.len(), &mut out).is_some(), fits);
            if fits {
                prop_assert_eq!(&out[1..], &bytes[..]);
                // Nothing beside it was touched.
                out.clear();
                other.read(0, 4096, &mut out).unwrap();
                prop_assert!(out[..at].iter().chain(&out[at + bytes.len()..]).all(|b| *b == 0));
            }
        }
    }
}
