//! The age file format (age-encryption.org/v1), as far as a file with one `mlkem768x25519`
//! recipient and a short text needs it. Written from age's specification on other crates' HKDF,
//! HMAC and AEAD, so that only the stanza is opened by our code.

pub(crate) mod key_text;

use chacha20poly1305::{ChaCha20Poly1305, KeyInit, aead::Aead};
use data_encoding::BASE64_NOPAD;
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::Sha256;

const INTRO: &str = "age-encryption.org/v1";
const STANZA: &str = "-> mlkem768x25519 ";
const FOOTER: &str = "---";
/// The payload's chunk counter, 0, and the mark of the last chunk: all the tests' texts fit one
/// chunk of 64 KiB.
const ONLY_CHUNK: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/// What wraps the file key for one recipient.
#[derive(Clone)]
pub(crate) struct Stanza {
    /// HPKE's encapsulated key, the stanza's argument.
    pub(crate) enc: Vec<u8>,
    /// The sealed file key, the stanza's body.
    pub(crate) body: Vec<u8>,
}

/// A file.
pub(crate) struct File {
    pub(crate) stanza: Stanza,
    mac: Vec<u8>,
    nonce: [u8; 16],
    chunk: Vec<u8>,
}

impl File {
    /// Reads a file, which must have this one stanza and no other.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let parts: Vec<&[u8]> = bytes.splitn(5, |&byte| byte == b'\n').collect();
        let [intro, stanza, body, footer, payload] = parts[..] else {
            panic!("a header of four lines, then the payload")
        };
        assert_eq!(intro, INTRO.as_bytes());
        let (nonce, chunk) = payload.split_first_chunk().expect("a nonce");
        Self {
            stanza: Stanza {
                enc: after(STANZA, stanza),
                body: after("", body),
            },
            mac: after(&format!("{FOOTER} "), footer),
            nonce: *nonce,
            chunk: chunk.to_vec(),
        }
    }

    /// The file of `text`, its key wrapped in `stanza`. `nonce` must be new for each use of a file
    /// key.
    pub(crate) fn seal(stanza: Stanza, file_key: &[u8], nonce: [u8; 16], text: &[u8]) -> Self {
        let mac = mac(file_key, &stanza).finalize().into_bytes().to_vec();
        let chunk = payload_cipher(file_key, &nonce)
            .encrypt(&ONLY_CHUNK.into(), text)
            .unwrap();
        Self {
            stanza,
            mac,
            nonce,
            chunk,
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let header = format!(
            "{} {}\n",
            header(&self.stanza),
            BASE64_NOPAD.encode(&self.mac)
        );
        [header.as_bytes(), &self.nonce, &self.chunk].concat()
    }

    /// Whether the header was made by one who has the file key.
    pub(crate) fn has_mac_of(&self, file_key: &[u8]) -> bool {
        mac(file_key, &self.stanza).verify_slice(&self.mac).is_ok()
    }

    pub(crate) fn open(&self, file_key: &[u8]) -> Option<Vec<u8>> {
        payload_cipher(file_key, &self.nonce)
            .decrypt(&ONLY_CHUNK.into(), &self.chunk[..])
            .ok()
    }
}

/// The bytes of a line of base64 that begins with `prefix`.
fn after(prefix: &str, line: &[u8]) -> Vec<u8> {
    let text = line.strip_prefix(prefix.as_bytes());
    let text = text
        .unwrap_or_else(|| panic!("{prefix:?} expected in {:?}", String::from_utf8_lossy(line)));
    BASE64_NOPAD.decode(text).expect("base64 without padding")
}

/// The header as far as its MAC covers it. A sealed file key is one line of base64.
fn header(stanza: &Stanza) -> String {
    let [enc, body] = [&stanza.enc, &stanza.body].map(|bytes| BASE64_NOPAD.encode(bytes));
    format!("{INTRO}\n{STANZA}{enc}\n{body}\n{FOOTER}")
}

fn mac(file_key: &[u8], stanza: &Stanza) -> Hmac<Sha256> {
    let key = derive(file_key, &[], "header");
    let mac =
        <Hmac<Sha256> as KeyInit>::new_from_slice(&key).expect("HMAC takes a key of any length");
    mac.chain_update(header(stanza))
}

fn payload_cipher(file_key: &[u8], nonce: &[u8]) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new(&derive(file_key, nonce, "payload").into())
}

fn derive(file_key: &[u8], salt: &[u8], info: &str) -> [u8; 32] {
    let mut key = [0; 32];
    Hkdf::<Sha256>::new(Some(salt), file_key)
        .expand(info.as_bytes(), &mut key)
        .expect("32 bytes are not too many");
    key
}
