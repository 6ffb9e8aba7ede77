//! Oblivious HTTP: the published examples, every KEM and algorithm, and what is refused.

use std::convert::Infallible;

use data_encoding::HEXLOWER;
use getrandom::SysRng;
use pqseal_formats::{
    Error, Plaintext,
    ohttp::{
        AES_128_GCM, CHACHA20_POLY1305, ChunkSealer, Client, Gateway, KeyConfig, MAX_CHUNK,
        RequestChunks, ResponseChunks, SymmetricAlgorithms, read_keys, write_keys,
    },
};
use pqseal_hpke::{
    AEADS, Aead, AnyPrivateKey, Component, KDFS, Policy,
    rand_core::{TryCryptoRng, TryRng},
};
use pqseal_keys::{kem_by_id, kem_by_name, kems};

const X25519: u16 = 0x0020;
const REQUEST: &str = "00034745540568747470730b6578616d706c652e636f6d012f";
const RESPONSE: &str = "0140c8";

/// A generator that returns these bytes, which must be exactly as many as requested.
struct Bytes(Vec<u8>);

impl TryRng for Bytes {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("only bytes are drawn")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("only bytes are drawn")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(&self.0);
        Ok(())
    }
}

impl TryCryptoRng for Bytes {}

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).unwrap()
}

fn policy() -> Policy {
    Policy::draft().with_experimental()
}

fn private(kem: u16, bytes: &str) -> AnyPrivateKey {
    let kem = kem_by_id(kem).unwrap();
    kem.deserialize_private_key(&hex(bytes)).unwrap()
}

fn gateway() -> Gateway {
    let (key, _) = kem_by_id(X25519)
        .unwrap()
        .derive_key_pair(&[7; 32])
        .unwrap();
    let algorithms = [AES_128_GCM, CHACHA20_POLY1305];
    Gateway::new().key(1, key, &algorithms, &policy()).unwrap()
}

fn client(gateway: &Gateway) -> Client {
    let keys = read_keys(&gateway.keys()).unwrap();
    assert!(keys.unsupported.is_empty());
    Client::new(&keys.configs, &policy()).unwrap()
}

/// RFC 9458, appendix A.
#[test]
fn example_of_the_rfc() {
    let key = "3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a";
    let config = concat!(
        "01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e",
        "79815500080001000100010003"
    );
    let request = concat!(
        "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad1",
        "9dec96c208b4726374e469135906992e1268c594d2a10c695d858c40a026e796",
        "5e7d86b83dd440b2c0185204b4d63525"
    );
    let response = concat!(
        "c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f",
        "857fbd"
    );
    let algorithms = [AES_128_GCM, CHACHA20_POLY1305];
    let gateway = Gateway::new();
    let gateway = gateway.key(1, private(X25519, key), &algorithms, &Policy::standard());
    let gateway = gateway.unwrap();
    assert_eq!(gateway.configs().next().unwrap().to_bytes(), hex(config));

    let (opened, sealer) = gateway.decapsulate(&hex(request)).unwrap();
    assert_eq!(opened, hex(REQUEST));
    let mut nonce = Bytes(hex("c789e7151fcba46158ca84b04464910d"));
    let sealed = sealer.seal(&hex(RESPONSE), &mut nonce).unwrap();
    assert_eq!(sealed, hex(response));
}

