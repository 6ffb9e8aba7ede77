//! Private keys in OpenSSH's format (`PROTOCOL.key` of OpenSSH): a public key, and the private key,
//! which may be encrypted with bcrypt_pbkdf and AES-256. And in PKCS#8 (RFC 5958), as `age` reads
//! them: Ed25519 (RFC 8410) and RSA (RFC 8017, appendix A.1.2), without a passphrase.

use aes::Aes256;
use base64ct::{Base64, Encoding};
use cbc::cipher::{BlockModeDecrypt, KeyIvInit, StreamCipher, block_padding::NoPadding};
use pkcs8::{
    ObjectIdentifier, PrivateKeyInfoRef,
    der::{
        self, Decode, SliceReader,
        asn1::{AnyRef, OctetStringRef, UintRef},
    },
};
use zeroize::Zeroizing;

use super::{
    ED25519, Ed25519Private, Ed25519Public, RSA, RsaIntegers, RsaPrivate, RsaPublic, SshPrivateKey,
    WireReader,
};
use crate::{Error, SshError};

const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";
const BEGIN_PKCS8: &str = "-----BEGIN PRIVATE KEY-----";
const END_PKCS8: &str = "-----END PRIVATE KEY-----";
/// The formats from before OpenSSH 7.8, which only SSH uses.
const OLD: [&str; 2] = [
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN DSA PRIVATE KEY-----",
];
const MAGIC: &[u8] = b"openssh-key-v1\0";

/// The ciphers of encrypted keys.
const CIPHERS: [&[u8]; 2] = [b"aes256-ctr", b"aes256-cbc"];
/// The maximum number of rounds of bcrypt, which takes half a minute. ssh-keygen uses 24.
const MAX_ROUNDS: u32 = 4096;
/// The block size of AES, to which the private part is padded if it is encrypted.
const BLOCK: usize = 16;

pub(super) fn is_encrypted(text: &str) -> bool {
    let file = decode(text);
    file.is_ok_and(|file| KeyFile::read(&file).is_ok_and(|key_file| key_file.cipher != b"none"))
}

/// Reads only the public key, in SSH's wire format.
pub(super) fn public_in(text: &str) -> Result<Vec<u8>, SshError> {
    let file = decode(text)?;
    Ok(KeyFile::read(&file)?.public.to_vec())
}

/// Reads the public key in SSH's wire format, and the private key, from either format.
pub(super) fn read(
    text: &str,
    passphrase: Option<&[u8]>,
) -> Result<(Vec<u8>, SshPrivateKey), Error> {
    if text.trim_start().starts_with(BEGIN_PKCS8) {
        return Ok(read_pkcs8(text)?);
    }
    let file = decode(text)?;
    let key_file = KeyFile::read(&file)?;
    let private = key_file.open(passphrase)?;
    let key = parse(&private, key_file.public).map_err(|error| match error {
        PrivatePartError::Check if key_file.cipher != b"none" => Error::WrongPassphrase,
        PrivatePartError::Check => SshError::Malformed.into(),
        PrivatePartError::Key(error) => error.into(),
    })?;
    Ok((key_file.public.to_vec(), key))
}

/// Decodes the bytes between the marks.
fn decode(text: &str) -> Result<Zeroizing<Vec<u8>>, SshError> {
    if OLD.iter().any(|begin| text.contains(begin)) {
        return Err(SshError::OldFormat);
    }
    between(text, BEGIN, END)
}

/// Decodes the base64 between two marks, which are all that surrounds it.
fn between(text: &str, begin: &str, end: &str) -> Result<Zeroizing<Vec<u8>>, SshError> {
    let text = text.trim().strip_prefix(begin);
    let base64 = text.and_then(|text| text.strip_suffix(end));
    // Growing would leave copies of a secret behind.
    let mut line = Zeroizing::new(String::with_capacity(base64.map_or(0, str::len)));
    line.extend(base64.unwrap_or_default().split_ascii_whitespace());
    let bytes = Base64::decode_vec(&line).map_err(|_| SshError::Malformed)?;
    Ok(Zeroizing::new(bytes))
}

