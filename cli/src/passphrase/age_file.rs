//! Decrypts and encrypts key files in the age format (age-encryption.org/v1), armored or not, and
//! asks for the passphrase.

use std::{
    cell::OnceCell,
    fmt,
    io::{Read, Write},
};

use clap::Args;
use pqseal_age::{
    ArmorWriter, DEFAULT_MAX_WORK, Decryptor, Encryptor, Header, HeaderError, Identity, Input,
    PassphraseIdentity, PassphraseRecipient,
};
use pqseal_keys::{KeyText, pbes2};
use zeroize::Zeroizing;

use super::is_encrypted;
use crate::{
    error::Error,
    input::{Source, warn_if_others_read},
};

/// The largest passphrase file, in bytes.
const LIMIT: usize = 4096;

/// The source of the passphrase of a key file.
#[derive(Args, Default)]
pub struct Passphrase {
    /// A file with the passphrase of the key file on its first line, `-` for standard input; if not
    /// given, it is asked for on the terminal
    #[arg(id = "passphrase_file", long = "passphrase-file", value_name = "FILE")]
    file: Option<Source>,
    /// The passphrase, kept because standard input can be read only once.
    #[arg(skip)]
    read: OnceCell<Zeroizing<String>>,
}

impl Passphrase {
    /// Returns the file with the passphrase, if it is in a file.
    pub fn source(&self) -> Option<&Source> {
        self.file.as_ref()
    }

    /// Decrypts `bytes` if they are an age file or encrypted PKCS#8; otherwise returns them. `name`
    /// is for the question and for errors.
    ///
    /// # Errors
    /// If the passphrase is unavailable or wrong, or the file is malformed or asks for too much
    /// work.
    pub fn open(
        &self,
        bytes: Zeroizing<Vec<u8>>,
        name: &Source,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        if pbes2::is_in(&bytes) {
            let decrypted = pbes2::decrypt(&bytes, || self.text(name).map_err(NotOpened::Ask));
            return decrypted.map_err(|error| match error {
                NotOpened::Ask(error) => error,
                NotOpened::Pkcs8(pbes2::Error::WrongPassphrase) => wrong(name),
                NotOpened::Pkcs8(why) => bad(name, why),
            });
        }
        if !is_encrypted(&bytes) {
            return Ok(bytes);
        }
        if !is_under_passphrase(&bytes, name)? {
            return Err(bad(
                name,
                "it is encrypted to an age identity; decrypt it with `pqseal file decrypt -i IDENTITY`, and give that with -k -",
            ));
        }
        decrypt(&bytes, name, &[&self.identity(name)?])
    }

    /// Returns the passphrase in a file.
    pub fn in_file_of(file: Source) -> Self {
        Self {
            file: Some(file),
            read: OnceCell::new(),
        }
    }

    /// Encrypts PKCS#8 in DER under a new passphrase, as PEM. A terminal is asked twice.
    ///
    /// # Errors
    /// As [`Passphrase::seal`].
    pub fn seal_pkcs8(&self, der: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let passphrase = self.ask_twice("no key was written")?;
        let text = pbes2::encrypt(der, &passphrase);
        text.map(|text| Zeroizing::new(text.into_bytes()))
            .map_err(|_| {
                Error::stopped(
                    "rng",
                    "the key was not encrypted; check that the system's random device works",
                )
            })
    }

    /// Encrypts `key` under a new passphrase, as an armored age file. A terminal is asked twice.
    ///
    /// # Errors
    /// If the passphrase is unavailable or empty, or the two answers differ.
    pub fn seal(&self, key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let recipient = self.recipient("no key was made")?;
        let written = encrypt(&recipient, key)
            .map_err(|error| Error::io("encrypt the key", &error.into()))?;
        Ok(Zeroizing::new(written))
    }

    /// Reads the passphrase that decrypts `name`.
    ///
    /// # Errors
    /// If it is unavailable or empty.
    pub fn identity(&self, name: &Source) -> Result<PassphraseIdentity, Error> {
        self.text(name).map(PassphraseIdentity::new)
    }

    /// Reads the passphrase of `name` as text.
    ///
    /// # Errors
    /// As [`Passphrase::identity`].
    pub fn text(&self, name: &Source) -> Result<Zeroizing<String>, Error> {
        self.ask(&format!("Passphrase for {name}: "))
    }

    /// Reads a passphrase to encrypt with. A terminal is asked twice; `undone` says what did not
    /// happen if the answers differ.
    ///
    /// # Errors
    /// If it is unavailable or empty, or the two answers differ.
    pub fn recipient(&self, undone: &str) -> Result<PassphraseRecipient, Error> {
        self.ask_twice(undone).map(PassphraseRecipient::new)
    }

