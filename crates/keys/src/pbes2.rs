//! Encrypted private keys in PKCS#8 (RFC 5958, section 3, with PBES2 of RFC 8018): DER, or PEM with
//! the label `ENCRYPTED PRIVATE KEY`, as `openssl pkcs8` reads and writes it.
//!
//! ```
//! use pqseal_keys::pbes2;
//! use zeroize::Zeroizing;
//!
//! let passphrase = || Ok::<_, pbes2::Error>(Zeroizing::new("correct horse".to_owned()));
//! # let der = [0x30, 3, 2, 1, 5];
//! // `der` is a private key as pqseal_keys::write_private_der gives it.
//! let file = pbes2::encrypt(&der, "correct horse")?;
//! let plain = pbes2::decrypt(&file, passphrase)?;
//! assert!(plain.starts_with(b"-----BEGIN PRIVATE KEY-----"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;

use pkcs5::{
    EncryptionScheme,
    der::{
        self, Decode, Encode, Reader, SliceReader, Tag, Tagged,
        asn1::{AnyRef, OctetStringRef},
    },
    pbes2::{Kdf, Parameters, ScryptParams},
    scrypt::Params,
};
use pqseal_hpke::{SysRng, rand_core::TryRng};
use zeroize::Zeroizing;

use crate::{MAX_LEN, base64, der as key_der, write_pem};

pub use error::Error;

const LABEL: &str = "ENCRYPTED PRIVATE KEY";
const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
/// The number of characters in a line of base64 (RFC 7468, section 2).
const WIDTH: usize = 64;

/// The maximum number of iterations of PBKDF2, which takes some seconds.
const MAX_ITERATIONS: u32 = 10_000_000;
/// The maximum of 128 N r p for scrypt. If p is 1, this is 1 GiB of memory, as for age files.
const MAX_SCRYPT: u64 = 1 << 30;
/// The units of work that one text may take. A block at either limit takes all of them, so several
/// blocks together must not exceed them.
const ALL: u64 = 1 << 20;

/// The parameters of scrypt for a new key file: 16 MiB, five times in sequence. OpenSSL accepts at
/// most 32 MiB.
const LOG_N: u8 = 14;
const R: u32 = 8;
const P: u32 = 5;

/// Reports whether a file contains an encrypted private key in PKCS#8.
pub fn is_in(file: &[u8]) -> bool {
    let mut parts = file.windows(BEGIN.len());
    parts.any(|part| part == BEGIN.as_bytes()) || key_der::is_encrypted(file)
}

/// Returns the file with each such key decrypted in its place, as a block `PRIVATE KEY`. `ask`
/// returns the passphrase. It is called once for all keys, after a check that they are well-formed
/// and within the limits on work.
///
/// # Errors
/// [`Error`], or the error of `ask`.
pub fn decrypt<E: From<Error>>(
    file: impl AsRef<[u8]>,
    ask: impl FnOnce() -> Result<Zeroizing<String>, E>,
) -> Result<Zeroizing<Vec<u8>>, E> {
    let file = file.as_ref();
    if file.len() > MAX_LEN {
        return Err(Error::TooLong.into());
    }
    let der = key_der::is_encrypted(file).then(|| write_pem(LABEL, file));
    let text = der.as_ref().map_or(file, |pem| pem.as_bytes());
    let text = std::str::from_utf8(text).map_err(|_| Error::Missing)?;
    let blocks: Vec<Encrypted> = text
        .split(BEGIN)
        .skip(1)
        .map(Encrypted::read)
        .collect::<Result<_, Error>>()?;
    if blocks.is_empty() {
        return Err(Error::Missing.into());
    }
    // Each block is within the limit, but a file may have many.
    if blocks.iter().map(|block| block.work).sum::<u64>() > ALL {
        return Err(Error::ExcessiveWork.into());
    }
    let passphrase = ask()?;
    // A decrypted key is shorter than the encrypted one, except for line breaks that the latter may
    // lack.
    let mut opened = Zeroizing::new(Vec::with_capacity(text.len() + text.len() / WIDTH + 1));
    let mut rest = text;
    for block in blocks {
        let (before, after) = rest.split_once(BEGIN).ok_or(Error::Malformed)?;
        let (_, after) = after.split_once(END).ok_or(Error::Malformed)?;
        opened.extend_from_slice(before.as_bytes());
        let pem = block.decrypt(&passphrase)?;
        opened.extend_from_slice(pem.trim_end().as_bytes());
        rest = after;
    }
    opened.extend_from_slice(rest.as_bytes());
    Ok(opened)
}