/// A file whose private part is still encrypted.
struct KeyFile<'b> {
    cipher: &'b [u8],
    kdf: &'b [u8],
    options: &'b [u8],
    public: &'b [u8],
    private: &'b [u8],
}

impl<'b> KeyFile<'b> {
    fn read(file: &'b [u8]) -> Result<Self, SshError> {
        let rest = file.strip_prefix(MAGIC).ok_or(SshError::Malformed)?;
        let mut reader = WireReader(rest);
        let (cipher, kdf, options) = (reader.string()?, reader.string()?, reader.string()?);
        if reader.number()? != 1 {
            return Err(SshError::Malformed);
        }
        let (public, private) = (reader.string()?, reader.string()?);
        // The tag of an AEAD follows, which `open` does not support.
        if cipher == b"none" || CIPHERS.contains(&cipher) {
            reader.end()?;
        }
        Ok(Self {
            cipher,
            kdf,
            options,
            public,
            private,
        })
    }

    /// Decrypts the private part.
    fn open(&self, passphrase: Option<&[u8]>) -> Result<Zeroizing<Vec<u8>>, SshError> {
        let mut private = Zeroizing::new(self.private.to_vec());
        let passphrase = match (self.cipher, self.kdf) {
            (b"none", b"none") => return Ok(private),
            (b"none", _) => return Err(SshError::Malformed),
            (cipher, b"bcrypt") if CIPHERS.contains(&cipher) => {
                passphrase.ok_or(SshError::Encrypted)?
            }
            _ => return Err(SshError::Cipher),
        };
        let mut options = WireReader(self.options);
        let (salt, rounds) = (options.string()?, options.number()?);
        options.end()?;
        if rounds > MAX_ROUNDS {
            return Err(SshError::Rounds);
        }
        if !private.len().is_multiple_of(BLOCK) {
            return Err(SshError::Malformed);
        }
        let mut okm = Zeroizing::new([0; 32 + BLOCK]);
        bcrypt_pbkdf::bcrypt_pbkdf(passphrase, salt, rounds, &mut okm[..])
            .map_err(|_| SshError::Malformed)?;
        let (key, nonce) = okm.split_at(32);
        let lengths = "the lengths are those of AES-256";
        if self.cipher == b"aes256-ctr" {
            let cipher = ctr::Ctr128BE::<Aes256>::new_from_slices(key, nonce);
            cipher.expect(lengths).apply_keystream(&mut private);
        } else {
            let cipher = cbc::Decryptor::<Aes256>::new_from_slices(key, nonce);
            cipher
                .expect(lengths)
                .decrypt_padded::<NoPadding>(&mut private)
                .map_err(|_| SshError::Malformed)?;
        }
        Ok(private)
    }
}

/// The reason why a private part is refused.
enum PrivatePartError {
    /// The two equal numbers at its start differ, so the decryption key was wrong.
    Check,
    Key(SshError),
}

impl From<SshError> for PrivatePartError {
    fn from(error: SshError) -> Self {
        Self::Key(error)
    }
}

/// Parses the key of a private part, and checks that it belongs to the public key.
fn parse(private: &[u8], public: &[u8]) -> Result<SshPrivateKey, PrivatePartError> {
    let mut reader = WireReader(private);
    if reader.number()? != reader.number()? {
        return Err(PrivatePartError::Check);
    }
    let mut public = WireReader(public);
    let kind = public.string()?;
    if reader.string()? != kind {
        return Err(SshError::Malformed.into());
    }
    let key = match kind {
        b"ssh-ed25519" => SshPrivateKey::Ed25519(ed25519(&mut reader, public.string()?)?),
        b"ssh-rsa" => SshPrivateKey::Rsa(rsa(&mut reader, &mut public)?),
        _ => return Err(SshError::Kind.into()),
    };
    public.end()?;
    let _comment = reader.string()?;
    match reader
        .0
        .iter()
        .zip(1..=u8::MAX)
        .all(|(byte, pad)| *byte == pad)
    {
        true => Ok(key),
        false => Err(SshError::Malformed.into()),
    }
}

