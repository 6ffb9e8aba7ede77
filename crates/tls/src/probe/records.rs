//! The ends of records in a server's stream, which show which of them the client decrypted.

/// The content type of an encrypted record (RFC 9846, section 5.2).
const APPLICATION_DATA: u8 = 23;

/// A position in a stream of records.
#[derive(Default)]
pub(super) struct Records {
    /// The received part of the header of the current record: type, version, length.
    header: Vec<u8>,
    /// The number of bytes that are missing of the current record's content.
    left: usize,
}

impl Records {
    /// Splits the bytes where the current header or record ends, or at their end.
    pub(super) fn split<'a>(&mut self, bytes: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        if self.is_at_end() {
            self.header.clear();
        }
        let missing = 5 - self.header.len();
        if missing == 0 {
            let (part, rest) = bytes.split_at(self.left.min(bytes.len()));
            self.left -= part.len();
            return (part, rest);
        }
        let (part, rest) = bytes.split_at(missing.min(bytes.len()));
        self.header.extend_from_slice(part);
        if let [.., high, low] = *self.header
            && self.header.len() == 5
        {
            self.left = usize::from(u16::from_be_bytes([high, low]));
        }
        (part, rest)
    }

    /// Reports whether the last part was the end of an encrypted record.
    pub(super) fn is_encrypted(&self) -> bool {
        self.is_at_end() && self.header[0] == APPLICATION_DATA
    }

    fn is_at_end(&self) -> bool {
        self.header.len() == 5 && self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the stream is split, the encrypted record ends at the same position.
    #[test]
    fn an_encrypted_record_ends_where_its_length_says() {
        let stream = [
            &[22, 3, 3, 0, 2, 9, 9][..],
            &[20, 3, 3, 0, 1, 1],
            &[23, 3, 3, 0, 3, 1, 2, 3],
            &[23, 3, 3],
        ]
        .concat();
        for size in 1..=stream.len() {
            let (mut records, mut at, mut ends) = (Records::default(), 0, Vec::new());
            for mut rest in stream.chunks(size) {
                while !rest.is_empty() {
                    let (part, after) = records.split(rest);
                    (at, rest) = (at + part.len(), after);
                    if records.is_encrypted() {
                        ends.push(at);
                    }
                }
            }
            assert_eq!(ends, [21], "{size}");
        }
    }
}
