//! `scrypt` (C2SP age.md, "The scrypt recipient type"): a passphrase.

use base64ct::{Base64Unpadded, Encoding};
use std::fmt;
use zeroize::Zeroizing;

use super::{Identity, POST_QUANTUM, Recipient, first_of};
use crate::{Error, FileKey, HeaderError, Stanza, crypto};

const KIND: &str = "scrypt";
const LABEL: &[u8] = b"age-encryption.org/v1/scrypt";

/// The work factor of a new file: 2^18 steps and 256 MiB, as for `age -p`.
pub const DEFAULT_WORK: u8 = 18;
/// The default limit on the work factor of a file: 2^20 steps, some seconds and 1 GiB. rage
/// chooses a work of one second, which is 19 on the fastest machines. Each increment doubles time
/// and memory.
pub const DEFAULT_MAX_WORK: u8 = 20;

/// A passphrase to encrypt with. It is the only recipient of its file.
///
/// ```
/// use std::io::{Read, Write};
/// use pqseal_age::{Decryptor, Encryptor, PassphraseIdentity, PassphraseRecipient};
/// use zeroize::Zeroizing;
///
/// let passphrase = || Zeroizing::new("correct horse battery staple".to_owned());
/// let recipient = PassphraseRecipient::new(passphrase()).with_work(10); // for a quick example
/// let mut encryptor = Encryptor::new(&[&recipient], Vec::new())?;
/// encryptor.write_all(b"hello")?;
/// let file = encryptor.finish()?;
///
/// let identity = PassphraseIdentity::new(passphrase());
/// let mut text = String::new();
/// Decryptor::new(&[&identity], &file[..])?.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PassphraseRecipient {
    passphrase: Zeroizing<String>,
    log_n: u8,
}

impl PassphraseRecipient {
    /// Creates a recipient with [`DEFAULT_WORK`].
    pub fn new(passphrase: Zeroizing<String>) -> Self {
        Self {
            passphrase,
            log_n: DEFAULT_WORK,
        }
    }

    /// Sets the work factor: 2^`log_n` steps, with `log_n` from 1 to 30.
    ///
    /// # Panics
    /// If `log_n` is out of this range.
    #[must_use]
    pub fn with_work(self, log_n: u8) -> Self {
        assert!((1..=30).contains(&log_n), "scrypt takes 2^1 to 2^30 steps");
        Self { log_n, ..self }
    }
}

/// A passphrase to decrypt with.
pub struct PassphraseIdentity {
    passphrase: Zeroizing<String>,
    max: u8,
}

impl PassphraseIdentity {
    /// Creates an identity with [`DEFAULT_MAX_WORK`].
    pub fn new(passphrase: Zeroizing<String>) -> Self {
        Self {
            passphrase,
            max: DEFAULT_MAX_WORK,
        }
    }

    /// Sets the limit on the work factor: 2^`max` steps.
    #[must_use]
    pub fn with_max_work(self, max: u8) -> Self {
        Self { max, ..self }
    }
}

impl Recipient for PassphraseRecipient {
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
        let salt = crypto::random::<16>()?;
        let key = key(&self.passphrase, &salt, self.log_n)?;
        let body = crypto::wrap(&key, file_key)?;
        let salt = Base64Unpadded::encode_string(&salt[..]);
        let args = vec![salt, self.log_n.to_string()];
        Ok(vec![Stanza::new(KIND, args, body)])
    }

    fn labels(&self) -> &[&'static str] {
        POST_QUANTUM
    }

    fn is_passphrase(&self) -> bool {
        true
    }

    /// Returns `true`, since wrapping takes a second of computation, although it asks nobody.
    fn asks(&self) -> bool {
        true
    }
}

impl Identity for PassphraseIdentity {
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error> {
        first_of(KIND, stanzas, |stanza| {
            let [salt, work] = &stanza.args[..] else {
                return Err(HeaderError::Arguments.into());
            };
            let salt = stanza.share(salt)?.try_into();
            let salt = salt.map_err(|_| HeaderError::Arguments)?;
            let (log_n, max) = (work_factor(work)?, self.max);
            crypto::wrapped(&stanza.body)?;
            if log_n > max {
                return Err(Error::ExcessiveWork { log_n, max });
            }
            let key = key(&self.passphrase, &salt, log_n)?;
            match crypto::unwrap(&key, &stanza.body)? {
                Some(file_key) => Ok(Some(file_key)),
                None => Err(Error::WrongPassphrase),
            }
        })
    }
}

impl fmt::Debug for PassphraseRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PassphraseRecipient(2^{})", self.log_n)
    }
}

impl fmt::Debug for PassphraseIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PassphraseIdentity(at most 2^{})", self.max)
    }
}

/// Parses a work factor: a decimal number from 1 to 255 without a sign or a leading zero. Values
/// above 63 cannot be computed.
fn work_factor(text: &str) -> Result<u8, HeaderError> {
    let digits = text.bytes().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
    let number = digits.then(|| text.parse().ok()).flatten();
    number.ok_or(HeaderError::WorkFactor)
}

/// Derives a key by scrypt (RFC 7914) with N = 2^`log_n`, r = 8, p = 1. Uses 2^(`log_n` + 10)
/// bytes of memory.
fn key(passphrase: &str, salt: &[u8; 16], log_n: u8) -> Result<Zeroizing<[u8; 32]>, Error> {
    let salt = [LABEL, salt].concat();
    let params = scrypt::Params::new(log_n, 8, 1).map_err(|_| HeaderError::WorkFactor)?;
    memory_for(log_n)?;
    let mut key = Zeroizing::new([0; 32]);
    scrypt::scrypt(passphrase.as_bytes(), &salt, &params, &mut key[..])
        .map_err(|_| HeaderError::WorkFactor)?;
    Ok(key)
}

/// Checks that there is enough memory for 2^`log_n` steps. The library allocates without a check,
/// and a program without memory aborts.
fn memory_for(log_n: u8) -> Result<(), Error> {
    let bytes = 1_usize.checked_shl(u32::from(log_n) + 10).unwrap_or(0);
    let fits = bytes > 0 && Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    fits.then_some(()).ok_or(Error::Memory { log_n })
}
