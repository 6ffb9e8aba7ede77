//! CBOR (RFC 8949): heads of data items, read from untrusted bytes and written. Nothing is copied.

/// The major type of a byte string.
pub const BYTES: u8 = 2;
/// The major type of a text string.
pub const TEXT: u8 = 3;
/// The major type of an array.
pub const ARRAY: u8 = 4;
/// The major type of a map.
pub const MAP: u8 = 5;
/// The major type of a tag.
pub const TAG: u8 = 6;

/// The deepest nesting of arrays, maps and tags that [`skip`] follows.
const MAX_DEPTH: u8 = 16;
/// The byte that ends an item of indefinite length.
const BREAK: u8 = 0xff;

/// Splits off the head of a data item. Returns its major type, its argument unless the length is
/// indefinite, and the rest. The content of a string is skipped.
#[must_use]
pub fn head(bytes: &[u8]) -> Option<(u8, Option<u64>, &[u8])> {
    let (&first, after) = bytes.split_first()?;
    let (major, info) = (first >> 5, first & 31);
    let len = match info {
        0..=23 | 31 => 0,
        24..=27 => 1 << (info - 24),
        _ => return None,
    };
    let (argument, after) = after.split_at_checked(len)?;
    let argument = match info {
        31 => None,
        0..=23 => Some(info.into()),
        _ => Some((argument.iter()).fold(0, |all, byte| all << 8 | u64::from(*byte))),
    };
    let skipped = match (major, argument) {
        (BYTES | TEXT, Some(len)) => usize::try_from(len).ok()?,
        _ => 0,
    };
    Some((major, argument, after.get(skipped..)?))
}

/// Appends the shortest head of a data item: its major type and its argument.
pub fn write_head(major: u8, argument: usize, to: &mut Vec<u8>) {
    let bytes = (argument as u64).to_be_bytes();
    let (info, len) = match argument {
        0..24 => (bytes[7], 0),
        24..0x100 => (24, 1),
        0x100..0x1_0000 => (25, 2),
        0x1_0000..=0xffff_ffff => (26, 4),
        _ => (27, 8),
    };
    to.push(major << 5 | info);
    to.extend_from_slice(&bytes[8 - len..]);
}

/// Returns the bytes after a data item of any length. Returns `None` if it is cut, malformed, or
/// nested too deeply.
#[must_use]
pub fn skip(item: &[u8]) -> Option<&[u8]> {
    skip_nested(item, MAX_DEPTH)
}

fn skip_nested(item: &[u8], depth: u8) -> Option<&[u8]> {
    let (major, argument, mut rest) = head(item)?;
    let count = match (major, argument) {
        (BYTES..=MAP, None) => {
            while *rest.first()? != BREAK {
                rest = skip_nested(rest, depth.checked_sub(1)?)?;
            }
            return rest.get(1..);
        }
        (_, None) => return None,
        (ARRAY, Some(count)) => count,
        (MAP, Some(count)) => count.checked_mul(2)?,
        (TAG, Some(_)) => 1,
        _ => 0,
    };
    for _ in 0..count {
        rest = skip_nested(rest, depth.checked_sub(1)?)?;
    }
    Some(rest)
}

/// Splits the content of an array or a map into its data items, each with its head; a map into
/// labels and values. Nothing may follow it. Returns `None` for another item, or after `max` items.
pub(crate) fn items(item: &[u8], expected: u8, max: usize) -> Option<Vec<&[u8]>> {
    let (major, argument, mut rest) = head(item)?;
    let per_entry = if major == MAP { 2 } else { 1 };
    let count = match argument {
        Some(count) => Some(usize::try_from(count).ok()?.checked_mul(per_entry)?),
        None => None,
    };
    let mut items = Vec::new();
    while count != Some(items.len()) && !(count.is_none() && rest.first() == Some(&BREAK)) {
        let after = skip(rest).filter(|_| items.len() < max)?;
        items.push(&rest[..rest.len() - after.len()]);
        rest = after;
    }
    let end = if count.is_none() { &[BREAK][..] } else { &[] };
    let whole = major == expected && rest == end && items.len().is_multiple_of(per_entry);
    whole.then_some(items)
}

/// Returns the integer that is all of the item.
pub(crate) fn integer(item: &[u8]) -> Option<i64> {
    match head(item)? {
        (0, Some(number), []) => i64::try_from(number).ok(),
        (1, Some(number), []) => i64::try_from(number).ok().map(|number| -1 - number),
        _ => None,
    }
}

/// Returns the content of the string, of [`BYTES`] or [`TEXT`], that is all of the item.
/// Returns `None` for one of indefinite length, which is in pieces.
pub(crate) fn string(item: &[u8], expected: u8) -> Option<&[u8]> {
    match head(item)? {
        (major, Some(len), []) if major == expected => {
            item.get(item.len() - usize::try_from(len).ok()?..)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_any_length_are_skipped() {
        for (bytes, rest) in [
            (&b"\x01\x02"[..], Some(&b"\x02"[..])),
            (b"\x42ab\x00", Some(b"\x00")),
            (b"\x82\x01\xa1\x01\x02\x05", Some(b"\x05")),
            (b"\x9f\x01\xbf\x01\x5f\x41a\xff\xff\xff\x05", Some(b"\x05")),
            (b"\xc1\x9f\xff", Some(b"")),
            (b"\xff", None),
            (b"\x9f\x01", None),
            (b"\x1f", None),
            (b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x00", None),
            (b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", None),
        ] {
            assert_eq!(skip(bytes), rest, "{bytes:x?}");
        }
        let nested = |depth| [vec![0x81; depth], vec![0]].concat();
        assert_eq!(skip(&nested(16)), Some(&b""[..]));
        assert_eq!(skip(&nested(17)), None);
        assert_eq!(skip(&nested(60_000)), None);
    }

    #[test]
    fn contents_are_split() {
        let two: Vec<&[u8]> = vec![b"\x01", b"\x61a"];
        for whole in [
            &b"\x82\x01\x61a"[..],
            b"\x98\x02\x01\x61a",
            b"\x9f\x01\x61a\xff",
        ] {
            assert_eq!(items(whole, 4, 2), Some(two.clone()), "{whole:x?}");
            assert_eq!(items(whole, 5, 2), None);
            assert_eq!(items(whole, 4, 1), None);
            assert_eq!(items(&[whole, b"\x00"].concat(), 4, 9), None);
        }
        assert_eq!(items(b"\xa1\x01\x61a", 5, 2), Some(two.clone()));
        assert_eq!(items(b"\xbf\x01\x61a\xff", 5, 2), Some(two));
        assert_eq!(items(b"\xbf\x01\xff", 5, 2), None);
        assert_eq!(items(b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff", 5, 2), None);
        assert_eq!(
            (integer(b"\x18\x20"), integer(b"\x38\x20")),
            (Some(32), Some(-33))
        );
        assert_eq!(
            (string(b"\x41a", 2), string(b"\x5f\x41a\xff", 2)),
            (Some(&b"a"[..]), None)
        );
    }
}
