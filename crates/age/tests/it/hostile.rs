//! Damaged and hostile files. Each gives an error, and no unauthenticated data is returned.

use pqseal_age::{
    ArmorError, ArmorReader, ChunkReader, ChunkWriter, Decryptor, Encryptor, Error, FileKey,
    Header, HeaderError, Input, Output, Payload, PayloadError, Stanza, X25519Identity,
};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};

fn payload() -> Payload {
    Payload::new(&FileKey::new([1; 16]), [2; 16])
}

/// Returns a message of `len` bytes and its chunks.
fn sealed(len: usize) -> (Vec<u8>, Vec<u8>) {
    let text: Vec<u8> = (0..=250).cycle().take(len).collect();
    let mut writer = ChunkWriter::new(payload(), Vec::new());
    writer.write_all(&text).unwrap();
    (text, writer.finish().unwrap())
}

/// Returns the output, and the error if there is one.
fn open(chunks: &[u8]) -> (Vec<u8>, Option<PayloadError>) {
    let mut text = Vec::new();
    let result = ChunkReader::new(payload(), chunks).read_to_end(&mut text);
    (text, result.err().map(payload_error))
}

fn payload_error(error: io::Error) -> PayloadError {
    match Error::from(error) {
        Error::Payload(error) => error,
        error => panic!("{error}"),
    }
}

const SIZE: usize = 64 * 1024;

#[test]
fn every_byte_of_a_file_is_authenticated() {
    let identity = X25519Identity::generate().unwrap();
    let mut file = Encryptor::new(&[&identity.recipient()], Vec::new()).unwrap();
    file.write_all(b"some text").unwrap();
    let file = file.finish().unwrap();
    let read = |file: &[u8]| -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        Decryptor::new(&[&identity], file)?.read_to_end(&mut text)?;
        Ok(text)
    };
    assert_eq!(read(&file).unwrap(), b"some text");
    for at in 0..file.len() {
        for flip in [1, 0x80] {
            let mut altered = file.clone();
            altered[at] ^= flip;
            assert!(read(&altered).is_err(), "byte {at} with {flip:#x}");
        }
        assert!(read(&file[..at]).is_err(), "cut to {at}");
    }
    assert!(read(&[&file[..], b"x"].concat()).is_err());
}

#[test]
fn cuts_are_truncation_and_other_changes_are_not() {
    let (text, chunks) = sealed(2 * SIZE + 100);
    let full = SIZE + 16;
    assert_eq!(open(&chunks), (text.clone(), None));
    // At a chunk's end a cut is certain; the chunk before it is not given out, as it is not the
    // last.
    assert_eq!(open(&chunks[..full]).1, Some(PayloadError::Truncated));
    assert_eq!(
        open(&chunks[..2 * full]),
        (text[..SIZE].to_vec(), Some(PayloadError::Truncated))
    );
    assert_eq!(open(&[]).1, Some(PayloadError::Truncated));
    for len in [
        1,
        15,
        16,
        full - 1,
        full + 1,
        full + 16,
        2 * full + 1,
        chunks.len() - 1,
    ] {
        let (out, error) = open(&chunks[..len]);
        assert!(text.starts_with(&out), "{len}");
        assert!(
            matches!(
                error,
                Some(PayloadError::LastChunk | PayloadError::EmptyLast)
            ),
            "{len}: {error:?}"
        );
    }
    let swapped = [
        &chunks[full..2 * full],
        &chunks[..full],
        &chunks[2 * full..],
    ]
    .concat();
    assert_eq!(open(&swapped), (vec![], Some(PayloadError::Altered(0))));
    let repeated = [&chunks[..full], &chunks[..full], &chunks[2 * full..]].concat();
    assert_eq!(
        open(&repeated),
        (text[..SIZE].to_vec(), Some(PayloadError::Altered(1)))
    );
    let dropped = [&chunks[..full], &chunks[2 * full..]].concat();
    assert_eq!(
        open(&dropped),
        (text[..SIZE].to_vec(), Some(PayloadError::LastChunk))
    );
}

/// Sizes around the limits of chunks, read from the start and from every position.
#[test]
fn sizes_around_chunks_round_trip_and_seek() {
    for len in [
        0,
        1,
        SIZE - 1,
        SIZE,
        SIZE + 1,
        2 * SIZE,
        2 * SIZE + 1,
        3 * SIZE - 1,
    ] {
        let (text, chunks) = sealed(len);
        assert_eq!(open(&chunks), (text.clone(), None), "{len}");
        let mut reader = ChunkReader::new(payload(), Cursor::new(&chunks));
        assert_eq!(reader.plaintext_len().unwrap(), len as u64);
        for place in [0, 1, len / 2, SIZE - 1, SIZE, SIZE + 1, len] {
            let place = place.min(len);
            let mut part = Vec::new();
            reader
                .seek(SeekFrom::End(place as i64 - len as i64))
                .unwrap();
            assert_eq!(reader.stream_position().unwrap(), place as u64);
            reader.by_ref().take(100).read_to_end(&mut part).unwrap();
            assert_eq!(
                part,
                text[place..len.min(place + 100)],
                "{len} from {place}"
            );
        }
        assert!(reader.seek(SeekFrom::Current(-(len as i64) - 200)).is_err());
    }
}

/// The length that a seek to the end returns was authenticated.
#[test]
fn a_seek_believes_no_end_that_does_not_open() {
    let (_, chunks) = sealed(2 * SIZE + 100);
    let full = SIZE + 16;
    for cut in [full, 2 * full, chunks.len() - 1, 2 * full + 5, 0] {
        let mut reader = ChunkReader::new(payload(), Cursor::new(&chunks[..cut]));
        assert!(reader.seek(SeekFrom::End(0)).is_err(), "cut to {cut}");
    }
}