/// Parses the public key, then the seed and the public key.
fn ed25519(reader: &mut WireReader<'_>, public: &[u8]) -> Result<Ed25519Private, SshError> {
    let (again, both) = (reader.string()?, reader.string()?);
    let (seed, last) = both.split_first_chunk().ok_or(SshError::Malformed)?;
    let key = Ed25519Private::new(seed);
    let same = again == public && last == public;
    match same && key.is_of(&Ed25519Public::new(public)?) {
        true => Ok(key),
        false => Err(SshError::Malformed),
    }
}

fn rsa(reader: &mut WireReader<'_>, public: &mut WireReader<'_>) -> Result<RsaPrivate, SshError> {
    let key = RsaIntegers {
        n: reader.positive()?,
        e: reader.positive()?,
        d: reader.positive()?,
        q_inv: reader.positive()?,
        p: reader.positive()?,
        q: reader.positive()?,
    };
    let (e, n) = (public.positive()?, public.positive()?);
    if (key.n, key.e) != (n, e) {
        return Err(SshError::Malformed);
    }
    // The size is checked first, since it has its own error.
    RsaPublic::new(n, e)?;
    RsaPrivate::new(&key)
}

fn read_pkcs8(text: &str) -> Result<(Vec<u8>, SshPrivateKey), SshError> {
    const ED25519_OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
    const RSA_OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
    let der = between(text, BEGIN_PKCS8, END_PKCS8)?;
    let info = PrivateKeyInfoRef::from_der(&der).map_err(|_| SshError::Malformed)?;
    let octets = info.private_key.as_bytes();
    match info.algorithm.oid {
        // The seed, an OCTET STRING. `age` ignores a public key next to it, too.
        ED25519_OID => {
            let seed = <&OctetStringRef>::from_der(octets).map_err(|_| SshError::Malformed)?;
            let seed = seed.as_bytes().try_into();
            let seed = seed.map_err(|_| SshError::Malformed)?;
            let wire = write(&[ED25519.as_bytes(), &Ed25519Private::public_of(seed)]);
            Ok((wire, SshPrivateKey::Ed25519(Ed25519Private::new(seed))))
        }
        // RSAPrivateKey of two primes.
        RSA_OID => {
            let numbers = AnyRef::from_der(octets).and_then(|key| key.sequence(numbers));
            let numbers = numbers.map_err(|_| SshError::Malformed)?;
            let [_version, n, e, d, p, q, _d_p, _d_q, q_inv] = numbers;
            // The size is checked first, since it has its own error.
            RsaPublic::new(n, e)?;
            let key = RsaPrivate::new(&RsaIntegers {
                n,
                e,
                d,
                q_inv,
                p,
                q,
            })?;
            let wire = write(&[RSA.as_bytes(), &positive(e), &positive(n)]);
            Ok((wire, SshPrivateKey::Rsa(key)))
        }
        _ => Err(SshError::Kind),
    }
}

/// Reads the integers of RSAPrivateKey, without their signs.
fn numbers<'b>(fields: &mut SliceReader<'b>) -> der::Result<[&'b [u8]; 9]> {
    let mut numbers = [&[][..]; 9];
    for number in &mut numbers {
        *number = UintRef::decode(fields)?.as_bytes();
    }
    Ok(numbers)
}

/// Returns a number as an `mpint` (RFC 4251, section 5), whose first bit is its sign.
fn positive(number: &[u8]) -> Vec<u8> {
    let sign: &[u8] = match number {
        [0x80..=0xff, ..] => &[0],
        _ => &[],
    };
    [sign, number].concat()
}

/// Writes strings, none of which is secret, in SSH's wire format.
fn write(strings: &[&[u8]]) -> Vec<u8> {
    let mut wire = Vec::new();
    for string in strings {
        let length = u32::try_from(string.len()).expect("a part of a key has less than 4 GiB");
        wire.extend(length.to_be_bytes());
        wire.extend(*string);
    }
    wire
}