/// draft-ietf-ohai-chunked-ohttp, appendix A.
#[test]
fn example_of_the_chunked_draft() {
    let key = "1c190d72acdbe4dbc69e680503bb781a932c70a12c8f3754434c67d8640d8698";
    let config = concat!(
        "010020668eb21aace159803974a4c67f08b4152d29bed10735fd08f98ccdd6fe",
        "09570800080001000100010003"
    );
    let request = concat!(
        "01002000010001",
        "8811eb457e100811c40a0aa71340a1b81d804bb986f736f2f566a7199761a032",
        "1c2ad24942d4d692563012f2980c8fef437a336b9b2fc938ef77a5834f",
        "1d2e33d8fd25577afe31bd1c79d094f76b6250ae6549b473ecd950501311",
        "001c6c1395d0ef7c1022297966307b8a7f"
    );
    let response = concat!(
        "bcce7f4cb921309ba5d62edf1769ef09",
        "1179bf1cc87fa0e2c02de4546945aa3d1e48",
        "12b348b5bd4c594c16b6170b07b475845d1f32",
        "00ed9d8a796617a5b27265f4d73247f639"
    );
    let algorithms = [AES_128_GCM, CHACHA20_POLY1305];
    let gateway = Gateway::new();
    let gateway = gateway.key(1, private(X25519, key), &algorithms, &Policy::standard());
    let gateway = gateway.unwrap();
    assert_eq!(gateway.configs().next().unwrap().to_bytes(), hex(config));

    let mut opening = gateway.chunked();
    // The head and the first chunk, then the rest.
    let (first, rest) = (hex(&request[..136]), hex(&request[136..]));
    assert_eq!(opening.open(&first).unwrap(), hex(&REQUEST[..24]));
    assert_eq!(opening.open(&rest).unwrap(), hex(&REQUEST[24..]));
    assert_eq!(opening.finish().unwrap(), b"");

    let mut nonce = Bytes(hex(&response[..32]));
    let mut sealer = opening.response(&mut nonce).unwrap();
    let plain = hex(RESPONSE);
    let parts = [
        sealer.seal(&plain[..1]).unwrap(),
        sealer.seal(&plain[1..]).unwrap(),
        sealer.finish(b"").unwrap(),
    ];
    assert_eq!(parts.concat(), hex(response));
}

#[test]
fn every_kem_kdf_and_aead() {
    let mut suites = 0;
    for kem in kems() {
        let (key, _) = kem.derive_key_pair(&[7; 66]).unwrap();
        let sealing = AEADS.iter().filter(|aead| aead.info().n_k != 0);
        let pairs = sealing.flat_map(|aead| {
            let pair = |kdf: &&'static pqseal_hpke::DynKdf| {
                SymmetricAlgorithms::new(kdf.info().id, aead.info().id)
            };
            KDFS.iter().map(pair).collect::<Vec<_>>()
        });
        let algorithms: Vec<_> = pairs.collect();
        let gateway = Gateway::new().key(9, key, &algorithms, &policy()).unwrap();
        let keys = read_keys(&gateway.keys()).unwrap();
        assert_eq!(keys.configs[0].algorithms(), algorithms);
        // A KEM with each KDF and AEAD takes long; all are tried with X25519.
        let some = if kem.info().id == X25519 {
            algorithms.len()
        } else {
            1
        };
        for &algorithms in &algorithms[..some] {
            let client = Client::with(&keys.configs[0], algorithms, &policy()).unwrap();
            let (request, opener) = client.encapsulate(b"request", &mut SysRng).unwrap();
            let (opened, sealer) = gateway.decapsulate(&request).unwrap();
            assert_eq!(opened, b"request");
            let response = sealer.seal(b"response", &mut SysRng).unwrap();
            assert_eq!(opener.open(&response).unwrap(), b"response");
            suites += 1;
        }
    }
    assert_eq!(suites, kems().count() - 1 + 21);
}

/// X-Wing, by the id and sizes that others use.
#[test]
fn x_wing() {
    let kem = kem_by_name("mlkem768-x25519").unwrap();
    let (key, _) = kem.derive_key_pair(&[7; 32]).unwrap();
    let gateway = Gateway::new()
        .key(1, key, &[AES_128_GCM], &Policy::draft())
        .unwrap();
    assert_eq!(gateway.keys()[..5], [0x04, 0xc9, 1, 0x64, 0x7a]);
    let (request, _) = client(&gateway).encapsulate(b"", &mut SysRng).unwrap();
    assert_eq!(request.len(), 7 + 1120 + 16);
}