#[test]
fn headers_are_limited() {
    let read = |bytes: &[u8]| Header::read(&mut &bytes[..]).map(drop);
    let is = |error, why| matches!(error, Err(Error::Header(e)) if e == why);
    assert!(is(read(b"\x7fELF"), HeaderError::NotAge));
    assert!(is(read(b""), HeaderError::NotAge));
    assert!(is(read(b"age-encryption.org/v2\n"), HeaderError::Version));
    assert!(is(
        read(b"age-encryption.org/v1\n-> a\n\n"),
        HeaderError::Truncated
    ));
    let many = [
        b"age-encryption.org/v1\n",
        b"-> a\n\n".repeat(3 << 20).as_slice(),
    ]
    .concat();
    assert!(is(read(&many), HeaderError::TooLong));
    // An endless line: no more of it is kept than the limit.
    let endless = io::repeat(b'a').take(1 << 30);
    let mut endless = BufReader::new(Cursor::new(b"age-encryption.org/v1\n-> a").chain(endless));
    assert!(is(
        Header::read(&mut endless).map(drop),
        HeaderError::TooLong
    ));
}

/// Files that were copied as text. Armor may have other line breaks, and a byte order mark.
#[test]
fn files_that_were_changed_as_text_are_named() {
    let identity = X25519Identity::generate().unwrap();
    let file = |armored| {
        let output = Output::new(Vec::new(), armored).unwrap();
        let mut file = Encryptor::new(&[&identity.recipient()], output).unwrap();
        file.write_all(b"some text").unwrap();
        file.finish().unwrap().finish().unwrap()
    };
    let read = |file: &[u8]| -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        Decryptor::new(&[&identity], Input::new(file)?)?.read_to_end(&mut text)?;
        Ok(text)
    };
    let (binary, armored) = (file(false), file(true));
    let crlf = |file: &[u8]| {
        file.split(|c| *c == b'\n')
            .collect::<Vec<_>>()
            .join(&b"\r\n"[..])
    };
    let header = |file: &[u8]| match read(file) {
        Err(Error::Header(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(header(&crlf(&binary)), HeaderError::LineBreaks);
    assert_eq!(read(&crlf(&armored)).unwrap(), b"some text");
    assert_eq!(
        read(&[b"\xef\xbb\xbf", &armored[..]].concat()).unwrap(),
        b"some text"
    );
    for order in [[0, 1], [1, 0]] {
        for mark in [&[[0xff, 0xfe]][..], &[]] {
            let utf16 = |text: &[u8]| {
                let units = text.iter().map(|c| [*c, 0]);
                let units = mark.iter().copied().chain(units);
                units
                    .flat_map(|unit| order.map(|at| unit[at]))
                    .collect::<Vec<u8>>()
            };
            assert_eq!(header(&utf16(&binary)), HeaderError::Utf16);
            let error = read(&utf16(&armored)).unwrap_err();
            assert!(matches!(error, Error::Armor(ArmorError::Utf16)), "{error}");
        }
    }
}

#[test]
fn lines_of_armor_that_do_not_belong_are_named() {
    let file = |lines: &[&str]| {
        let lines = [&["-----BEGIN AGE ENCRYPTED FILE-----"], lines].concat();
        let text = lines.join("\n");
        let mut out = Vec::new();
        match ArmorReader::new(text.as_bytes()).read_to_end(&mut out) {
            Ok(_) => None,
            Err(error) => match Error::from(error) {
                Error::Armor(error) => Some(error),
                error => panic!("{error}"),
            },
        }
    };
    let full = "A".repeat(64);
    let end = "-----END AGE ENCRYPTED FILE-----";
    assert_eq!(file(&[&full, "AAAA", end]), None);
    for blank in ["", " ", "\r"] {
        assert_eq!(file(&[blank, &full, "AAAA", end]), Some(ArmorError::Blank));
        assert_eq!(file(&[&full, "AAAA", blank, end]), Some(ArmorError::Blank));
    }
    for cut in [&["AAAA"][..], &[&full], &["AAAA", &end[..9]]] {
        assert_eq!(file(cut), Some(ArmorError::End));
    }
    assert_eq!(file(&["AAAA", &full, end]), Some(ArmorError::Line));
}

#[test]
fn ten_thousand_stanzas_are_read() {
    let identity = X25519Identity::generate().unwrap();
    let file_key = FileKey::generate().unwrap();
    let header = Header::new(&[&identity.recipient()], &file_key).unwrap();
    let mut bytes = b"age-encryption.org/v1\n".to_vec();
    for _ in 0..10_000 {
        bytes.extend(b"-> unknown argument\nAAAA\n");
    }
    let [stanza] = header.stanzas() else {
        panic!("one")
    };
    let known = Stanza::new(&stanza.kind, stanza.args.clone(), stanza.body.clone());
    assert_eq!(known, *stanza);
    let rest = &header.to_bytes()[b"age-encryption.org/v1\n".len()..];
    bytes.extend(rest);
    let read = Header::read(&mut &bytes[..]).unwrap();
    assert_eq!(read.stanzas().len(), 10_001);
    assert_eq!(read.to_bytes(), bytes);
    // The MAC is that of the header without the others.
    assert!(matches!(read.open(&[&identity]), Err(Error::Mac)));
}
