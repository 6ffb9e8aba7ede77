//! Padding of a header to make room for other recipients: a stanza of an unknown kind, which
//! programs skip. Its one argument is as long as necessary.

use super::Header;
use crate::{FileKey, Stanza};

pub(super) const KIND: &str = "pqseal-reserve";
/// The block size of file systems. The length of a padded header is a multiple of it.
pub(crate) const MULTIPLE: usize = 4096;
/// The length of the shortest such stanza: `-> pqseal-reserve 0`, and an empty body.
const LEAST: usize = 3 + KIND.len() + 1 + 1 + 1 + 1;

pub(super) fn to_multiple(stanzas: Vec<Stanza>, file_key: &FileKey) -> Header {
    let least = Header::of(stanzas.clone(), file_key).to_bytes().len() + LEAST;
    let length = least.next_multiple_of(MULTIPLE);
    to_length(stanzas, file_key, length).expect("there is room for the shortest")
}

pub(super) fn to_length(
    mut stanzas: Vec<Stanza>,
    file_key: &FileKey,
    length: usize,
) -> Option<Header> {
    let plain = Header::of(stanzas.clone(), file_key);
    let room = length.checked_sub(plain.to_bytes().len())?;
    if room == 0 {
        return Some(plain);
    }
    let fill = room.checked_sub(LEAST)? + 1;
    stanzas.push(Stanza::new(KIND, vec!["0".repeat(fill)], Vec::new()));
    Some(Header::of(stanzas, file_key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_but_too_short_ones_is_met() {
        let file_key = FileKey::new([7; 16]);
        let stanza = Stanza::new("x", vec!["y".into()], vec![1; 32]);
        let plain = Header::of(vec![stanza.clone()], &file_key).to_bytes().len();
        for length in plain - 1..plain + 100 {
            let header = to_length(vec![stanza.clone()], &file_key, length);
            let possible = length == plain || length >= plain + LEAST;
            assert_eq!(header.is_some(), possible, "{length}");
            if let Some(header) = header {
                assert_eq!(header.to_bytes().len(), length);
                assert_eq!(Header::read(&mut &header.to_bytes()[..]).unwrap(), header);
            }
        }
        let header = to_multiple(vec![stanza], &file_key);
        assert_eq!(header.to_bytes().len(), MULTIPLE);
    }
}