#[test]
fn key_configurations_that_are_refused() {
    let gateway = gateway();
    let list = gateway.keys();
    let malformed = |bytes: &[u8]| {
        let error = read_keys(bytes).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{error:?}");
    };
    for len in 0..list.len() {
        malformed(&list[..len]);
    }
    // One that is wrong takes the others with it.
    malformed(&[&list[..], &[0, 1, 1]].concat());
    let edit = |range: std::ops::Range<usize>, with: &[u8]| {
        let mut config = list[2..].to_vec();
        config.splice(range, with.iter().copied());
        let len = u16::try_from(config.len()).unwrap().to_be_bytes();
        [&len[..], &config].concat()
    };
    let end = list.len() - 2;
    malformed(&edit(35..37, &[0, 7]));
    malformed(&edit(35..37, &[0, 4]));
    malformed(&edit(35..end, &[0, 0]));
    malformed(&edit(end..end, &[0]));
    // A point that is not on P-256.
    let mut p256 = vec![1, 0x00, 0x10, 4];
    p256.extend([7; 64]);
    p256.extend([0, 4, 0, 1, 0, 1]);
    malformed(&[&[0, 74], &p256[..]].concat());

    // A KEM that nobody has is skipped and named, and so is a list of nothing else.
    let unknown = [0, 5, 9, 0x7f, 0xff, 1, 2];
    let keys = read_keys(&[&unknown[..], &list].concat()).unwrap();
    assert_eq!(
        (keys.configs.len(), &keys.unsupported[..]),
        (1, &[(9, 0x7fff)][..])
    );
    let keys = read_keys(&unknown).unwrap();
    assert!(keys.configs.is_empty());
    assert!(matches!(
        Client::new(&keys.configs, &policy()),
        Err(Error::Usage(_))
    ));
    assert_eq!(
        KeyConfig::from_bytes(&unknown[2..]).unwrap_err(),
        Error::UnknownKem(0x7fff)
    );
}

#[test]
fn a_client_chooses_what_is_known_and_allowed() {
    let (key, public) = kem_by_id(X25519)
        .unwrap()
        .derive_key_pair(&[7; 32])
        .unwrap();
    let unknown = SymmetricAlgorithms::new(0x0001, 0x7fff);
    let export_only = SymmetricAlgorithms::new(0x0001, 0xffff);
    let list = [unknown, export_only, CHACHA20_POLY1305, AES_128_GCM];
    let config = KeyConfig::new(1, public.clone(), &list).unwrap();
    // What the client does not know stays in the list.
    let read = read_keys(&write_keys([&config])).unwrap().configs;
    assert_eq!(read[0].algorithms(), list);

    let gateway = Gateway::new()
        .key(1, key.clone(), &list[2..], &policy())
        .unwrap();
    let header = |policy: &Policy| {
        let client = Client::new(&read, policy).unwrap();
        let (request, _) = client.encapsulate(b"", &mut SysRng).unwrap();
        assert!(gateway.decapsulate(&request).is_ok());
        request[..7].to_vec()
    };
    assert_eq!(header(&policy()), [1, 0, 0x20, 0, 1, 0, 3]);
    let no_chacha = policy().deny(Component::Aead, 3);
    assert_eq!(header(&no_chacha), [1, 0, 0x20, 0, 1, 0, 1]);
    let none = Client::new(&read, &policy().deny(Component::Kem, X25519));
    assert!(matches!(none, Err(Error::Hpke(_))));
    for algorithms in [unknown, export_only] {
        let with = Client::with(&config, algorithms, &policy());
        assert!(matches!(with, Err(Error::Hpke(_))));
        let gateway = Gateway::new().key(1, key.clone(), &[algorithms], &policy());
        assert!(matches!(gateway, Err(Error::Hpke(_))));
    }
    let other = SymmetricAlgorithms::new(0x0002, 0x0001);
    assert!(matches!(
        Client::with(&config, other, &policy()),
        Err(Error::Usage(_))
    ));
    assert!(matches!(
        KeyConfig::new(1, public.clone(), &[]),
        Err(Error::Usage(_))
    ));
    let many = vec![AES_128_GCM; 16_384];
    assert!(matches!(
        KeyConfig::new(1, public.clone(), &many),
        Err(Error::Usage(_))
    ));
    assert!(KeyConfig::new(1, public, &many[..16_000]).is_ok());
    let twice = gateway.key(1, key, &[AES_128_GCM], &policy());
    assert!(matches!(twice, Err(Error::Usage(_))));
}

