//! Version 4 in every suite: our blobs open, and are byte for byte what the format says.

use getrandom::SysRng;
use pqseal_hpke::{AEADS, Aead, KDFS, KEMS, Mode, Policy, Suite, SuiteId};
use pqseal_keys::{Fingerprint, base64};
use pqseal_matched_data::{Blob, Error, FrameV4, OpenOptions, OpenerV4, Trailing};
use serde::Deserialize;

use crate::common::{self, everything, kem, open, pair, pairs, seal_v4};

const INFO: &[u8] = b"zone 7";
const AAD: &[u8] = b"event 42";
const PLAINTEXT: &[u8] = b"GET /?q=<script>";

/// The AEADs that seal.
const SEALING: [u16; 3] = [1, 2, 3];

fn application() -> OpenOptions<'static> {
    OpenOptions {
        info: INFO,
        aad: AAD,
        policy: everything(),
    }
}

/// A key pair of every KEM with every KDF and every AEAD that seals.
fn suites() -> impl Iterator<Item = (common::Pair, SuiteId)> {
    let kdfs = KDFS
        .iter()
        .flat_map(|kdf| SEALING.map(|aead| (kdf.info().id, aead)));
    kdfs.flat_map(|(kdf, aead)| {
        pairs().map(move |key| {
            let id = SuiteId::new(key.kem.info().id, kdf, aead);
            (key, id)
        })
    })
}

/// The first 15 bytes, written by hand.
fn header(key: &common::Pair, id: SuiteId) -> Vec<u8> {
    let ids = [id.kem, id.kdf, id.aead].map(u16::to_be_bytes).concat();
    [&[4][..], &ids, &Fingerprint::of(&key.public).as_ref()[..8]].concat()
}

fn suite(id: SuiteId) -> Suite {
    Suite::from_id(pqseal_keys::KEMS, id, &everything()).unwrap()
}

#[test]
fn every_suite_opens_again() {
    let mut count = 0;
    for (key, id) in suites() {
        let blob = seal_v4(&key, id.kdf, id.aead, [INFO, AAD], PLAINTEXT);
        let n_enc = key.kem.info().n_enc;
        assert_eq!(blob.len(), 15 + n_enc + PLAINTEXT.len() + 16);
        let frame = FrameV4::parse(&blob).unwrap();
        assert_eq!(
            (frame.suite(), frame.plaintext_len()),
            (id, PLAINTEXT.len())
        );
        assert_eq!(frame.key_id(), Fingerprint::of(&key.public).key_id());
        assert_eq!((frame.enc, frame.ct), blob[15..].split_at(n_enc));
        assert_eq!(Blob::parse(&blob, Trailing::Refuse), Ok(Blob::V4(frame)));
        assert_eq!(
            open(&key.private, &blob, &application()).unwrap(),
            PLAINTEXT,
            "{id}"
        );
        count += 1;
    }
    assert_eq!(count, 18 * 7 * 3);
}

/// Built without this crate, by the words of the format.
#[test]
fn a_blob_made_by_hand_opens() {
    for (key, id) in suites() {
        let header = header(&key, id);
        let info = b"pqseal matched-data v4\x00zone 7";
        let aad = [&header, AAD].concat();
        let (enc, ct) = suite(id)
            .seal(&key.public, info, Mode::Base, &aad, PLAINTEXT, &mut SysRng)
            .unwrap();
        let blob = [header, enc, ct].concat();
        assert_eq!(
            open(&key.private, &blob, &application()).unwrap(),
            PLAINTEXT,
            "{id}"
        );
    }
}

/// Taken apart without this crate.
#[test]
fn our_blob_opens_by_hand() {
    for (key, id) in suites() {
        let blob = seal_v4(&key, id.kdf, id.aead, [INFO, AAD], PLAINTEXT);
        let (head, rest) = blob.split_at(15);
        assert_eq!(head, header(&key, id));
        let (enc, ct) = rest.split_at(key.kem.info().n_enc);
        let info = b"pqseal matched-data v4\x00zone 7";
        let opened = suite(id).open(
            enc,
            &key.private,
            info,
            Mode::Base,
            &[head, AAD].concat(),
            ct,
        );
        assert_eq!(opened.unwrap(), PLAINTEXT, "{id}");
    }
}

