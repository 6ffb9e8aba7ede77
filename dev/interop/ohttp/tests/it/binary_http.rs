//! An HTTP request and response, as Binary HTTP (RFC 9292) by the crate `bhttp`, through our
//! client and our gateway.

use std::io::Cursor;

use bhttp::{Message, Mode, StatusCode};
use getrandom::SysRng;
use pqseal_formats::ohttp::{AES_128_GCM, Client, Gateway, read_keys};
use pqseal_hpke::Policy;
use pqseal_keys::kem_by_name;

fn encode(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    message
        .write_bhttp(Mode::KnownLength, &mut bytes)
        .expect("a Vec takes all bytes");
    bytes
}

fn decode(bytes: &[u8]) -> Message {
    Message::read_bhttp(&mut Cursor::new(bytes)).unwrap()
}

fn gateway() -> Gateway {
    let kem = kem_by_name("mlkem768-x25519").unwrap();
    let (key, _) = kem.derive_key_pair(&[7; 32]).unwrap();
    Gateway::new()
        .key(1, key, &[AES_128_GCM], &Policy::draft())
        .unwrap()
}

/// Returns the answer of a server: the path, and the body as it came.
fn answer(request: &Message) -> Message {
    assert_eq!(request.control().method(), Some(&b"POST"[..]));
    assert_eq!(request.header().get(b"content-type"), Some(&b"text/plain"[..]));
    let mut response = Message::response(StatusCode::OK);
    response.put_header("x-path", request.control().path().unwrap());
    response.write_content(request.content());
    response
}

#[test]
fn a_request_and_its_response() {
    let gateway = gateway();
    let keys = read_keys(&gateway.keys()).unwrap();
    let client = Client::new(&keys.configs, &Policy::draft()).unwrap();

    let mut request = Message::request(
        b"POST".to_vec(),
        b"https".to_vec(),
        b"example.com".to_vec(),
        b"/notes".to_vec(),
    );
    request.put_header("content-type", "text/plain");
    request.write_content(b"a note");
    let (sent, opener) = client.encapsulate(&encode(&request), &mut SysRng).unwrap();

    let (received, sealer) = gateway.decapsulate(&sent).unwrap();
    let response = answer(&decode(&received));
    let returned = sealer.seal(&encode(&response), &mut SysRng).unwrap();

    let response = decode(&opener.open(&returned).unwrap());
    assert_eq!(response.control().status().map(|status| status.code()), Some(200));
    assert_eq!(response.header().get(b"x-path"), Some(&b"/notes"[..]));
    assert_eq!(response.content(), b"a note");
}
