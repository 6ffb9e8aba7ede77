//! PKCS#8 under a passphrase (RFC 5958, section 3, with PBES2 of RFC 8018): PEM with the label
//! `ENCRYPTED PRIVATE KEY`, as `openssl pkcs8` reads and writes it.

use envelope::base64;
use getrandom::{SysRng, rand_core::TryRng};
use pkcs5::{
    EncryptionScheme,
    der::{
        self, Decode, Encode, Reader, SliceReader, Tag, Tagged,
        asn1::{AnyRef, OctetStringRef},
    },
    pbes2::{Kdf, Parameters},
    scrypt::Params,
};
use zeroize::Zeroizing;

const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
/// Characters in a line of base64 (RFC 7468, section 2).
const WIDTH: usize = 64;

/// The most steps of PBKDF2 that are done: some seconds.
const MAX_ITERATIONS: u32 = 10_000_000;
/// The most that scrypt may take: 1 GiB at once, and 2^20 blocks of 1 KiB in all, as for age files.
const MAX_SCRYPT: u64 = 1 << 30;

/// scrypt of a new key file: 16 MiB five times. OpenSSL does not take more than 32 MiB.
const LOG_N: u8 = 14;
const R: u32 = 8;
const P: u32 = 5;

/// Why a block does not open.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It is not such a key, or was cut.
    Malformed,
    /// Its cipher or its derivation of a key from the passphrase is not supported, such as 3DES.
    Unsupported,
    /// It asks for more work than is done.
    ExcessiveWork,
    /// The passphrase is wrong, or the block was altered.
    Passphrase,
}

/// Whether a file has such a key.
pub(super) fn is_in(file: &[u8]) -> bool {
    file.windows(BEGIN.len())
        .any(|part| part == BEGIN.as_bytes())
}

/// The text with each such key decrypted where it stands. `ask` is called once, for all of them.
pub(super) fn open<E: From<Failure>>(
    text: &str,
    ask: impl FnOnce() -> Result<Zeroizing<String>, E>,
) -> Result<Zeroizing<Vec<u8>>, E> {
    let blocks: Vec<Encrypted> = text
        .split(BEGIN)
        .skip(1)
        .map(Encrypted::read)
        .collect::<Result<_, Failure>>()?;
    let passphrase = ask()?;
    // A decrypted key is shorter than the encrypted one.
    let mut opened = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut rest = text;
    for block in blocks {
        let (before, after) = rest.split_once(BEGIN).ok_or(Failure::Malformed)?;
        let (_, after) = after.split_once(END).ok_or(Failure::Malformed)?;
        opened.extend_from_slice(before.as_bytes());
        let pem = pem("PRIVATE KEY", &block.decrypt(&passphrase)?);
        opened.extend_from_slice(pem.trim_end().as_bytes());
        rest = after;
    }
    opened.extend_from_slice(rest.as_bytes());
    Ok(opened)
}

/// PKCS#8 in DER, encrypted, as PEM.
pub(super) fn seal(der: &[u8], passphrase: &str) -> Result<String, Failure> {
    let mut random = [0; 32];
    SysRng
        .try_fill_bytes(&mut random)
        .map_err(|_| Failure::Unsupported)?;
    let (salt, iv) = random.split_at(16);
    let iv = iv.try_into().map_err(|_| Failure::Malformed)?;
    let params = Params::new(LOG_N, R, P).map_err(|_| Failure::Unsupported)?;
    let scheme = Parameters::generate_scrypt_aes256cbc(params, salt, iv);
    let scheme = EncryptionScheme::from(scheme.map_err(|_| Failure::Unsupported)?);
    let data = scheme
        .encrypt(passphrase, der)
        .map_err(|_| Failure::Unsupported)?;
    let whole = write(&scheme, &data).map_err(|_| Failure::Malformed)?;
    Ok(pem("ENCRYPTED PRIVATE KEY", &whole).to_string())
}

/// EncryptedPrivateKeyInfo: a SEQUENCE of scheme and OCTET STRING.
fn write(scheme: &EncryptionScheme, data: &[u8]) -> der::Result<Vec<u8>> {
    let mut content = scheme.to_der()?;
    content.extend(OctetStringRef::new(data)?.to_der()?);
    AnyRef::new(Tag::Sequence, &content)?.to_der()
}

struct Encrypted {
    scheme: EncryptionScheme,
    data: Vec<u8>,
}

impl Encrypted {
    /// What follows [`BEGIN`]. The work that it asks for is checked before any is done.
    fn read(text: &str) -> Result<Self, Failure> {
        let (body, _) = text.split_once(END).ok_or(Failure::Malformed)?;
        let der = base64::decode(body.as_bytes()).map_err(|_| Failure::Malformed)?;
        let (scheme, data) = parts(&der).map_err(|_| Failure::Malformed)?;
        let scheme = EncryptionScheme::from_der(&scheme).map_err(|_| Failure::Unsupported)?;
        let block = Self { scheme, data };
        let params = block.scheme.pbes2().ok_or(Failure::Unsupported)?;
        check_work(&params.kdf)?;
        Ok(block)
    }

