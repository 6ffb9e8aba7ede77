//! Private keys in OpenSSH's format (`PROTOCOL.key` of OpenSSH): a public key, and the private key,
//! which may be encrypted with bcrypt_pbkdf and AES-256.

use aes::Aes256;
use base64ct::{Base64, Encoding};
use cbc::cipher::{BlockModeDecrypt, KeyIvInit, StreamCipher, block_padding::NoPadding};
use zeroize::Zeroizing;

use super::{
    ed25519, rsa,
    wire::{Reader, RsaIntegers},
};
use crate::{Error, SshError};

const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";
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

pub(super) enum PrivateKey {
    Ed25519(ed25519::PrivateKey),
    Rsa(rsa::PrivateKey),
}

pub(super) fn is_encrypted(text: &str) -> bool {
    let file = decode(text);
    file.is_ok_and(|file| Sealed::read(&file).is_ok_and(|sealed| sealed.cipher != b"none"))
}

/// Reads only the public key, in SSH's wire format.
pub(super) fn public_in(text: &str) -> Result<Vec<u8>, SshError> {
    let file = decode(text)?;
    Ok(Sealed::read(&file)?.public.to_vec())
}

/// Reads the public key in SSH's wire format, and the private key.
pub(super) fn read(text: &str, passphrase: Option<&[u8]>) -> Result<(Vec<u8>, PrivateKey), Error> {
    let file = decode(text)?;
    let sealed = Sealed::read(&file)?;
    let private = sealed.open(passphrase)?;
    let key = parse(&private, sealed.public).map_err(|error| match error {
        Refused::Check if sealed.cipher != b"none" => Error::WrongPassphrase,
        Refused::Check => SshError::Malformed.into(),
        Refused::Key(error) => error.into(),
    })?;
    Ok((sealed.public.to_vec(), key))
}

/// Decodes the bytes between the marks.
fn decode(text: &str) -> Result<Zeroizing<Vec<u8>>, SshError> {
    if OLD.iter().any(|begin| text.contains(begin)) {
        return Err(SshError::OldFormat);
    }
    between(text, BEGIN, END)
}

/// Decodes the base64 between two marks, which are all that surrounds it.
pub(super) fn between(text: &str, begin: &str, end: &str) -> Result<Zeroizing<Vec<u8>>, SshError> {
    let text = text.trim().strip_prefix(begin);
    let base64 = text.and_then(|text| text.strip_suffix(end));
    // Growing would leave copies of a secret behind.
    let mut line = Zeroizing::new(String::with_capacity(base64.map_or(0, str::len)));
    line.extend(base64.unwrap_or_default().split_ascii_whitespace());
    let bytes = Base64::decode_vec(&line).map_err(|_| SshError::Malformed)?;
    Ok(Zeroizing::new(bytes))
}

/// A file whose private part is still encrypted.
struct Sealed<'b> {
    cipher: &'b [u8],
    kdf: &'b [u8],
    options: &'b [u8],
    public: &'b [u8],
    private: &'b [u8],
}

impl<'b> Sealed<'b> {
    fn read(file: &'b [u8]) -> Result<Self, SshError> {
        let rest = file.strip_prefix(MAGIC).ok_or(SshError::Malformed)?;
        let mut reader = Reader::new(rest);
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

    fn open(&self, passphrase: Option<&[u8]>) -> Result<Zeroizing<Vec<u8>>, SshError> {
        let mut private = Zeroizing::new(self.private.to_vec());
        match (self.cipher, self.kdf, passphrase) {
            (b"none", b"none", _) => {}
            (b"none", ..) => return Err(SshError::Malformed),
            (cipher, b"bcrypt", passphrase) if CIPHERS.contains(&cipher) => {
                self.decrypt(passphrase.ok_or(SshError::Encrypted)?, &mut private)?;
            }
            _ => return Err(SshError::Cipher),
        }
        Ok(private)
    }

    fn decrypt(&self, passphrase: &[u8], private: &mut [u8]) -> Result<(), SshError> {
        let mut options = Reader::new(self.options);
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
        let malformed = "the lengths are those of AES-256";
        if self.cipher == b"aes256-ctr" {
            let cipher = ctr::Ctr128BE::<Aes256>::new_from_slices(key, nonce);
            cipher.expect(malformed).apply_keystream(private);
        } else {
            let cipher = cbc::Decryptor::<Aes256>::new_from_slices(key, nonce);
            let cipher = cipher.expect(malformed);
            cipher
                .decrypt_padded::<NoPadding>(private)
                .map_err(|_| SshError::Malformed)?;
        }
        Ok(())
    }
}

/// The reason why a private part is refused.
enum Refused {
    /// The two equal numbers at its start differ, so the decryption key was wrong.
    Check,
    Key(SshError),
}

impl From<SshError> for Refused {
    fn from(error: SshError) -> Self {
        Self::Key(error)
    }
}

/// Parses the key of a private part, and checks that it belongs to the public key.
fn parse(private: &[u8], public: &[u8]) -> Result<PrivateKey, Refused> {
    let mut reader = Reader::new(private);
    if reader.number()? != reader.number()? {
        return Err(Refused::Check);
    }
    let mut public = Reader::new(public);
    let kind = public.string()?;
    if reader.string()? != kind {
        return Err(SshError::Malformed.into());
    }
    let key = match kind {
        b"ssh-ed25519" => PrivateKey::Ed25519(ed25519(&mut reader, public.string()?)?),
        b"ssh-rsa" => PrivateKey::Rsa(rsa(&mut reader, &mut public)?),
        _ => return Err(SshError::Kind.into()),
    };
    public.end()?;
    let _comment = reader.string()?;
    match reader
        .rest()
        .iter()
        .zip(1..=u8::MAX)
        .all(|(byte, pad)| *byte == pad)
    {
        true => Ok(key),
        false => Err(SshError::Malformed.into()),
    }
}

/// Parses the public key, then the seed and the public key.
fn ed25519(reader: &mut Reader<'_>, public: &[u8]) -> Result<ed25519::PrivateKey, SshError> {
    let (again, both) = (reader.string()?, reader.string()?);
    let (seed, last) = both.split_first_chunk().ok_or(SshError::Malformed)?;
    let key = ed25519::PrivateKey::new(seed);
    let same = again == public && last == public;
    match same && key.is_of(&ed25519::PublicKey::new(public)?) {
        true => Ok(key),
        false => Err(SshError::Malformed),
    }
}

fn rsa(reader: &mut Reader<'_>, public: &mut Reader<'_>) -> Result<rsa::PrivateKey, SshError> {
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
    rsa::PublicKey::new(n, e)?;
    rsa::PrivateKey::new(&key)
}
