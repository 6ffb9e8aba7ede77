//! The published rule and request give the published JSON, sealed and opened.

use std::time::{Duration, UNIX_EPOCH};

use pqseal_edge::Events;
use pqseal_hpke::Policy;
use pqseal_keys::{SysRng, kem_by_name};
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, SealOptions, Trailing};
use serde_json::{Value, json};

use crate::common::{PUBLISHED, matches, published};

const JSON: &str =
    r#"{"http.request.version": "HTTP/1.1", "http.request.uri.path": "/cms/%0Aadmin"}"#;
const AT: Duration = Duration::new(1_795_000_000, 123_456_789);

#[test]
fn the_published_request_gives_the_published_json() {
    let found = matches(PUBLISHED, &published(), b"");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].data(), JSON);
    assert_eq!(JSON.len(), 78);
}

/// Seals to a new key of this KEM. Returns the parsed line of the event and the data that is
/// sealed in it.
fn sealed_and_opened(kem: &str) -> (Value, Vec<u8>, u8) {
    let kem = kem_by_name(kem).unwrap();
    let (private, public) = pqseal_keys::generate(kem, &Policy::draft(), &mut SysRng).unwrap();
    let events = Events::new(&public, &SealOptions::default()).unwrap();
    let found = matches(PUBLISHED, &published(), b"");
    let lines = String::from_utf8(events.lines(&found, UNIX_EPOCH + AT).unwrap()).unwrap();
    let line = lines.strip_suffix('\n').unwrap();
    let event: Value = serde_json::from_str(line).unwrap();
    let text = event["Metadata"]["encrypted_matched_data"]
        .as_str()
        .unwrap();
    // Base64 of 4,000 characters holds any three letters once in 65 runs.
    let clear = lines.replace(text, "");
    for part in ["cms", "admin", "example.com", "198.51", "HTTP/1.1", "GET"] {
        assert!(!clear.contains(part), "{part} is in the clear: {clear}");
    }
    let bytes = pqseal_keys::base64::decode(text.as_bytes()).unwrap();
    let mut ring = KeyRing::new();
    ring.add(&private).unwrap();
    let blob = Blob::parse(&bytes, Trailing::Refuse).unwrap();
    let opened = ring.open(&blob, &OpenOptions::default()).unwrap();
    (event, opened.plaintext.to_vec(), bytes[0])
}

#[test]
fn it_is_sealed_in_version_3_for_x25519_and_in_version_4_for_others() {
    for (kem, version) in [("x25519", 3), ("mlkem768-x25519", 4), ("p256", 4)] {
        let (_, opened, written) = sealed_and_opened(kem);
        assert_eq!(written, version, "{kem}");
        assert_eq!(opened, JSON.as_bytes());
    }
}

#[test]
fn the_record_has_the_members_of_logpush() {
    let (mut event, ..) = sealed_and_opened("x25519");
    let id = event["RayID"].take();
    let blob = event["Metadata"]["encrypted_matched_data"].take();
    assert_eq!(id.as_str().unwrap().len(), 16);
    assert!(blob.as_str().unwrap().starts_with('A'), "version 3");
    assert_eq!(
        event,
        json!({
            "Action": "log",
            "Datetime": 1_795_000_000_123_456_789_u64,
            "Description": "what it is for",
            "Kind": "firewall",
            "MatchIndex": 0,
            "Metadata": { "encrypted_matched_data": null, "type": "customer" },
            "RayID": null,
            "RuleID": "rule",
            "Source": "firewallCustom",
        })
    );
}