    fn decrypt(&self, passphrase: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
        match self.scheme.decrypt(passphrase, &self.data) {
            Ok(der) => {
                let der = Zeroizing::new(der);
                // To one wrong passphrase in 256 the padding is right.
                match AnyRef::from_der(&der) {
                    Ok(any) if any.tag() == Tag::Sequence => Ok(der),
                    _ => Err(Failure::Passphrase),
                }
            }
            Err(pkcs5::Error::DecryptFailed) => Err(Failure::Passphrase),
            Err(_) => Err(Failure::Unsupported),
        }
    }
}

/// The DER of the scheme, and the encrypted bytes.
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

fn check_work(kdf: &Kdf) -> Result<(), Failure> {
    let allowed = match kdf {
        Kdf::Pbkdf2(params) => params.iteration_count <= MAX_ITERATIONS,
        Kdf::Scrypt(params) => {
            if !params.cost_parameter.is_power_of_two() || params.cost_parameter < 2 {
                return Err(Failure::Malformed);
            }
            let sizes = [params.block_size, params.parallelization].map(u64::from);
            let work = sizes
                .iter()
                .try_fold(128_u64, |work, &size| work.checked_mul(size));
            let work = work.and_then(|work| work.checked_mul(params.cost_parameter));
            work.is_some_and(|work| (1..=MAX_SCRYPT).contains(&work))
        }
        _ => return Err(Failure::Unsupported),
    };
    allowed.then_some(()).ok_or(Failure::ExcessiveWork)
}

fn pem(label: &str, der: &[u8]) -> Zeroizing<String> {
    let encoded = Zeroizing::new(base64::encode(der));
    let size = encoded.len() + encoded.len().div_ceil(WIDTH) + 2 * (label.len() + 20);
    let mut text = Zeroizing::new(String::with_capacity(size));
    text.extend(["-----BEGIN ", label, "-----\n"]);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(WIDTH));
        text.extend([line, "\n"]);
        rest = after;
    }
    text.extend(["-----END ", label, "-----\n"]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[u8] = &[0x30, 3, 2, 1, 5];
    const TWO: &[u8] = &[0x30, 0];

    fn with(text: &str, passphrase: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
        open(text, || Ok(Zeroizing::new(passphrase.to_owned())))
    }

    #[test]
    fn blocks_are_decrypted_where_they_stand() {
        let [first, second] = [ONE, TWO].map(|der| seal(der, "x").unwrap());
        assert!(is_in(first.as_bytes()) && !is_in(b"-----BEGIN PRIVATE KEY-----"));
        let text = format!("# label\n{first}\n# other\r\n{second}end");
        let opened = with(&text, "x").unwrap();
        let expected = format!(
            "# label\n{}\n# other\r\n{}end",
            *pem("PRIVATE KEY", ONE),
            *pem("PRIVATE KEY", TWO)
        );
        assert_eq!(str::from_utf8(&opened).unwrap(), expected);
        assert_eq!(with(&text, "y").unwrap_err(), Failure::Passphrase);
        assert_eq!(with(&text[..80], "x").unwrap_err(), Failure::Malformed);
    }

    #[test]
    fn work_is_capped_before_it_is_spent() {
        let kdf = |log_n, r, p| {
            let params = Params::new(log_n, r, p).unwrap();
            Parameters::generate_scrypt_aes256cbc(params, &[1; 16], [2; 16])
                .unwrap()
                .kdf
        };
        assert_eq!(check_work(&kdf(20, 8, 1)), Ok(()));
        for too_much in [kdf(21, 8, 1), kdf(20, 9, 1), kdf(20, 8, 2), kdf(40, 8, 1)] {
            assert_eq!(check_work(&too_much), Err(Failure::ExcessiveWork));
        }
        let steps = |count| {
            Parameters::generate_pbkdf2_sha256_aes256cbc(count, &[1; 16], [2; 16])
                .unwrap()
                .kdf
        };
        assert_eq!(check_work(&steps(MAX_ITERATIONS)), Ok(()));
        assert_eq!(
            check_work(&steps(MAX_ITERATIONS + 1)),
            Err(Failure::ExcessiveWork)
        );
    }

    /// Each byte altered: an error or other bytes, and no panic.
    #[test]
    fn altered_blocks_are_errors() {
        let sealed = seal(&[7; 48], "x").unwrap();
        let body = sealed
            .lines()
            .filter(|line| !line.starts_with('-'))
            .collect::<String>();
        let der = base64::decode(body.as_bytes()).unwrap();
        for at in 0..der.len() {
            let mut bytes = der.to_vec();
            bytes[at] ^= 0x81;
            let text = pem("ENCRYPTED PRIVATE KEY", &bytes);
            let _ = Encrypted::read(text.trim_start_matches(BEGIN));
        }
    }
}
