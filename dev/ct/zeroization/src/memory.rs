//! The memory of this process: `/proc/self/maps` lists writable regions, and `/proc/self/mem` reads
//! them.

use std::{
    fs::{self, File},
    hint::black_box,
    io,
    ops::Range,
    os::unix::fs::FileExt,
};

/// The number of bytes that are read at once.
const CHUNK: usize = 1 << 20;
/// The number of bytes of the stack that are overwritten: more than any operation here uses.
const STACK: usize = 3 << 20;

/// A writable region of memory, and its name in the system.
struct Region {
    addresses: Range<u64>,
    name: String,
}

/// Calls `visit(name, bytes)` for all writable memory, in chunks that overlap by `overlap` bytes.
/// Skips the buffer that it reads into.
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

/// Returns the bytes of a value in memory.
pub(crate) fn bytes_of<T>(value: &T) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size_of::<T>()];
    File::open("/proc/self/mem")?
        .read_exact_at(&mut bytes, u64_of(std::ptr::from_ref(value).addr()))?;
    Ok(bytes)
}

/// Overwrites the stack below the caller. Nobody wipes copies that the compiler makes there
/// (SECURITY.md), so they are not searched for.
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

/// Returns the parts of `whole` outside of `hole`.
fn without(whole: &Range<u64>, hole: &Range<u64>) -> [Range<u64>; 2] {
    let [start, end] = [hole.start, hole.end].map(|at| at.clamp(whole.start, whole.end));
    [whole.start..start, end..whole.end]
}

fn u64_of(n: usize) -> u64 {
    u64::try_from(n).expect("an address has at most 64 bits")
}
