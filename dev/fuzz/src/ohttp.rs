//! Oblivious HTTP: key configurations, requests, and chunks split at any place.

use std::sync::LazyLock;

use pqseal_formats::ohttp::{
    AES_128_GCM, CHACHA20_POLY1305, Client, Gateway, read_keys, write_keys,
};
use pqseal_hpke::Policy;

use crate::samples::{Counter, PAIRS, PLAINTEXT};

/// A gateway with a key of X25519 and one of X-Wing.
static GATEWAY: LazyLock<Gateway> = LazyLock::new(|| {
    let keys = PAIRS
        .iter()
        .filter(|pair| ["x25519", "mlkem768-x25519"].contains(&pair.kem.info().short_name));
    keys.zip(1..).fold(Gateway::new(), |gateway, (pair, id)| {
        let algorithms = [AES_128_GCM, CHACHA20_POLY1305];
        let added = gateway.key(id, pair.private.clone(), &algorithms, &Policy::draft());
        added.expect("a key with an id of its own")
    })
});

pub(crate) fn run(bytes: &[u8]) {
    if let Ok(keys) = read_keys(bytes) {
        let written = write_keys(&keys.configs);
        assert!(!keys.unsupported.is_empty() || written == bytes);
    }
    if let Ok((opened, _)) = GATEWAY.decapsulate(bytes) {
        assert_eq!(opened, PLAINTEXT);
    }
    let whole = in_pieces(bytes, bytes.len().max(1));
    assert_eq!(whole, in_pieces(bytes, 7), "the pieces do not matter");
    assert!(whole.is_none_or(|opened| opened == PLAINTEXT));
}

/// Opens a message in chunks, given in pieces; `None` if it does not open.
fn in_pieces(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let (mut chunks, mut opened) = (GATEWAY.chunked(), Vec::new());
    for piece in bytes.chunks(size) {
        opened.extend_from_slice(&chunks.open(piece).ok()?);
    }
    opened.extend_from_slice(&chunks.finish().ok()?);
    Some(opened)
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let keys = GATEWAY.keys();
    let requests = GATEWAY.configs().flat_map(|config| {
        let config = std::slice::from_ref(config);
        let client = Client::new(config, &Policy::draft()).expect("algorithms that are here");
        let (whole, _) = client
            .encapsulate(PLAINTEXT, &mut Counter(0))
            .expect("it seals");
        let (mut sealer, _) = client.chunked(&mut Counter(0)).expect("it seals");
        let (first, last) = PLAINTEXT.split_at(4);
        let first = sealer.seal(first).expect("it seals");
        let chunked = [first, sealer.finish(last).expect("it seals")].concat();
        [whole, chunked]
    });
    [keys].into_iter().chain(requests).collect()
}