#[test]
fn requests_that_are_refused() {
    let gateway = gateway();
    let (request, _) = client(&gateway)
        .encapsulate(b"request", &mut SysRng)
        .unwrap();
    assert!(gateway.decapsulate(&request).is_ok());
    let with = |byte: usize, value: u8| {
        let mut altered = request.clone();
        altered[byte] = value;
        let whole = gateway.decapsulate(&altered).unwrap_err();
        let chunked = opened(&mut gateway.chunked(), &altered, usize::MAX).unwrap_err();
        // A whole request is not one in chunks either.
        let of_chunks = matches!(chunked, Error::Open | Error::TooLong(_) | Error::Truncated);
        assert!(
            chunked == whole || whole == Error::Open && of_chunks,
            "{chunked:?}"
        );
        whole
    };
    assert_eq!(with(0, 2), Error::UnknownKey(2));
    // The key is there, with another KEM.
    assert_eq!(with(2, 0x10), Error::UnknownKey(1));
    let not_allowed =
        |kdf, aead| Error::AlgorithmNotAllowed(format!("KDF {kdf:#06x}, AEAD {aead:#06x}"));
    assert_eq!(with(4, 2), not_allowed(2, 1));
    assert_eq!(with(6, 2), not_allowed(1, 2));
    // Allowed, and not what the request was sealed with: the header is authenticated.
    assert_eq!(with(6, 3), Error::Open);
    for byte in [7, 38, 39, request.len() - 1] {
        assert_eq!(with(byte, request[byte] ^ 1), Error::Open);
    }
    for len in 0..request.len() {
        let error = gateway.decapsulate(&request[..len]).unwrap_err();
        let early = matches!(error, Error::Malformed(_));
        assert!(
            if len < 39 {
                early
            } else {
                error == Error::Open
            },
            "{len}: {error:?}"
        );
    }
}

#[test]
fn responses_that_are_refused() {
    let gateway = gateway();
    let client = client(&gateway);
    let exchange = || {
        let (request, opener) = client.encapsulate(b"request", &mut SysRng).unwrap();
        let (_, sealer) = gateway.decapsulate(&request).unwrap();
        (sealer.seal(b"response", &mut SysRng).unwrap(), opener)
    };
    for byte in 0..exchange().0.len() {
        let (mut response, opener) = exchange();
        response[byte] ^= 1;
        assert_eq!(opener.open(&response), Err(Error::Open));
        let (response, opener) = exchange();
        assert_eq!(opener.open(&response[..byte]), Err(Error::Open));
    }
    // The response to another request.
    assert_eq!(exchange().1.open(&exchange().0), Err(Error::Open));
}

/// RFC 9458, section 4.6: another media type is another label.
#[test]
fn another_content() {
    let gateway = gateway();
    let dns = "application/dns-message";
    let (request, opener) = client(&gateway)
        .content(dns)
        .encapsulate(b"query", &mut SysRng)
        .unwrap();
    assert_eq!(gateway.decapsulate(&request).unwrap_err(), Error::Open);
    let (opened, sealer) = gateway.content(dns).decapsulate(&request).unwrap();
    assert_eq!(opened, b"query");
    let response = sealer.seal(b"answer", &mut SysRng).unwrap();
    assert_eq!(opener.open(&response).unwrap(), b"answer");
}

/// An opener of chunks, on either side.
trait Opening {
    fn open(&mut self, bytes: &[u8]) -> Result<Plaintext, Error>;
    fn finish(&mut self) -> Result<Plaintext, Error>;
}

impl Opening for RequestChunks<'_> {
    fn open(&mut self, bytes: &[u8]) -> Result<Plaintext, Error> {
        self.open(bytes)
    }
    fn finish(&mut self) -> Result<Plaintext, Error> {
        self.finish()
    }
}

impl Opening for ResponseChunks {
    fn open(&mut self, bytes: &[u8]) -> Result<Plaintext, Error> {
        self.open(bytes)
    }
    fn finish(&mut self) -> Result<Plaintext, Error> {
        self.finish()
    }
}

