//! System calls for which the libraries that are used have no safe form: the one place of the agent where the compiler's word is
//! not enough.

#![expect(unsafe_code, reason = "there is no other way to make these calls")]

use nix::libc;
use rustix::fd::{AsFd, AsRawFd as _};
use rustix::ioctl::{Opcode, Setter, ioctl, opcode};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::fs::OpenOptions;
use std::io;
use std::ptr::null_mut;
use std::sync::atomic::AtomicU64;
use tailrace_agent::mailbox::WORDS;

/// The value of a socket's option as the kernel writes it, as much of it as there is room for; returns how much that is.
pub(crate) fn socket_option(
    socket: impl AsFd,
    (level, name): (i32, i32),
    value: &mut [u8],
) -> io::Result<usize> {
    let socket = socket.as_fd();
    let mut len = libc::socklen_t::try_from(value.len()).unwrap_or(libc::socklen_t::MAX);
    // SAFETY: the descriptor is open while it is borrowed; the kernel writes at most `len` bytes, which `value` has.
    let result =
        unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, value.as_mut_ptr().cast(), &raw mut len) };
    if result == 0 { Ok(len as usize) } else { Err(io::Error::last_os_error()) }
}

/// A page of zeros that stays where it is in physical memory for as long as this process lives, also while it makes others.
pub(crate) fn shared_page() -> io::Result<&'static [AtomicU64; WORDS]> {
    let flags = MapFlags::SHARED | MapFlags::LOCKED | MapFlags::POPULATE;
    // SAFETY: the kernel chooses the place. It is a page, so it has these words and is aligned for them; nobody unmaps it, and
    // all who know of it access it atomically.
    unsafe {
        let page = mmap_anonymous(
            null_mut(),
            size_of::<[AtomicU64; WORDS]>(),
            ProtFlags::READ | ProtFlags::WRITE,
            flags,
        )?;
        Ok(&*page.cast())
    }
}

const BYTES: usize = 64;

/// `struct rand_pool_info` with as many bytes as are given.
#[repr(C)]
struct Entropy {
    bits: i32,
    bytes: i32,
    buffer: [u8; BYTES],
}

const RNDADDENTROPY: Opcode = opcode::write::<[i32; 2]>(b'R', 3);

/// Gives the kernel 512 bits that follow from a number.
pub(crate) fn seed(number: u64) -> io::Result<()> {
    let mut buffer = [0; BYTES];
    let mut state = number;
    for word in buffer.chunks_exact_mut(8) {
        word.copy_from_slice(&split_mix(&mut state).to_le_bytes());
    }
    let entropy = Entropy { bits: 8 * BYTES as i32, bytes: BYTES as i32, buffer };
    let device = OpenOptions::new().write(true).open("/dev/random")?;
    // SAFETY: the number and the structure are those of random(4), which only reads it.
    unsafe { ioctl(&device, Setter::<RNDADDENTROPY, Entropy>::new(entropy)) }?;
    Ok(())
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