/// Encrypts a private key in PKCS#8 DER under a passphrase. Returns PEM.
///
/// # Errors
/// [`pqseal_hpke::Error::Rng`].
pub fn encrypt(der: &[u8], passphrase: &str) -> Result<String, pqseal_hpke::Error> {
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    for random in [&mut salt, &mut iv] {
        let filled = SysRng.try_fill_bytes(random);
        filled.map_err(|_| pqseal_hpke::Error::Rng)?;
    }
    let params = Params::new(LOG_N, R, P).expect("scrypt has these parameters");
    let scheme = Parameters::generate_scrypt_aes256cbc(params, &salt, iv)
        .map(EncryptionScheme::from)
        .expect("a salt of 16 bytes is not too long");
    let data = scheme
        .encrypt(passphrase, der)
        .expect("PBES2 encrypts with its own parameters");
    let whole = write(&scheme, &data).expect("a key is not too long for DER");
    Ok(write_pem(LABEL, &whole).to_string())
}

/// Encodes EncryptedPrivateKeyInfo: a SEQUENCE of the scheme and an OCTET STRING.
fn write(scheme: &EncryptionScheme, data: &[u8]) -> der::Result<Vec<u8>> {
    let mut content = scheme.to_der()?;
    content.extend(OctetStringRef::new(data)?.to_der()?);
    AnyRef::new(Tag::Sequence, &content)?.to_der()
}

struct Encrypted {
    scheme: EncryptionScheme,
    /// The units of [`ALL`] that decryption takes.
    work: u64,
    /// The data, which is decrypted in place.
    data: Zeroizing<Vec<u8>>,
}

impl Encrypted {
    /// Reads the text after [`BEGIN`], and checks the amount of work before any is done.
    fn read(text: &str) -> Result<Self, Error> {
        let (body, _) = text.split_once(END).ok_or(Error::Malformed)?;
        let der = base64::decode(body.as_bytes()).map_err(|_| Error::Malformed)?;
        let (scheme, data) = parts(&der).map_err(|_| Error::Malformed)?;
        let scheme = EncryptionScheme::from_der(&scheme).map_err(|_| Error::Unsupported)?;
        let params = scheme.pbes2().ok_or(Error::Unsupported)?;
        let work = work(&params.kdf)?;
        let data = Zeroizing::new(data);
        Ok(Self { scheme, work, data })
    }

    /// Decrypts the key to a block `PRIVATE KEY`.
    fn decrypt(mut self, passphrase: &str) -> Result<Zeroizing<String>, Error> {
        let decrypted = self.scheme.decrypt_in_place(passphrase, &mut self.data);
        let der = decrypted.map_err(|error| match error {
            pkcs5::Error::DecryptFailed => Error::WrongPassphrase,
            _ => Error::Unsupported,
        })?;
        // With a wrong passphrase the padding is still valid in one of 256 cases.
        match AnyRef::from_der(der) {
            Ok(any) if any.tag() == Tag::Sequence => Ok(write_pem("PRIVATE KEY", der)),
            _ => Err(Error::WrongPassphrase),
        }
    }
}

/// Returns the DER of the scheme, and the encrypted bytes.
fn parts(der: &[u8]) -> der::Result<(Vec<u8>, Vec<u8>)> {
    let mut reader = SliceReader::new(der)?;
    let whole = AnyRef::decode(&mut reader)?;
    reader.finish()?;
    whole.sequence(|fields| {
        let scheme: AnyRef<'_> = fields.decode()?;
        let data: &OctetStringRef = fields.decode()?;
        Ok((scheme.to_der()?, data.as_bytes().to_vec()))
    })
}

/// Returns the units of [`ALL`] that a key derivation takes.
fn work(kdf: &Kdf) -> Result<u64, Error> {
    match kdf {
        Kdf::Pbkdf2(params) if params.iteration_count > MAX_ITERATIONS => Err(Error::ExcessiveWork),
        Kdf::Pbkdf2(params) => {
            Ok((u64::from(params.iteration_count) * ALL).div_ceil(u64::from(MAX_ITERATIONS)))
        }
        Kdf::Scrypt(params) => scrypt_work(params),
        _ => Err(Error::Unsupported),
    }
}