/// The documented example: an X25519 key whose fingerprint another program computed (see
/// fingerprint.rs).
#[test]
fn the_header_of_a_known_key() {
    let public =
        pqseal_keys::read_public("Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=", None).unwrap();
    let sealer = common::v4_sealer(&public, 1, 3, b"", &Policy::standard()).unwrap();
    let blob = sealer.seal(b"", b"", &mut SysRng).unwrap();
    assert_eq!(
        blob[..15],
        [
            4, 0, 0x20, 0, 1, 0, 3, 0x54, 0x15, 0x10, 0x09, 0x40, 0xc6, 0x8e, 0x69
        ]
    );
}

#[test]
fn plaintexts_from_empty_to_64_kib() {
    for key in pairs() {
        for plaintext in [&[][..], &[0], &[0x5a; 65536]] {
            let blob = seal_v4(&key, 1, 3, [INFO, AAD], plaintext);
            assert_eq!(
                Blob::parse(&blob, Trailing::Refuse)
                    .unwrap()
                    .plaintext_len(),
                plaintext.len()
            );
            assert_eq!(
                open(&key.private, &blob, &application()).unwrap(),
                plaintext
            );
        }
    }
}

#[test]
fn a_sealer_and_an_opener_serve_many_blobs() {
    for key in pairs() {
        let sealer = common::v4_sealer(&key.public, 1, 3, INFO, &everything()).unwrap();
        let id = SuiteId::new(key.kem.info().id, 1, 3);
        let opener = OpenerV4::new(&key.private, id, INFO, &everything()).unwrap();
        let blobs =
            [0, 1, 2].map(|number| sealer.seal(&[number], &[number; 9], &mut SysRng).unwrap());
        let frames = [0, 1, 2].map(|number| FrameV4::parse(&blobs[number]).unwrap());
        assert!(frames[0].enc != frames[1].enc && frames[1].enc != frames[2].enc);
        for (number, frame) in (0..).zip(&frames) {
            assert_eq!(opener.open(frame, &[number]).unwrap(), [number; 9]);
            assert_eq!(opener.open(frame, &[number + 1]), Err(Error::NoKeyOpens));
        }
    }
}

/// A one-stage KDF takes 65,535 bytes, of which 23 are ours; HKDF any number.
#[test]
fn how_long_an_info_may_be() {
    let key = pair(kem("x25519"), 1);
    let seal = |kdf, size| {
        common::v4_sealer(&key.public, kdf, 3, &vec![b'i'; size], &Policy::draft())?.seal(
            b"",
            b"",
            &mut SysRng,
        )
    };
    for kdf in KDFS.iter().map(|kdf| kdf.info()) {
        assert!(seal(kdf.id, 65_512).is_ok());
        let longer = seal(kdf.id, 65_513);
        if kdf.one_stage {
            assert_eq!(longer, Err(Error::Hpke(pqseal_hpke::Error::InputTooLong)));
        } else {
            assert!(longer.is_ok());
        }
    }
}

/// One blob of every KEM, sealed once and for all: see `examples/make_v4_vectors.rs`.
#[derive(Deserialize)]
struct Known {
    kem: String,
    kdf: u16,
    aead: u16,
    private_key: String,
    info: String,
    aad: String,
    plaintext: String,
    blob: String,
}

#[test]
fn known_blobs_open() {
    let known: Vec<Known> = serde_json::from_str(include_str!("../data/v4.json")).unwrap();
    for known in &known {
        let key = pqseal_keys::read_private(&known.private_key, Some(kem(&known.kem))).unwrap();
        let blob = base64::decode(known.blob.as_bytes()).unwrap();
        let suite = FrameV4::parse(&blob).unwrap().suite();
        assert_eq!(suite, SuiteId::new(key.kem().id, known.kdf, known.aead));
        let (info, aad) = (known.info.as_bytes(), known.aad.as_bytes());
        let opened = open(
            &key,
            &blob,
            &OpenOptions {
                info,
                aad,
                policy: everything(),
            },
        );
        assert_eq!(opened.unwrap(), known.plaintext.as_bytes(), "{}", known.kem);
    }
    assert!(pairs().all(|key| {
        known
            .iter()
            .any(|known| known.kem == key.kem.info().short_name)
    }));
    assert!(
        KDFS.iter()
            .all(|kdf| known.iter().any(|known| known.kdf == kdf.info().id))
    );
    assert!(
        SEALING
            .iter()
            .all(|aead| known.iter().any(|known| known.aead == *aead))
    );
}

/// So that a new KEM, KDF or AEAD is added to these tests.
#[test]
fn nothing_is_left_out() {
    assert_eq!((pairs().count(), KEMS.len(), KDFS.len()), (18, 5, 7));
    let sealing = AEADS
        .iter()
        .filter(|aead| aead.info().n_t > 0)
        .map(|aead| aead.info().id);
    assert!(sealing.eq(SEALING));
}
