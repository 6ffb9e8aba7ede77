//! Diagnosis of blobs that do not open.

use data_encoding::HEXLOWER;
use pqseal_hpke::Policy;
use pqseal_keys::{SysRng, base64, kem_by_name};
use pqseal_matched_data::{
    Blob, Error, KeyRing, OpenOptions, SealOptions, Sealer, Trailing, Version,
    diagnosis::{Finding, Repair, diagnose, looks_sealed, looks_whole},
};

const KEY: &str = include_str!("../../../../examples/matched-data/key.txt");
const BLOB: &str = include_str!("../../../../examples/matched-data/blob.txt");

fn ring() -> KeyRing {
    let mut ring = KeyRing::new();
    ring.add(&pqseal_keys::read_private(KEY, None).unwrap())
        .unwrap();
    ring
}

/// The repairs and the finding of a text.
fn found(text: &[u8]) -> (Vec<Repair>, Finding) {
    let found = diagnose(text, &ring(), &OpenOptions::default());
    (found.repairs, found.finding)
}

#[track_caller]
fn opens_after(text: impl AsRef<[u8]>, repairs: &[Repair]) {
    let opens = (repairs.to_vec(), Finding::Opens { key: 0 });
    assert_eq!(found(text.as_ref()), opens);
    assert!(looks_sealed(text.as_ref()));
}

#[test]
fn what_happens_to_text_is_undone() {
    let blob = BLOB.trim();
    assert!(blob.contains('+') && blob.contains('/'));
    opens_after(blob, &[]);
    opens_after(format!("\"{blob}\""), &[Repair::Quotes]);
    opens_after(blob.replace('/', r"\/"), &[Repair::JsonEscapes]);
    opens_after(blob.replace('+', r"\u002b"), &[Repair::JsonEscapes]);
    opens_after(blob.replace('+', "%2B"), &[Repair::PercentEncoding]);
    opens_after(blob.replace('+', "&#43;"), &[Repair::Html]);
    opens_after(blob.replace('+', "&#x2b;"), &[Repair::Html]);
    opens_after(blob.replace('+', " "), &[Repair::BlanksForPlus]);
    opens_after(base64::encode(blob.as_bytes()), &[Repair::TwiceBase64]);
    for end in [",", ";", "%", "\0", "\u{a0}"] {
        opens_after(format!("{blob}{end}"), &[Repair::TrailingCharacters]);
    }
    let bytes = base64::decode(blob.as_bytes()).unwrap();
    opens_after(HEXLOWER.encode(&bytes), &[Repair::Hex]);
}

#[test]
fn utf_16_is_read_with_and_without_a_mark() {
    let units: Vec<u16> = BLOB.trim().encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    opens_after([b"\xff\xfe", &little[..]].concat(), &[Repair::Utf16]);
    opens_after(&little, &[Repair::Utf16]);
    opens_after([b"\xfe\xff", &big[..]].concat(), &[Repair::Utf16]);
}

#[test]
fn several_repairs_are_undone_in_order() {
    let quoted = format!(
        "\"{}\"",
        BLOB.trim().replace('/', r"\/").replace('+', "%2B")
    );
    let repairs = [Repair::Quotes, Repair::JsonEscapes, Repair::PercentEncoding];
    opens_after(quoted, &repairs);
}

#[test]
fn the_place_of_a_cut_is_reported() {
    let blob = BLOB.trim();
    let needed = base64::decode(blob.as_bytes()).unwrap().len().div_ceil(3) as u64 * 4;
    for kept in [60, 100, blob.len() - 4] {
        let cut = (
            Vec::new(),
            Finding::Cut {
                kept,
                needed: Some(needed),
            },
        );
        assert_eq!(found(&blob.as_bytes()[..kept]), cut);
    }
}

#[test]
fn a_cut_within_four_characters_is_found() {
    let blob = BLOB.trim();
    let needed = Some(base64::decode(blob.as_bytes()).unwrap().len().div_ceil(3) as u64 * 4);
    for kept in 97..=104 {
        let (repairs, finding) = found(&blob.as_bytes()[..kept]);
        assert_eq!(repairs, []);
        assert_eq!(finding, Finding::Cut { kept, needed });
    }
}

#[test]
fn a_truncation_mark_is_found() {
    let blob = BLOB.trim();
    let needed = Some(base64::decode(blob.as_bytes()).unwrap().len().div_ceil(3) as u64 * 4);
    let marked = vec![Repair::TruncationMark];
    for mark in [
        "...",
        "\u{2026}",
        " [truncated]",
        "...[TRUNCATED]",
        "&hellip;",
    ] {
        for kept in 100..=103 {
            let cut = (marked.clone(), Finding::Cut { kept, needed });
            assert_eq!(found(format!("{}{mark}", &blob[..kept]).as_bytes()), cut);
        }
        opens_after(format!("{blob}{mark}"), &marked);
        assert!(!looks_whole(format!("{}{mark}", &blob[..100]).as_bytes()));
    }
}

#[test]
fn a_folded_blob_is_whole() {
    let lines = |text: &str, width: usize| {
        let lines: Vec<_> = (text.as_bytes().chunks(width))
            .map(<[u8]>::to_vec)
            .collect();
        lines.join(&b'\n')
    };
    assert!(looks_whole(&lines(BLOB.trim(), 60)));
    assert!(!looks_whole(&lines(&BLOB.trim()[..120], 60)));
    assert!(!looks_whole(
        format!("{}{}", BLOB.trim(), BLOB.trim()).as_bytes()
    ));
    // So is one in hexadecimal digits, of which two stand for a byte.
    let hex = HEXLOWER.encode(&base64::decode(BLOB.trim().as_bytes()).unwrap());
    assert!(looks_whole(&lines(&hex, 60)));
    let needed = Some(hex.len() as u64);
    let cut = (vec![Repair::Hex], Finding::Cut { kept: 120, needed });
    assert_eq!(found(&lines(&hex[..120], 60)), cut);
    // Line breaks are not counted.
    let Finding::Cut { kept, .. } = found(&lines(&BLOB.trim()[..120], 60)).1 else {
        panic!("it was cut");
    };
    assert_eq!(kept, 120);
}

