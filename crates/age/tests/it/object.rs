//! pqseal objects: known answers, every KEM and suite, and damaged or hostile objects.

use data_encoding::HEXLOWER;
use getrandom::SysRng;
use pqseal_age::{
    AnyHeader, ChunkReader, ChunkWriter, ContentKey, Error, HeaderError, HpkeIdentity, Identity,
    MLKEM768X25519, PassphraseRecipient, PayloadError, Recipient, Room, X25519Identity,
    cobblestone::Cipher,
    keys::{AnyIdentity, identity_of, read_identity, recipient_of},
    object::{self, Header, MAGIC, Options, Secret},
    parallel::{self, Stream},
};
use pqseal_hpke::{AEADS, Aead, KDFS, Policy};
use pqseal_keys::{self as our_keys, DEFAULT_SUITE, KeyId, kems};
use pqseal_matched_data::{SealOptions, Sealer};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use zeroize::Zeroizing;

/// The number of bytes of a full sealed chunk.
const FULL: usize = 16 * 1024 + 16;

fn text(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

fn sealed(recipients: &[&dyn Recipient], options: &Options, text: &[u8]) -> Vec<u8> {
    let mut writer = object::seal(recipients, options, Vec::new()).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn opened(identity: &dyn Identity, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    object::open(&[identity], &experimental(), bytes)?.read_to_end(&mut text)?;
    Ok(text)
}

fn experimental() -> Policy {
    Policy::draft().with_experimental()
}

fn options() -> Options {
    Options {
        policy: experimental(),
        ..Options::default()
    }
}

/// Returns an identity of a KEM, and its recipient.
fn pair(kem: &str) -> (AnyIdentity, Box<dyn Recipient>) {
    let kem = pqseal_keys::kem_by_name(kem).unwrap();
    let (private, public) = our_keys::generate(kem, &experimental(), &mut SysRng).unwrap();
    (identity_of(private).unwrap(), recipient_of(public).unwrap())
}

/// A committed object, with its keys, its secret and its text.
#[derive(serde::Deserialize)]
struct Vector {
    identities: Vec<String>,
    secret: String,
    plaintext_length: usize,
    object: String,
}

/// HPKE opens the secret, the header is authentic, and the secret gives the same chunks.
#[test]
fn known_answers() {
    let vectors: Vec<Vector> = serde_json::from_str(include_str!("../object.json")).unwrap();
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let bytes = HEXLOWER.decode(vector.object.as_bytes()).unwrap();
        let header = Header::read(&mut &bytes[..]).unwrap();
        assert!(bytes.starts_with(header.as_bytes()));
        assert_eq!(header.entries().len(), vector.identities.len());
        for identity in &vector.identities {
            let identity = read_identity(identity).unwrap();
            let secret = header.open(&[&*identity], &Policy::draft()).unwrap();
            assert_eq!(HEXLOWER.encode(secret.as_bytes()), vector.secret);
            assert!(opened(&*identity, &bytes).unwrap() == text(vector.plaintext_length));
        }
        let secret = HEXLOWER.decode(vector.secret.as_bytes()).unwrap();
        let secret = Secret::new(secret.first_chunk().unwrap());
        let start = header.as_bytes().to_vec();
        let mut writer = ChunkWriter::new(secret.payload(header.cipher()).unwrap(), start);
        writer.write_all(&text(vector.plaintext_length)).unwrap();
        assert!(writer.finish().unwrap() == bytes);
    }
}

#[test]
fn every_kem_of_the_registry() {
    for kem in kems() {
        let (identity, recipient) = pair(kem.info().short_name);
        let bytes = sealed(&[&*recipient, &*recipient], &options(), b"text");
        assert_eq!(opened(&*identity, &bytes).unwrap(), b"text");
        let header = Header::read(&mut &bytes[..]).unwrap();
        assert_eq!(header.entries()[0].suite.kem, kem.info().id);
        assert_eq!(header.post_quantum(), Some(!kem.info().auth));
    }
}

#[test]
fn every_kdf_aead_and_cipher() {
    let (identity, recipient) = pair("x25519");
    for kdf in KDFS.iter().map(|kdf| kdf.info().id) {
        for aead in AEADS.iter().map(|aead| aead.info().id) {
            let options = Options {
                kdf,
                aead,
                ..options()
            };
            if aead == 0xffff {
                let refused = object::seal(&[&*recipient], &options, Vec::new());
                assert!(matches!(refused, Err(Error::Hpke(_))));
                continue;
            }
            for cipher in [Cipher::Aes128Gcm, Cipher::Aes256Gcm] {
                let options = Options {
                    cipher,
                    ..options.clone()
                };
                let bytes = sealed(&[&*recipient], &options, b"text");
                assert_eq!(opened(&*identity, &bytes).unwrap(), b"text");
            }
        }
    }
}

/// Sizes around chunks, as a stream, on threads, and read from every position.
#[test]
fn sizes_round_trip_and_seek() {
    let (identity, recipient) = pair("x25519");
    for len in [0, 1, 16_383, 16_384, 16_385, 32_768, 100_001, 3_000_000] {
        let text = text(len);
        let bytes = sealed(&[&*recipient], &options(), &text);
        assert!(opened(&*identity, &bytes).unwrap() == text, "{len}");
        let header = Header::read(&mut &bytes[..]).unwrap();
        let secret = header.open(&[&*identity], &experimental()).unwrap();
        let chunks = &bytes[header.as_bytes().len()..];
        let key = secret.payload(header.cipher()).unwrap();
        let (mut out, mut again) = (Vec::new(), Vec::new());
        parallel::open(&key, &Stream::new(chunks), &mut out, 3).unwrap();
        parallel::seal(&key, &Stream::new(&out[..]), &mut again, 3).unwrap();
        assert!(out == text && again == chunks, "{len}");
        let input = Cursor::new(&bytes);
        let mut reader = object::open(&[&*identity], &experimental(), input).unwrap();
        for place in [0, len / 2, len] {
            let mut part = Vec::new();
            reader.seek(SeekFrom::Start(place as u64)).unwrap();
            reader.by_ref().take(20_000).read_to_end(&mut part).unwrap();
            assert!(part == text[place..len.min(place + 20_000)], "{len}");
        }
        assert_eq!(reader.seek(SeekFrom::End(0)).unwrap(), len as u64);
    }
}

#[test]
fn every_byte_is_authenticated_and_no_cut_is_a_whole() {
    let (identity, recipient) = pair("x25519");
    let (_, other) = pair("p256");
    let bytes = sealed(&[&*other, &*recipient], &options(), b"some text");
    assert_eq!(opened(&*identity, &bytes).unwrap(), b"some text");
    for at in 0..bytes.len() {
        for flip in [1, 0x80] {
            let mut altered = bytes.clone();
            altered[at] ^= flip;
            let out = opened(&*identity, &altered);
            assert!(out.is_err(), "byte {at} with {flip:#x}");
        }
        assert!(opened(&*identity, &bytes[..at]).is_err(), "cut to {at}");
    }
    assert!(opened(&*identity, &[&bytes[..], b"x"].concat()).is_err());
}

#[test]
fn chunks_are_in_their_places() {
    let (identity, recipient) = pair("x25519");
    let bytes = sealed(&[&*recipient], &options(), &text(2 * (FULL - 16) + 100));
    let start = Header::read(&mut &bytes[..]).unwrap().as_bytes().len();
    let (header, chunks) = bytes.split_at(start);
    let (one, two, last) = (
        &chunks[..FULL],
        &chunks[FULL..2 * FULL],
        &chunks[2 * FULL..],
    );
    let read = |parts: &[&[u8]]| opened(&*identity, &[&[header], parts].concat().concat());
    assert!(read(&[one, two, last]).is_ok());
    let is = |result, why| matches!(result, Err(Error::Payload(error)) if error == why);
    assert!(is(read(&[two, one, last]), PayloadError::Altered(0)));
    assert!(is(read(&[one, one, last]), PayloadError::Altered(1)));
    assert!(is(read(&[one, last]), PayloadError::LastChunk));
    assert!(is(read(&[one, two]), PayloadError::Truncated));
    assert!(is(read(&[one]), PayloadError::Truncated));
    assert!(is(read(&[]), PayloadError::Truncated));
    assert!(read(&[one, two, last, last]).is_err());
    // Chunks of another object to the same recipient.
    let other = sealed(&[&*recipient], &options(), &text(100));
    assert!(read(&[&other[start..]]).is_err());
}

#[test]
fn recipients_do_not_move_between_objects() {
    let (identity, recipient) = pair("x25519");
    let one = sealed(&[&*recipient], &options(), b"one");
    let two = sealed(&[&*recipient], &options(), b"two");
    // The blob of one in the other: it opens, and the MAC is not that of its secret.
    let (from, to) = (17, one.len() - 32 - 3 - 16);
    let mixed = [&two[..from], &one[from..to], &two[to..]].concat();
    assert!(matches!(opened(&*identity, &mixed), Err(Error::Mac)));
    // A blob that was sealed for something else.
    let public = recipient.public_key().unwrap();
    let sealing = SealOptions {
        version: Some(4),
        info: b"pqseal object v2",
        with_aad: true,
        ..SealOptions::default()
    };
    let sealer = Sealer::new(&public, &sealing).unwrap();
    let blob = sealer.seal(&one[..11], &[1; 32], &mut SysRng).unwrap();
    let mixed = [&one[..from + 2], &blob[..], &one[to..]].concat();
    assert!(matches!(opened(&*identity, &mixed), Err(Error::Mac)));
}

#[test]
fn hostile_headers_are_refused_before_they_cost_anything() {
    let (_, recipient) = pair("x25519");
    let bytes = sealed(&[&*recipient], &options(), b"");
    let with = |at: usize, new: &[u8]| {
        let mut altered = bytes.clone();
        altered[at..at + new.len()].copy_from_slice(new);
        match Header::read(&mut &altered[..]) {
            Err(Error::Header(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(with(0, b"P"), HeaderError::NotAge);
    assert_eq!(with(8, &[2]), HeaderError::ObjectVersion);
    assert_eq!(with(8, &[0]), HeaderError::ObjectVersion);
    assert_eq!(with(9, &[0, 3]), HeaderError::Cipher);
    assert_eq!(with(11, &[1, 0, 0, 1]), HeaderError::TooLong);
    assert_eq!(with(11, &[0xff; 4]), HeaderError::TooLong);
    assert_eq!(with(11, &[0, 0xff, 0, 0]), HeaderError::Truncated);
    assert_eq!(with(11, &[0, 0, 0, 48]), HeaderError::Object);
    assert_eq!(with(11, &[0; 4]), HeaderError::Object);
    assert_eq!(with(15, &[0, 0]), HeaderError::Object);
    assert_eq!(with(15, &[0, 2]), HeaderError::Object);
    assert_eq!(with(15, &[0xff, 0xff]), HeaderError::Object);
    assert_eq!(with(17, &[0xff, 0xff]), HeaderError::Object);
    // A shorter blob leaves something that is not zeros; one of no bytes is no blob.
    assert_eq!(with(17, &[0, 90]), HeaderError::Object);
    assert_eq!(with(17, &[0, 0]), HeaderError::Object);
    assert_eq!(with(19, &[3]), HeaderError::Object);
}

/// A recipient whose suite is unknown is skipped, like one with another key.
#[test]
fn unknown_recipients_are_carried() {
    let (identity, recipient) = pair("x25519");
    let bytes = sealed(&[&*recipient, &*recipient], &options(), b"text");
    let mut altered = bytes.clone();
    altered[20..22].copy_from_slice(&[0x77, 0x77]);
    let header = Header::read(&mut &altered[..]).unwrap();
    assert_eq!(header.entries()[0].suite.kem, 0x7777);
    assert_eq!(header.post_quantum(), Some(false));
    // Its own MAC is wrong now; the second blob was opened to see that.
    assert!(matches!(opened(&*identity, &altered), Err(Error::Mac)));
}

#[test]
fn policies_and_recipients() {
    let (identity, recipient) = pair("bike-l1");
    let strict = Options::default();
    let refused = object::seal(&[&*recipient], &strict, Vec::new());
    assert!(matches!(refused, Err(Error::Hpke(_))));
    let bytes = sealed(&[&*recipient], &options(), b"text");
    let refused = object::open(&[&*identity], &strict.policy, &bytes[..]);
    assert!(matches!(refused, Err(Error::Hpke(_))));

    let (classical, hybrid) = (pair("x25519").1, pair("mlkem768-x25519").1);
    let sealing = |to: &[&dyn Recipient]| object::seal(to, &strict, Vec::new()).map(drop);
    assert!(matches!(sealing(&[]), Err(Error::NoRecipients)));
    let mixed = sealing(&[&*classical, &*hybrid]);
    assert!(matches!(mixed, Err(Error::MixedRecipients)));
    let passphrase = PassphraseRecipient::new(Zeroizing::new("text".into()));
    assert!(matches!(sealing(&[&passphrase]), Err(Error::Key(_))));
    let stranger = X25519Identity::generate().unwrap();
    assert!(matches!(opened(&stranger, &bytes), Err(Error::NoMatch)));
}

#[test]
fn other_recipients_fit_in_the_room() {
    let ours = HpkeIdentity::generate(&MLKEM768X25519).unwrap();
    let other = HpkeIdentity::generate(&MLKEM768X25519).unwrap();
    let key = ContentKey::generate(Some(Cipher::Aes128Gcm)).unwrap();
    let make = |to: &[&dyn Recipient], room| key.header(to, room, &Options::default()).unwrap();
    let reserved = make(&[&ours.recipient()], Room::Reserve).unwrap();
    assert_eq!(reserved.len(), 4096);
    let room = Room::Exactly(4096);
    let new = make(&[&other.recipient(), &other.recipient()], room).unwrap();
    assert_eq!(new.len(), 4096);
    let read = AnyHeader::read(&mut &new[..]).unwrap();
    assert_eq!(read.to_bytes(), new);
    let policy = Policy::draft();
    let found = read.open(&[&other], &policy).unwrap();
    let (ContentKey::Object { secret, cipher }, ContentKey::Object { secret: old, .. }) =
        (&found, &key)
    else {
        panic!("an object")
    };
    assert_eq!(
        (secret.as_bytes(), *cipher),
        (old.as_bytes(), Cipher::Aes128Gcm)
    );
    assert!(matches!(read.open(&[&ours], &policy), Err(Error::NoMatch)));
    let stranger = other.recipient();
    let four: [&dyn Recipient; 4] = [&stranger; 4];
    assert!(make(&four, room).is_none());
    let least = make(&four, Room::Least).unwrap();
    assert_eq!(
        make(&four, Room::Exactly(least.len())).unwrap().len(),
        least.len()
    );
    assert!(make(&four, Room::Exactly(least.len() - 1)).is_none());
}

/// The example in the documents: sizes, and the id of the key.
#[test]
fn the_layout_is_that_of_the_table() {
    let (_, recipient) = pair("x25519");
    let bytes = sealed(&[&*recipient], &options(), b"text");
    assert_eq!(bytes[..8], MAGIC);
    assert_eq!(bytes[8..17], [1, 0, 2, 0, 0, 0, 146, 0, 1]);
    assert_eq!(bytes[17..26], [0, 95, 4, 0, 0x20, 0, 1, 0, 3]);
    let key = pqseal_keys::Fingerprint::of(&recipient.public_key().unwrap()).key_id();
    assert_eq!(bytes[26..34], *KeyId::as_ref(&key));
    assert_eq!(bytes.len(), 146 + 4 + 16);
    assert_eq!(DEFAULT_SUITE.aead, 3);
    let mut chunk = Vec::new();
    let wrong = Secret::new(&[0; 32]).payload(Cipher::Aes256Gcm).unwrap();
    let read = ChunkReader::new(wrong, &bytes[146..]).read_to_end(&mut chunk);
    assert!(read.is_err() && chunk.is_empty());
}
