//! Decrypts and encrypts key files in the age format (age-encryption.org/v1), armored or not, and
//! asks for the passphrase.

use std::{
    cell::OnceCell,
    fmt,
    io::{self, Read, Write},
    iter,
};

use age::{
    DecryptError, Decryptor, Encryptor,
    armor::{ArmoredReader, ArmoredWriter, Format},
    scrypt::{Identity, Recipient},
    secrecy::{ExposeSecret, SecretString},
};
use clap::Args;
use zeroize::Zeroizing;

use super::is_encrypted;
use crate::{
    error::{Error, Exit},
    input::{Source, warn_if_others_read},
};

/// The work of scrypt that is asked of whoever guesses: 2^18 steps and 256 MiB, as `age -p` asks
/// for.
const WORK: u8 = 18;
/// The most that is done for a file: 2^20 steps, some seconds and 1 GiB. rage makes files that cost
/// a second of work, which is 19 on the fastest machines; each step beyond doubles time and memory.
const MAX_WORK: u8 = 20;
/// The largest passphrase file, in bytes.
const LIMIT: usize = 4096;

/// Where the passphrase of a key file comes from.
#[derive(Args, Default)]
pub struct Passphrase {
    /// A file with the passphrase of the key file on its first line, `-` for standard input; if
    /// not given, a terminal is asked
    #[arg(long = "passphrase-file", value_name = "FILE")]
    file: Option<Source>,
    /// It can be read once from standard input, and may open several files.
    #[arg(skip)]
    read: OnceCell<SecretString>,
}

impl Passphrase {
    /// The file that it is in, if it is in one.
    pub fn source(&self) -> Option<&Source> {
        self.file.as_ref()
    }

    /// What `bytes` hold, if they are an age file, or else themselves. `name` is for the question
    /// and for errors.
    ///
    /// # Errors
    /// If the passphrase cannot be had or is wrong, or the file is no such file or asks for too
    /// much work.
    pub fn open(
        &self,
        bytes: Zeroizing<Vec<u8>>,
        name: &Source,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        if !is_encrypted(&bytes) {
            return Ok(bytes);
        }
        let encrypted = Decryptor::new_buffered(ArmoredReader::new(bytes.trim_ascii_start()));
        let encrypted = encrypted.map_err(|error| failed(name, &error))?;
        if !encrypted.is_scrypt() {
            return Err(bad(
                name,
                "it is encrypted to an age identity; decrypt it with `age -d -i IDENTITY`, and give that with -k -",
            ));
        }
        let mut identity = Identity::new(self.ask(&format!("Passphrase for {name}: "))?);
        identity.set_max_work_factor(MAX_WORK);
        let mut text = Zeroizing::new(Vec::with_capacity(bytes.len()));
        let plaintext = encrypted
            .decrypt(iter::once(&identity as _))
            .map_err(|error| failed(name, &error))?;
        plaintext
            .take(bytes.len() as u64)
            .read_to_end(&mut text)
            .map_err(|_| altered(name))?;
        Ok(text)
    }

    /// `text` under a new passphrase, as an armored age file. A terminal is asked twice.
    ///
    /// # Errors
    /// If the passphrase cannot be had, is empty, or is not typed twice alike.
    pub fn seal(&self, text: &str) -> Result<Zeroizing<String>, Error> {
        let passphrase = self.ask("New passphrase: ")?;
        if self.file.is_none()
            && self.ask("The same again: ")?.expose_secret() != passphrase.expose_secret()
        {
            return Err(Error::usage(
                "the two passphrases differ, and no key was made; try again",
            ));
        }
        let mut recipient = Recipient::new(passphrase);
        recipient.set_work_factor(WORK);
        let written =
            encrypt(&recipient, text).map_err(|error| Error::io("encrypt the key", &error))?;
        Ok(Zeroizing::new(written))
    }

    fn ask(&self, question: &str) -> Result<SecretString, Error> {
        let passphrase = match &self.file {
            Some(file) => self.in_file(file)?,
            None => rpassword::prompt_password(question)
                .map(SecretString::from)
                .map_err(|error| no_terminal(&error))?,
        };
        match passphrase.expose_secret().is_empty() {
            true => Err(Error::usage("the passphrase is empty; give one")),
            false => Ok(passphrase),
        }
    }

    fn in_file(&self, file: &Source) -> Result<SecretString, Error> {
        if let Some(passphrase) = self.read.get() {
            return Ok(passphrase.clone());
        }
        let bytes = file
            .read_secret(LIMIT)
            .map_err(|error| file.unreadable(&error))?;
        let text = str::from_utf8(&bytes).ok().filter(|_| bytes.len() <= LIMIT);
        let line = text.map(|text| text.lines().next().unwrap_or_default());
        let line = line.ok_or_else(|| {
            Error::usage(format!(
                "{file} is no passphrase: it is not text, or larger than 4 KiB"
            ))
        })?;
        warn_if_others_read(file, "passphrase");
        Ok(self.read.get_or_init(|| line.into()).clone())
    }
}

fn encrypt(recipient: &Recipient, text: &str) -> io::Result<String> {
    let encryptor =
        Encryptor::with_recipients(iter::once(recipient as _)).map_err(io::Error::other)?;
    let mut file =
        encryptor.wrap_output(ArmoredWriter::wrap_output(Vec::new(), Format::AsciiArmor)?)?;
    file.write_all(text.as_bytes())?;
    String::from_utf8(file.finish()?.finish()?).map_err(io::Error::other)
}

/// age's own sentences are made for its programs.
fn failed(name: &Source, error: &DecryptError) -> Error {
    match error {
        DecryptError::DecryptionFailed
        | DecryptError::KeyDecryptionFailed
        | DecryptError::NoMatchingKeys => Error {
            exit: Exit::Incomplete,
            code: "wrong_passphrase",
            message: format!(
                "the passphrase does not open {name}; try again, or check the file of --passphrase-file"
            ),
        },
        DecryptError::ExcessiveWork { required, .. } => bad(
            name,
            format_args!(
                "its passphrase asks for 2^{required} steps of scrypt, and 2^{MAX_WORK} (1 GiB of memory) are the most that are \
                 done; decrypt it with `age -d`, and encrypt it again with `age -p`"
            ),
        ),
        DecryptError::UnknownFormat => bad(
            name,
            "it is of a later version of age; decrypt it with `age -d`",
        ),
        _ => altered(name),
    }
}

fn altered(name: &Source) -> Error {
    bad(
        name,
        "it is an age file that was cut or altered; copy it again",
    )
}

fn bad(name: &Source, why: impl fmt::Display) -> Error {
    Error {
        exit: Exit::Incomplete,
        code: "bad_key",
        message: format!("cannot use the key in {name}: {why}"),
    }
}

fn no_terminal(error: &io::Error) -> Error {
    Error::io(
        "ask for the passphrase on a terminal; give a file with it by --passphrase-file",
        error,
    )
}
