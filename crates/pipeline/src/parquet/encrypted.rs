//! Encrypted Parquet (Parquet modular encryption), which is recognised and refused. Pages without
//! their keys cannot be copied either, since the signature of the footer covers the columns.
//!
//! An encrypted footer has its own magic bytes. A footer in plaintext has the algorithm in field 8
//! of `FileMetaData`, which is found without the parquet crate: that is a struct of Thrift's
//! compact protocol.

use parquet::{errors::Result, file::reader::ChunkReader};

/// The size of the tail: the length of the footer, and the magic bytes.
const TAIL: usize = 8;
/// The field of `FileMetaData` with the algorithm.
const ALGORITHM: i64 = 8;
// The types of fields.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;
/// The maximum depth of structs and lists. That of the format is 6.
const DEPTH: usize = 16;

/// Reports whether the file is encrypted. A malformed footer is not.
pub(super) fn is_encrypted<R: ChunkReader>(file: &R) -> Result<bool> {
    let Some(start) = file.len().checked_sub(TAIL as u64) else {
        return Ok(false);
    };
    let tail = file.get_bytes(start, TAIL)?;
    let (length, magic) = tail.split_at(4);
    if magic == b"PARE" {
        return Ok(true);
    }
    let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
    let Some(start) = start.checked_sub(u64::from(length)) else {
        return Ok(false);
    };
    let footer = file.get_bytes(start, length as usize)?;
    Ok(Compact(&footer).has_field(ALGORITHM).unwrap_or(false))
}

/// The rest of some data in the compact protocol.
struct Compact<'b>(&'b [u8]);

impl Compact<'_> {
    /// Reports whether the struct has a field. Returns `None` if it is malformed.
    fn has_field(mut self, wanted: i64) -> Option<bool> {
        let mut id = 0;
        loop {
            match self.field(&mut id)? {
                STOP => return Some(false),
                _ if id == wanted => return Some(true),
                kind => self.skip(kind, DEPTH)?,
            }
        }
    }

    /// Reads the type of the next field. `id` is that of the last one.
    fn field(&mut self, id: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        match byte >> 4 {
            0 if byte == STOP => {}
            0 => {
                let number = self.number()?;
                *id = i64::try_from(number >> 1).ok()? ^ -i64::from(number & 1 == 1);
            }
            more => *id = id.checked_add(i64::from(more))?,
        }
        Some(byte & 15)
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            TRUE | FALSE => {}
            BYTE => drop(self.byte()?),
            I16..=I64 => drop(self.number()?),
            DOUBLE => self.take(8)?,
            BINARY => {
                let length = self.number()?;
                self.take(length)?;
            }
            LIST | SET => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.number()?,
                    count => u64::from(count),
                };
                for _ in 0..count {
                    match byte & 15 {
                        // An element has its value, unlike a field.
                        TRUE | FALSE => drop(self.byte()?),
                        kind => self.skip(kind, depth)?,
                    }
                }
            }
            STRUCT => {
                let mut id = 0;
                while let kind @ 1.. = self.field(&mut id)? {
                    self.skip(kind, depth)?;
                }
            }
            // `FileMetaData` has no maps.
            _ => return None,
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    /// Reads an integer of 7 bits per byte, the lowest first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}
