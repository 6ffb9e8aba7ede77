//! The memory of this process: `/proc/self/maps` says what is writable, `/proc/self/mem` reads it.

use std::{
    fs::{self, File},
    hint::black_box,
    io,
    ops::Range,
    os::unix::fs::FileExt,
};

/// How much is read at once, in bytes.
const CHUNK: usize = 1 << 20;
/// How much of the stack is overwritten, in bytes: more than any operation here uses.
const STACK: usize = 3 << 20;

/// A writable stretch of memory, and what the system calls it.
struct Region {
    addresses: Range<u64>,
    name: String,
}

/// Calls `visit(name, bytes)` for all writable memory, in chunks that overlap by `overlap` bytes. The
/// buffer that it reads into is left out.
pub(crate) fn for_each_chunk(overlap: usize, mut visit: impl FnMut(&str, &[u8])) -> io::Result<()> {
    let memory = File::open("/proc/self/mem")?;
    let mut buffer = vec![0; CHUNK];
    let own = u64_of(buffer.as_ptr().addr())..u64_of(buffer.as_ptr().addr() + CHUNK);
    for region in writable()? {
        for part in without(&region.addresses, &own) {
            let mut at = part.start;
            while at < part.end {
                let len = CHUNK.min(usize::try_from(part.end - at).unwrap_or(CHUNK));
                memory.read_exact_at(&mut buffer[..len], at)?;
                visit(&region.name, &buffer[..len]);
                at += u64_of(if len == CHUNK { CHUNK - overlap } else { len });
            }
        }
    }
    Ok(())
}

/// The bytes of a value in memory, as they are.
pub(crate) fn bytes_of<T>(value: &T) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size_of::<T>()];
    File::open("/proc/self/mem")?
        .read_exact_at(&mut bytes, u64_of(std::ptr::from_ref(value).addr()))?;
    Ok(bytes)
}

/// Overwrites the stack below the caller. Copies that the compiler makes there are not wiped by
/// anyone (SECURITY.md), and are not what is looked for.
#[inline(never)]
pub(crate) fn overwrite_stack() {
    black_box(&mut [0_u8; STACK]);
}

fn writable() -> io::Result<Vec<Region>> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    let regions = maps.lines().filter_map(|line| {
        // start-end rwxp offset device inode name
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let writable = words.next()?.starts_with("rw");
        let addresses = u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?;
        let name = words.nth(3).unwrap_or("anonymous memory").to_owned();
        writable.then_some(Region { addresses, name })
    });
    Ok(regions.collect())
}

/// What is left of `whole` without `hole`.
fn without(whole: &Range<u64>, hole: &Range<u64>) -> [Range<u64>; 2] {
    let clamp = |at: u64| at.clamp(whole.start, whole.end);
    [whole.start..clamp(hole.start), clamp(hole.end)..whole.end]
}

fn u64_of(n: usize) -> u64 {
    u64::try_from(n).expect("an address has at most 64 bits")
}
