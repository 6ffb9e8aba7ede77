//! Oblivious HTTP with the crate `ohttp`, in both directions, whole and in chunks.

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use futures::{AsyncReadExt, AsyncWrite, AsyncWriteExt, executor::block_on};
use getrandom::SysRng;
use ohttp::{ClientRequest, KeyConfig, Server, SymmetricSuite, hpke::{Aead, Kdf, Kem}};
use pqseal_formats::ohttp::{AES_128_GCM, CHACHA20_POLY1305, Client, Gateway, SymmetricAlgorithms, read_keys};
use pqseal_hpke::Policy;
use pqseal_keys::kem_by_id;

const KEMS: [Kem; 3] = [Kem::X25519Sha256, Kem::P256Sha256, Kem::XWing];
const ALGORITHMS: [(SymmetricAlgorithms, Aead); 2] = [
    (AES_128_GCM, Aead::Aes128Gcm),
    (CHACHA20_POLY1305, Aead::ChaCha20Poly1305),
];

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|n| n.to_le_bytes()[0]).collect()
}

/// Sizes around those of chunks.
const SIZES: [usize; 6] = [1, 63, 16_383, 16_384, 16_385, 100_000];

fn our_gateway(kem: Kem, algorithms: SymmetricAlgorithms) -> Gateway {
    let kem = kem_by_id(u16::from(kem)).expect("a KEM of ours");
    let (key, _) = kem.derive_key_pair(&[7; 66]).unwrap();
    Gateway::new()
        .key(3, key, &[algorithms], &Policy::draft())
        .unwrap()
}

fn their_server(kem: Kem, aead: Aead) -> Server {
    let algorithms = vec![SymmetricSuite::new(Kdf::HkdfSha256, aead)];
    Server::new(KeyConfig::new(5, kem, algorithms).unwrap()).unwrap()
}

fn our_client(server: &Server) -> Client {
    let list = KeyConfig::encode_list(&[server.config()]).unwrap();
    let keys = read_keys(&list).unwrap();
    Client::new(&keys.configs, &Policy::draft()).unwrap()
}

fn each(mut run: impl FnMut(Kem, SymmetricAlgorithms, Aead)) {
    for kem in KEMS {
        for (algorithms, aead) in ALGORITHMS {
            run(kem, algorithms, aead);
        }
    }
}

#[test]
fn their_client_and_our_gateway() {
    each(|kem, algorithms, _| {
        let gateway = our_gateway(kem, algorithms);
        for size in SIZES {
            let client = ClientRequest::from_encoded_config_list(&gateway.keys()).unwrap();
            let (request, opener) = client.encapsulate(&message(size)).unwrap();
            let (opened, sealer) = gateway.decapsulate(&request).unwrap();
            assert_eq!(opened, message(size));
            let response = sealer.seal(&message(size), &mut SysRng).unwrap();
            assert_eq!(opener.decapsulate(&response).unwrap(), message(size));
        }
    });
}

#[test]
fn our_client_and_their_gateway() {
    each(|kem, _, aead| {
        let server = their_server(kem, aead);
        let client = our_client(&server);
        for size in SIZES {
            let (request, opener) = client.encapsulate(&message(size), &mut SysRng).unwrap();
            let (opened, sealer) = server.decapsulate(&request).unwrap();
            assert_eq!(opened, message(size));
            let response = sealer.encapsulate(&message(size)).unwrap();
            assert_eq!(opener.open(&response).unwrap(), message(size));
        }
    });
}

/// The bytes that were written to it.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl AsyncWrite for Written {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.borrow_mut().extend(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[test]
fn their_client_and_our_gateway_in_chunks() {
    each(|kem, algorithms, aead| {
        let gateway = our_gateway(kem, algorithms);
        for size in SIZES {
            let client = ClientRequest::from_encoded_config_list(&gateway.keys()).unwrap();
            let written = Written::default();
            let mut request = client.encapsulate_stream(written.clone()).unwrap();
            block_on(request.write_all(&message(size))).unwrap();
            block_on(request.close()).unwrap();

            let mut requests = gateway.chunked();
            let mut opened = requests.open(&written.0.borrow()).unwrap().into_vec();
            opened.extend_from_slice(&requests.finish().unwrap());
            assert_eq!(opened, message(size));

            // Its client reserves 16 bytes for the nonce, and panics at the 32 of ChaCha20Poly1305
            // (0.8.0, `ClientResponse::read_nonce`).
            if aead == Aead::ChaCha20Poly1305 {
                continue;
            }
            let sealer = requests.response(&mut SysRng).unwrap();
            let response = sealer.finish(&message(size)).unwrap();
            let mut opened = Vec::new();
            let mut opener = request.response(&response[..]).unwrap();
            block_on(opener.read_to_end(&mut opened)).unwrap();
            assert_eq!(opened, message(size));
        }
    });
}

#[test]
fn our_client_and_their_gateway_in_chunks() {
    each(|kem, _, aead| {
        let server = their_server(kem, aead);
        let client = our_client(&server);
        for size in SIZES {
            let (sealer, mut responses) = client.chunked(&mut SysRng).unwrap();
            let request = sealer.finish(&message(size)).unwrap();
            let mut opener = server.clone().decapsulate_stream(&request[..]);
            let mut opened = Vec::new();
            block_on(opener.read_to_end(&mut opened)).unwrap();
            assert_eq!(opened, message(size));

            let written = Written::default();
            let mut response = opener.response(written.clone()).unwrap();
            block_on(response.write_all(&message(size))).unwrap();
            block_on(response.close()).unwrap();
            let mut opened = responses.open(&written.0.borrow()).unwrap().into_vec();
            opened.extend_from_slice(&responses.finish().unwrap());
            assert_eq!(opened, message(size));
        }
    });
}