/// Opens a whole message, passed in pieces of `size` bytes.
fn opened(opening: &mut impl Opening, message: &[u8], size: usize) -> Result<Vec<u8>, Error> {
    let mut plain = Vec::new();
    for piece in message.chunks(size) {
        plain.extend_from_slice(&opening.open(piece)?);
    }
    plain.extend_from_slice(&opening.finish()?);
    Ok(plain)
}

/// Seals by calls of these sizes, the last of them by `finish`.
fn sealed(mut sealer: ChunkSealer, plain: &[u8], sizes: &[usize]) -> Vec<u8> {
    let (mut message, mut rest) = (Vec::new(), plain);
    for &size in sizes {
        message.extend(sealer.seal(&rest[..size]).unwrap());
        rest = &rest[size..];
    }
    message.extend(sealer.finish(rest).unwrap());
    message
}

#[test]
fn messages_in_chunks() {
    let gateway = gateway();
    let client = client(&gateway);
    for (len, sizes) in [
        (0, &[][..]),
        (0, &[0, 0]),
        (1, &[1]),
        (100, &[63, 0, 1]),
        (MAX_CHUNK, &[]),
        (MAX_CHUNK + 1, &[]),
        (3 * MAX_CHUNK, &[]),
        (3 * MAX_CHUNK, &[3 * MAX_CHUNK]),
        (100_000, &[1, 50_000, 17]),
    ] {
        let plain: Vec<u8> = (0..len).map(|n| n.to_le_bytes()[0]).collect();
        for size in [1, 17, 1000, usize::MAX] {
            // Byte by byte takes long.
            if size == 1 && len > 1000 {
                continue;
            }
            let (sealer, mut responses) = client.chunked(&mut SysRng).unwrap();
            let request = sealed(sealer, &plain, sizes);
            let mut requests = gateway.chunked();
            assert_eq!(opened(&mut requests, &request, size).unwrap(), plain);
            let sealer = requests.response(&mut SysRng).unwrap();
            let response = sealed(sealer, &plain, sizes);
            assert_eq!(opened(&mut responses, &response, size).unwrap(), plain);
            for ended in [
                requests.open(b"more"),
                requests.finish(),
                responses.finish(),
            ] {
                assert!(matches!(ended, Err(Error::Usage(_))), "{ended:?}");
            }
        }
    }
}

/// A response may begin before the request is complete, and not before its head.
#[test]
fn chunks_in_both_directions_by_turns() {
    let gateway = gateway();
    let (mut asks, mut answers) = client(&gateway).chunked(&mut SysRng).unwrap();
    let mut requests = gateway.chunked();
    let head = asks.seal(b"").unwrap();
    assert_eq!(head.len(), 7 + 32);
    assert_eq!(requests.open(&head[..38]).unwrap(), b"");
    assert!(matches!(
        requests.response(&mut SysRng),
        Err(Error::Usage(_))
    ));
    assert_eq!(requests.open(&head[38..]).unwrap(), b"");
    let mut sealer = requests.response(&mut SysRng).unwrap();
    for part in [b"one", b"two"] {
        let ask = asks.seal(part).unwrap();
        assert_eq!(requests.open(&ask).unwrap(), part);
        let answer = sealer.seal(part).unwrap();
        assert_eq!(answers.open(&answer).unwrap(), part);
    }
    requests.open(&asks.finish(b"").unwrap()).unwrap();
    answers.open(&sealer.finish(b"").unwrap()).unwrap();
    assert_eq!(requests.finish().unwrap(), b"");
    assert_eq!(answers.finish().unwrap(), b"");
}

