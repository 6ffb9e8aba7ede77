//! All of Wycheproof's tests of Cobblestone: as a stream, with random access, in raw mode, on
//! several threads, and sealed again.

use flate2::read::ZlibDecoder;
use pqseal_age::{
    ChunkReader, ChunkWriter, Error,
    cobblestone::{self, Cipher, Cobblestone, SALT},
    parallel::{self, Stream},
};
use sha2::{Digest, Sha512};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use test_vectors::{CobblestoneVector, Verdict, cobblestone_128, cobblestone_256};

/// Returns every test, with its cipher. A skipped test is a failure.
fn all() -> Vec<(Cipher, CobblestoneVector, Vec<u8>)> {
    let sets = [
        (Cipher::Aes128Gcm, cobblestone_128()),
        (Cipher::Aes256Gcm, cobblestone_256()),
    ];
    let tests: Vec<_> = sets
        .into_iter()
        .flat_map(|(cipher, set)| set.entries.into_iter().map(move |test| (cipher, test)))
        .map(|(cipher, test)| {
            let mut message = Vec::new();
            ZlibDecoder::new(&test.ct[..])
                .read_to_end(&mut message)
                .unwrap();
            (cipher, test, message)
        })
        .collect();
    assert_eq!(tests.len(), 70);
    tests
}

fn flagged(test: &CobblestoneVector, flag: &str) -> bool {
    test.flags.iter().any(|found| found == flag)
}

/// Returns the output, and whether there was no error.
fn drain(mut input: impl Read) -> (Vec<u8>, bool) {
    let mut text = Vec::new();
    let ended = input.read_to_end(&mut text).is_ok();
    assert!(ended || input.read(&mut [0]).is_err(), "an error stays one");
    (text, ended)
}

/// Checks that `text` is the message of a valid test, or a permitted part for an invalid one.
fn check(test: &CobblestoneVector, (text, ended): &(Vec<u8>, bool)) {
    assert_eq!(*ended, test.result == Verdict::Valid, "{}", test.id);
    let whole = test.message_length == Some(text.len() as u64);
    if whole {
        let hash = data_encoding::HEXLOWER.encode(&Sha512::digest(text));
        assert_eq!(test.message_sha512.as_ref(), Some(&hash), "{}", test.id);
    }
    let most = test.message_length.unwrap_or(0);
    assert!(
        whole || (!ended && (text.len() as u64) < most) || text.is_empty(),
        "{}",
        test.id
    );
}

#[test]
fn streams() {
    for (cipher, test, message) in all() {
        match cobblestone::open(cipher, &test.key, &test.context, &message[..]) {
            Ok(reader) => check(&test, &drain(reader)),
            Err(Error::Hpke(_)) => assert!(flagged(&test, "InvalidKeySize"), "{}", test.id),
            Err(error) => assert!(flagged(&test, "HeaderFailure"), "{}: {error}", test.id),
        }
    }
}

#[test]
fn random_access() {
    for (cipher, test, message) in all() {
        let input = Cursor::new(&message);
        let Ok(mut reader) = cobblestone::open(cipher, &test.key, &test.context, input) else {
            assert_eq!(test.result, Verdict::Invalid);
            continue;
        };
        let valid = test.result == Verdict::Valid;
        let len = reader.seek(SeekFrom::End(0));
        assert!(
            len.is_ok() == valid || flagged(&test, "ValidFinalChunk"),
            "{}",
            test.id
        );
        let Ok(len) = len else { continue };
        let sought = reader.rewind();
        let read = drain(&mut reader);
        assert_eq!(sought.is_ok() && read.1, valid, "{}", test.id);
        if !valid {
            continue;
        }
        check(&test, &read);
        assert_eq!(Some(len), test.message_length);
        for place in [len / 3, len / 2, len.saturating_sub(20_000)] {
            reader.seek(SeekFrom::Start(place)).unwrap();
            let mut part = Vec::new();
            reader.by_ref().take(40_000).read_to_end(&mut part).unwrap();
            let place = usize::try_from(place).unwrap();
            assert_eq!(part, read.0[place..read.0.len().min(place + 40_000)]);
        }
    }
}

#[test]
fn raw_mode_and_threads() {
    for (cipher, test, message) in all() {
        let (Some(key), Some(nonce)) = (&test.aead_key, &test.base_nonce) else {
            continue;
        };
        let chunks = &message[Cobblestone::HEADER..];
        let nonce = nonce.as_slice().try_into().unwrap();
        let raw = || Cobblestone::raw(cipher, key, nonce).unwrap();
        let read = drain(ChunkReader::new(raw(), chunks));
        check(&test, &read);
        let mut out = Vec::new();
        let result = parallel::open(&raw(), &Stream::new(chunks), &mut out, 3);
        assert!((out, result.is_ok()) == read, "{}", test.id);
    }
}

#[test]
fn valid_messages_are_sealed_again_with_the_same_bytes() {
    let mut count = 0;
    for (cipher, test, message) in all() {
        if test.result != Verdict::Valid {
            continue;
        }
        let opened = cobblestone::open(cipher, &test.key, &test.context, &message[..]);
        let (text, _) = drain(opened.unwrap());
        let salt: &[u8; SALT] = message.first_chunk().unwrap();
        let derive = || Cobblestone::derive(cipher, &test.key, salt, &test.context).unwrap();
        let (key, commitment) = derive();
        let start = [&salt[..], &commitment].concat();
        let mut writer = ChunkWriter::new(key, start.clone());
        writer.write_all(&text).unwrap();
        assert!(writer.finish().unwrap() == message, "{}", test.id);
        let mut out = start;
        parallel::seal(&derive().0, &Stream::new(&text[..]), &mut out, 3).unwrap();
        assert!(out == message, "{}", test.id);
        count += 1;
    }
    assert_eq!(count, 20);
}