/// Returns the units of [`ALL`] that scrypt takes, if there is enough memory: 128 r N bytes for a
/// table and 128 r p for blocks (RFC 7914). This is checked here, since the library allocates
/// without a check, and a program that runs out of memory aborts.
fn scrypt_work(params: &ScryptParams) -> Result<u64, Error> {
    let n = params.cost_parameter;
    if !n.is_power_of_two() || n < 2 {
        return Err(Error::Malformed);
    }
    let [r, p] = [params.block_size, params.parallelization].map(u64::from);
    let work = [n, r, p]
        .iter()
        .try_fold(128_u64, |work, &size| work.checked_mul(size))
        .filter(|work| (1..=MAX_SCRYPT).contains(work))
        .ok_or(Error::ExcessiveWork)?;
    // No overflow: neither part exceeds the work.
    let memory = usize::try_from(128 * r * (n + p)).map_err(|_| Error::Memory)?;
    let reserved = Vec::<u8>::new().try_reserve_exact(memory);
    reserved.map_err(|_| Error::Memory)?;
    Ok(work.div_ceil(MAX_SCRYPT / ALL))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[u8] = &[0x30, 3, 2, 1, 5];
    const TWO: &[u8] = &[0x30, 0];

    fn with(text: impl AsRef<[u8]>, passphrase: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
        decrypt(text, || Ok(Zeroizing::new(passphrase.to_owned())))
    }

    #[test]
    fn blocks_are_decrypted_where_they_stand() {
        let [first, second] = [ONE, TWO].map(|der| encrypt(der, "x").unwrap());
        assert!(is_in(first.as_bytes()) && !is_in(b"-----BEGIN PRIVATE KEY-----"));
        let text = format!("# label\n{first}\n# other\r\n{second}end");
        let opened = with(&text, "x").unwrap();
        let expected = format!(
            "# label\n{}\n# other\r\n{}end",
            *write_pem("PRIVATE KEY", ONE),
            *write_pem("PRIVATE KEY", TWO)
        );
        assert_eq!(str::from_utf8(&opened).unwrap(), expected);
        assert_eq!(with(&text, "y").unwrap_err(), Error::WrongPassphrase);
        assert_eq!(with(&text[..80], "x").unwrap_err(), Error::Malformed);
        assert_eq!(with("no block", "x").unwrap_err(), Error::Missing);
    }

    #[test]
    fn work_is_capped_before_it_is_spent() {
        let kdf = |log_n, r, p| {
            let params = Params::new(log_n, r, p).unwrap();
            Parameters::generate_scrypt_aes256cbc(params, &[1; 16], [2; 16])
                .unwrap()
                .kdf
        };
        assert_eq!(work(&kdf(20, 8, 1)), Ok(ALL));
        for too_much in [kdf(21, 8, 1), kdf(20, 9, 1), kdf(20, 8, 2), kdf(40, 8, 1)] {
            assert_eq!(work(&too_much), Err(Error::ExcessiveWork));
        }
        let steps = |count| {
            Parameters::generate_pbkdf2_sha256_aes256cbc(count, &[1; 16], [2; 16])
                .unwrap()
                .kdf
        };
        assert_eq!(work(&steps(MAX_ITERATIONS)), Ok(ALL));
        assert_eq!(work(&steps(MAX_ITERATIONS + 1)), Err(Error::ExcessiveWork));
    }

    /// Checks the limit on all blocks together, of which each takes 16 MiB five times.
    #[test]
    fn all_blocks_together_have_the_limit_of_one() {
        let block = encrypt(ONE, "x").unwrap();
        let refuse = |count: usize| decrypt(block.repeat(count), || Err(Error::Missing));
        assert_eq!(refuse(12).unwrap_err(), Error::Missing);
        assert_eq!(refuse(13).unwrap_err(), Error::ExcessiveWork);
    }

    /// Checks that the buffer has its final size from the start, since growing would leave a part
    /// of a key behind.
    #[test]
    fn a_key_without_line_breaks_grows() {
        let der = [&[0x30, 0x82, 0x3a, 0x98][..], &[7; 15_000]].concat();
        let one_line = encrypt(&der, "x").unwrap().replace('\n', "");
        let opened = with(&one_line, "x").unwrap();
        assert!(opened.len() > one_line.len());
        assert_eq!(
            opened.capacity(),
            one_line.len() + one_line.len() / WIDTH + 1
        );
    }

    #[test]
    fn der_becomes_pem() {
        let pem = encrypt(ONE, "x").unwrap();
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let der = base64::decode(body.as_bytes()).unwrap();
        assert!(is_in(&der) && !is_in(ONE));
        let opened = with(&der, "x").unwrap();
        assert_eq!(*opened, write_pem("PRIVATE KEY", ONE).as_bytes());
        assert_eq!(with(&der, "y").unwrap_err(), Error::WrongPassphrase);
        assert_eq!(with(ONE, "x").unwrap_err(), Error::Missing);
    }

    /// Alters every byte, which gives an error or other bytes, but no panic.
    #[test]
    fn altered_blocks_are_errors() {
        let sealed = encrypt(&[7; 48], "x").unwrap();
        let body = sealed
            .lines()
            .filter(|line| !line.starts_with('-'))
            .collect::<String>();
        let der = base64::decode(body.as_bytes()).unwrap();
        for at in 0..der.len() {
            let mut bytes = der.to_vec();
            bytes[at] ^= 0x81;
            let text = write_pem(LABEL, &bytes);
            let _ = Encrypted::read(text.trim_start_matches(BEGIN));
        }
    }

    #[test]
    fn long_files_are_refused_before_the_passphrase_is_asked_for() {
        let file = encrypt(&[0x30, 3, 2, 1, 5], "correct horse").unwrap();
        let longest = format!("{file}{}", "#".repeat(MAX_LEN - file.len()));
        let ask = || Ok::<_, Error>(Zeroizing::new("correct horse".to_owned()));
        assert!(decrypt(&longest, ask).is_ok());
        let ask = || -> Result<Zeroizing<String>, Error> { panic!("asked") };
        assert_eq!(decrypt(longest + "#", ask), Err(Error::TooLong));
    }
}
