//! Events of many requests that are sealed together equal those of each request
//! sealed on its own.

use std::{collections::HashSet, time::UNIX_EPOCH};

use http::Request;
use pqseal_edge::{Events, Match, Matched};
use pqseal_hpke::Policy;
use pqseal_keys::{SysRng, kem_by_name};
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, SealOptions, Trailing};
use serde_json::{Value, json};

use crate::common::matches;

/// Returns the match of a request for `/ID`, repeated `times` times.
fn found(id: usize, times: usize) -> Vec<Match> {
    let request = Request::get(format!("/{id}")).body(()).unwrap();
    let found = matches(r#"http.request.uri.path ne """#, &request, b"");
    vec![found[0].clone(); times]
}

fn opened(ring: &KeyRing, event: &Value) -> Value {
    let text = event["Metadata"]["encrypted_matched_data"]
        .as_str()
        .unwrap();
    let bytes = pqseal_keys::base64::decode(text.as_bytes()).unwrap();
    let blob = Blob::parse(&bytes, Trailing::Refuse).unwrap();
    let opened = ring.open(&blob, &OpenOptions::default()).unwrap();
    serde_json::from_slice(&opened.plaintext).unwrap()
}

#[test]
fn each_request_gets_its_own_events() {
    for kem in ["x25519", "mlkem768-x25519"] {
        let kem = kem_by_name(kem).unwrap();
        let (private, public) = pqseal_keys::generate(kem, &Policy::draft(), &mut SysRng).unwrap();
        let mut ring = KeyRing::new();
        ring.add(&private).unwrap();
        let events = Events::new(&public, &SealOptions::default()).unwrap();
        let found: Vec<_> = (0..20).map(|id| found(id, id % 4)).collect();
        let requests: Vec<_> = found
            .iter()
            .map(|matches| Matched {
                matches,
                at: UNIX_EPOCH,
            })
            .collect();
        let lines = events.lines_of_all(&requests).unwrap();
        assert_eq!(lines.len(), requests.len());
        let mut ids = HashSet::new();
        for (id, lines) in lines.iter().enumerate() {
            let events: Vec<Value> = serde_json::Deserializer::from_slice(lines)
                .into_iter()
                .collect::<Result<_, _>>()
                .unwrap();
            assert_eq!(events.len(), id % 4, "{id}");
            for (index, event) in events.iter().enumerate() {
                assert_eq!(event["MatchIndex"], events.len() - 1 - index);
                assert_eq!(event["RayID"], events[0]["RayID"]);
                let path = format!("/{id}");
                assert_eq!(
                    opened(&ring, event),
                    json!({ "http.request.uri.path": path })
                );
            }
            ids.extend(events.first().map(|event| event["RayID"].to_string()));
        }
        assert_eq!(ids.len(), 15, "a request has an identifier of its own");
    }
}

#[test]
fn no_request_gives_no_line() {
    let public =
        pqseal_keys::read_public("Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=", None).unwrap();
    let events = Events::new(&public, &SealOptions::default()).unwrap();
    assert_eq!(events.lines_of_all(&[]).unwrap(), Vec::<Vec<u8>>::new());
}