#[test]
fn lost_case_is_reported() {
    for text in [BLOB.to_lowercase(), BLOB.to_uppercase()] {
        assert_eq!(found(text.as_bytes()), (Vec::new(), Finding::OneCase));
    }
}

#[test]
fn the_draft_that_sealed_is_found_behind_a_wrong_version() {
    let v2 = include_str!("../../../../cli/tests/fixtures/matched_data_v2.txt");
    let key = include_str!("../../../../cli/tests/fixtures/private_key.txt");
    let mut ring = KeyRing::new();
    ring.add(&pqseal_keys::read_private(key, None).unwrap())
        .unwrap();
    let mut bytes = base64::decode(v2.trim().as_bytes()).unwrap();
    bytes[0] = 3;
    let (written, sealed) = (Version::V3, Version::V2);
    let finding = diagnose(&bytes, &ring, &OpenOptions::default()).finding;
    assert_eq!(
        finding,
        Finding::OtherVersion {
            key: 0,
            written,
            sealed
        }
    );
}

#[test]
fn a_missing_header_and_trailing_bytes_are_reported() {
    let bytes = base64::decode(BLOB.trim().as_bytes()).unwrap();
    let Ok(Blob::V1to3(frame)) = Blob::parse(&bytes, Trailing::Refuse) else {
        panic!("the published blob is of version 3");
    };
    let bare = base64::encode(&[frame.enc, frame.ct].concat());
    let sealed = Version::V3;
    assert_eq!(
        found(bare.as_bytes()).1,
        Finding::NoHeader { key: 0, sealed }
    );
    let twice = base64::encode(&[&bytes[..], &bytes[..]].concat());
    let followed = Finding::Followed {
        key: 0,
        bytes: bytes.len(),
    };
    assert_eq!(found(twice.as_bytes()).1, followed);
}

#[test]
fn version_4_says_key_binding_or_cut() {
    let kem = kem_by_name("mlkem768-x25519").unwrap();
    let (private, public) = pqseal_keys::generate(kem, &Policy::draft(), &mut SysRng).unwrap();
    let mut ring = KeyRing::new();
    ring.add(&private).unwrap();
    let sealer = Sealer::new(
        &public,
        &SealOptions {
            with_aad: true,
            ..SealOptions::default()
        },
    )
    .unwrap();
    let seal = || {
        let blob = sealer.seal(b"record 7", &[b'x'; 2000], &mut SysRng);
        base64::encode(&blob.unwrap())
    };
    // With 4095 characters, the last encodes four bits and two that must be zero. In one of four
    // blobs these are zero, and the cut text is base64 without padding.
    let cut_is_base64 = |blob: &String| Blob::decode(&blob.as_bytes()[..4095]).is_ok();
    let blobs = || std::iter::repeat_with(seal);
    let blob = blobs().find(|blob| !cut_is_base64(blob)).unwrap();
    let unlucky = blobs().find(cut_is_base64).unwrap();
    let bound = OpenOptions {
        aad: b"record 7",
        ..OpenOptions::default()
    };
    let finding = |text: &str, options| diagnose(text.as_bytes(), &ring, options).finding;
    assert_eq!(finding(&blob, &bound), Finding::Opens { key: 0 });
    let unbound = OpenOptions::default();
    assert_eq!(finding(&blob, &unbound), Finding::Refused(Error::Altered));
    // A text that ends after a group of four characters may be complete, with another aad.
    let either = finding(&blob[..4096], &bound);
    assert_eq!(either, Finding::AlteredOrCut { kept: 4096 });
    let unlucky = finding(&unlucky[..4095], &bound);
    assert_eq!(unlucky, Finding::AlteredOrCut { kept: 4095 });
    assert_eq!(either.code(), "altered");
    for part in ["another info or aad", "or it was cut"] {
        assert!(either.to_string().contains(part), "{either}");
    }
    assert!(!either.to_string().contains("lost"), "{either}");
    for text in [
        &blob[..4095],
        &format!("{}...", &blob[..4095]),
        &blob[..400],
    ] {
        let kept = text.trim_end_matches('.').len();
        let cut = Finding::Cut { kept, needed: None };
        assert_eq!(finding(text, &bound), cut);
    }
    let other = diagnose(blob.as_bytes(), &self::ring(), &bound);
    assert_eq!(other.finding.code(), "no_key_with_id");
    let header = other.header.unwrap();
    assert_eq!((header.version, header.specification), (4, "RFC 9180"));
    assert_eq!(header.key_id, ring.key_ids().next());
}

#[test]
fn what_is_no_blob_stays_one() {
    for text in [&b""[..], b"hello", b"{\"a\": 1}", &[0xff; 90], &[b'A'; 400]] {
        assert!(!looks_sealed(text));
        assert!(matches!(
            found(text).1,
            Finding::Refused(_) | Finding::OneCase
        ));
    }
    assert_eq!(found(b"truncated").1, Finding::Refused(Error::Truncated));
}

proptest::proptest! {
    #[test]
    fn any_input_gets_an_answer(text in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = found(&text);
    }
}