    fn ask_twice(&self, undone: &str) -> Result<Zeroizing<String>, Error> {
        let passphrase = self.ask("New passphrase: ")?;
        if self.file.is_none() && self.ask("The same again: ")? != passphrase {
            return Err(Error::usage(format!(
                "the two passphrases differ, and {undone}; try again"
            )));
        }
        Ok(passphrase)
    }

    fn ask(&self, question: &str) -> Result<Zeroizing<String>, Error> {
        let passphrase = match &self.file {
            Some(file) => self.in_file(file)?,
            None => rpassword::prompt_password(question)
                .map(Zeroizing::new)
                .map_err(|error| {
                    Error::io(
                        "ask for the passphrase on a terminal; put it into a file and name that with --passphrase-file",
                        &error,
                    )
                })?,
        };
        match passphrase.is_empty() {
            true => Err(Error::usage("the passphrase is empty; give one")),
            false => Ok(passphrase),
        }
    }

    fn in_file(&self, file: &Source) -> Result<Zeroizing<String>, Error> {
        if let Some(passphrase) = self.read.get() {
            return Ok(passphrase.clone());
        }
        let bytes = file
            .read_secret(LIMIT)
            .map_err(|error| file.unreadable(&error))?;
        let text = KeyText::new(&bytes).map_err(|error| error.to_string());
        let text = text.as_ref().map_err(String::as_str).and_then(|text| {
            let text = text.text().filter(|_| bytes.len() <= LIMIT);
            text.ok_or("it is not text, or larger than 4 KiB")
        });
        let text =
            text.map_err(|why| Error::usage(format!("{file} is not a passphrase: {why}")))?;
        let line = text.lines().next().unwrap_or_default();
        warn_if_others_read(file, "passphrase");
        let passphrase = self.read.get_or_init(|| Zeroizing::new(line.to_owned()));
        Ok(passphrase.clone())
    }
}

/// Reports whether an age file is encrypted under a passphrase.
///
/// # Errors
/// If it is malformed.
pub fn is_under_passphrase(bytes: &[u8], name: &Source) -> Result<bool, Error> {
    let mut input = Input::new(bytes).map_err(|error| failed(name, &error.into()))?;
    let header = Header::read(&mut input).map_err(|error| failed(name, &error))?;
    let mut stanzas = header.stanzas().iter();
    Ok(stanzas.any(|stanza| stanza.kind == "scrypt"))
}

/// Decrypts an age file, into a buffer that does not grow.
///
/// # Errors
/// If none of the identities opens it, or it is malformed.
pub fn decrypt(
    bytes: &[u8],
    name: &Source,
    identities: &[&dyn Identity],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut text = Zeroizing::new(Vec::with_capacity(bytes.len()));
    let mut read = || {
        let mut input = Input::new(bytes)?;
        let header = Header::read(&mut input)?;
        let key = header.open(identities)?;
        let decryptor = Decryptor::with_key(&key, input)?;
        Ok(decryptor.take(bytes.len() as u64).read_to_end(&mut text)?)
    };
    read().map_err(|error| failed(name, &error))?;
    Ok(text)
}

fn encrypt(recipient: &PassphraseRecipient, key: &[u8]) -> Result<Vec<u8>, pqseal_age::Error> {
    let mut file = Encryptor::new(&[recipient], ArmorWriter::new(Vec::new())?)?;
    file.write_all(key)?;
    Ok(file.finish()?.finish()?)
}

/// The reason why PKCS#8 does not open: an error of the passphrase, or of the key.
enum NotOpened {
    Ask(Error),
    Pkcs8(pbes2::Error),
}

impl From<pbes2::Error> for NotOpened {
    fn from(why: pbes2::Error) -> Self {
        Self::Pkcs8(why)
    }
}

/// Describes an error of a key file. The library's sentences are for files of any kind.
fn failed(name: &Source, error: &pqseal_age::Error) -> Error {
    match error {
        pqseal_age::Error::WrongPassphrase => wrong(name),
        pqseal_age::Error::ExcessiveWork { log_n, .. } => bad(
            name,
            format_args!(
                "its passphrase needs 2^{log_n} steps of scrypt, and the limit is 2^{DEFAULT_MAX_WORK} (1 GiB of \
                 memory); decrypt it with `age -d`, and encrypt it again with `age -p`"
            ),
        ),
        pqseal_age::Error::NoMatch => bad(name, "it is encrypted to other age identities"),
        pqseal_age::Error::Header(HeaderError::Version) => bad(
            name,
            "it is of a later version of age; decrypt it with `age -d`",
        ),
        error => bad(name, format_args!("{error}; copy it again")),
    }
}

/// Makes the error of a wrong passphrase.
pub fn wrong(name: &Source) -> Error {
    Error::incomplete(
        "wrong_passphrase",
        format!(
            "the passphrase does not open {name}; try again, or check the file of --passphrase-file"
        ),
    )
}

fn bad(name: &Source, why: impl fmt::Display) -> Error {
    Error::incomplete("bad_key", format!("cannot use the key in {name}: {why}"))
}