#[test]
fn chunks_that_are_refused() {
    let gateway = gateway();
    let client = client(&gateway);
    let (mut sealer, _) = client.chunked(&mut SysRng).unwrap();
    let head = sealer.seal(b"").unwrap();
    let [one, two] = [b"one", b"two"].map(|part| sealer.seal(part).unwrap());
    let last = sealer.finish(b"end").unwrap();
    let open = |parts: &[&[u8]]| opened(&mut gateway.chunked(), &parts.concat(), usize::MAX);
    assert_eq!(open(&[&head, &one, &two, &last]).unwrap(), b"onetwoend");

    // Cut off anywhere: complete chunks are opened, and the end is missing.
    let whole = [&head[..], &one, &two, &last].concat();
    let last_at = whole.len() - last.len() + 1;
    for len in 0..whole.len() {
        let expected = if len < last_at {
            Error::Truncated
        } else {
            Error::Open
        };
        assert_eq!(open(&[&whole[..len]]), Err(expected), "{len}");
    }
    for byte in 0..whole.len() {
        let mut altered = whole.clone();
        altered[byte] ^= 0x20;
        assert!(open(&[&altered]).is_err(), "byte {byte}");
    }
    // Order, repetition, loss, and a chunk that is made the last one or the last one that is not.
    assert_eq!(open(&[&head, &two, &one, &last]), Err(Error::Open));
    assert_eq!(open(&[&head, &one, &one, &last]), Err(Error::Open));
    assert_eq!(open(&[&head, &two, &last]), Err(Error::Open));
    assert_eq!(open(&[&head, &one, &[0], &two[1..]]), Err(Error::Open));
    assert_eq!(
        open(&[&head, &one, &two, &[19], &last[1..]]),
        Err(Error::Open)
    );
    // A length in more bytes than it needs is the same length (section 5).
    let long = [0x80, 0, 0, one[0]];
    assert_eq!(
        open(&[&head, &long, &one[1..], &two, &[0x40], &last]).unwrap(),
        b"onetwoend"
    );
    // A chunk in no context of HPKE.
    assert_eq!(open(&[&head, &[1], &[0]]), Err(Error::Open));

    // After an error nothing is opened.
    let mut opening = gateway.chunked();
    assert_eq!(opening.open(&[&head[..], &two].concat()), Err(Error::Open));
    assert_eq!(opening.open(&one), Err(Error::Open));
    assert_eq!(opening.finish(), Err(Error::Open));
}

/// A chunk that is not the last has to have content (section 6).
#[test]
fn empty_chunks() {
    let gateway = gateway();
    let config = gateway.configs().next().unwrap();
    let suite = pqseal_hpke::Suite::from_id(
        pqseal_keys::KEMS,
        pqseal_hpke::SuiteId::new(X25519, 1, 1),
        &policy(),
    );
    let header = [1, 0, 0x20, 0, 1, 0, 1];
    let info = [&b"message/bhttp chunked request\0"[..], &header].concat();
    let mode = pqseal_hpke::Mode::Base;
    let (enc, mut context) = suite
        .unwrap()
        .setup_s(config.key(), &info, mode, &mut SysRng)
        .unwrap();
    let empty = context.seal(b"", b"").unwrap();
    let mut opening = gateway.chunked();
    assert_eq!(opening.open(&[&header[..], &enc].concat()).unwrap(), b"");
    assert_eq!(
        opening.open(&[&[16], &empty[..]].concat()),
        Err(Error::Open)
    );
}

#[test]
fn chunks_that_are_too_large() {
    let gateway = gateway();
    let (mut sealer, _) = client(&gateway).chunked(&mut SysRng).unwrap();
    let head = sealer.seal(b"").unwrap();
    let begin = || {
        let mut opening = gateway.chunked();
        opening.open(&head).unwrap();
        opening
    };
    // 16,400 bytes are a full chunk with its tag; 16,401 are too many, and so is what has 62 bits.
    assert_eq!(begin().open(&[0x80, 0, 0x40, 0x10]).unwrap(), b"");
    for length in [&[0x80, 0, 0x40, 0x11][..], &[0xff; 8]] {
        let mut opening = begin();
        assert!(matches!(opening.open(length), Err(Error::TooLong(_))));
        assert!(matches!(opening.open(b"a"), Err(Error::TooLong(_))));
        assert!(matches!(opening.finish(), Err(Error::TooLong(_))));
    }
    assert!(
        begin()
            .max_chunk(20_000)
            .open(&[0x80, 0, 0x40, 0x11])
            .is_ok()
    );
    assert!(begin().max_chunk(usize::MAX).open(&[0xff; 8]).is_ok());
    // The last chunk has no length.
    let mut opening = begin();
    assert!(opening.open(&[0]).is_ok());
    assert!(opening.open(&[7; 16_400]).is_ok());
    assert!(matches!(opening.open(&[7]), Err(Error::TooLong(_))));
}
