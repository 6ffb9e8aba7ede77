//! Secrets that this program can hold without finding them in its own memory: each byte is masked.

use std::{collections::HashMap, io};

use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use crate::memory;

/// The mask of a secret, by the position of a byte.
const MASK: [u8; PIECE] = 0x9e37_79b9_7f4a_7c15_u64.to_le_bytes();
/// The size of the pieces that are searched. Any 8 bytes of a secret that begin at a multiple of 8
/// count as a leak, since the allocator overwrites parts of freed blocks.
const PIECE: usize = 8;

/// Bytes that are masked while they are not used.
#[derive(Clone)]
pub(crate) struct Masked(Vec<u8>);

/// The secrets to look for, by name.
#[derive(Default)]
pub(crate) struct Secrets(Vec<(String, Masked)>);

/// A piece of a secret that was found: its bytes' positions, and the name of the memory.
pub(crate) type Found = (String, String);

impl Masked {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(mask(bytes))
    }

    /// Returns the bytes, wiped on drop.
    pub(crate) fn reveal(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(mask(&self.0))
    }

    pub(crate) fn to_hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    pub(crate) fn from_hex(hex: &str) -> Self {
        Self(HEXLOWER.decode(hex.as_bytes()).expect("written by to_hex"))
    }

    fn pieces(&self) -> impl Iterator<Item = [u8; PIECE]> {
        self.0
            .chunks_exact(PIECE)
            .map(|piece| piece.try_into().expect("of that size"))
    }
}

impl Secrets {
    pub(crate) fn add(&mut self, name: impl Into<String>, bytes: &[u8]) {
        self.0.push((name.into(), Masked::new(bytes)));
    }

    pub(crate) fn push(&mut self, name: &str, secret: Masked) {
        self.0.push((name.to_owned(), secret));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, Masked)> {
        self.0.iter()
    }

    /// Finds every piece that is in writable memory.
    pub(crate) fn find(&self) -> io::Result<Vec<Found>> {
        let table: HashMap<_, _> = (self.0.iter())
            .flat_map(|(name, secret)| {
                let pieces = secret.pieces().zip((0..).step_by(PIECE));
                pieces.map(move |(piece, at)| (piece, (at, name)))
            })
            .filter(|(piece, _)| is_distinct(piece))
            .collect();
        // Two bytes rule out most positions.
        let mut first = vec![false; 1 << 16];
        table.keys().for_each(|piece| first[two(piece)] = true);
        let mut found = Vec::new();
        memory::for_each_chunk(PIECE - 1, |region, bytes| {
            for window in bytes.windows(PIECE) {
                if first[two(&[window[0] ^ MASK[0], window[1] ^ MASK[1]])]
                    && let Some((at, name)) = table.get(mask(window).as_slice())
                {
                    let piece = format!("bytes {at} to {} of {name}", at + PIECE);
                    found.push((piece, region.to_owned()));
                }
            }
        })?;
        Ok(found)
    }
}

fn two(bytes: &[u8]) -> usize {
    usize::from(u16::from_le_bytes([bytes[0], bytes[1]]))
}

/// Reports whether other data is unlikely to contain these bytes, unlike eight zeros: more than
/// half of them differ from all before. The mask is not removed for that.
fn is_distinct(piece: &[u8; PIECE]) -> bool {
    (0..PIECE)
        .filter(|i| (0..*i).all(|j| piece[*i] ^ piece[j] != MASK[*i] ^ MASK[j]))
        .count()
        > PIECE / 2
}

fn mask(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .zip(MASK.iter().cycle())
        .map(|(byte, mask)| byte ^ mask)
        .collect()
}
