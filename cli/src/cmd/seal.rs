//! `pqseal seal`: makes a blob that only the holder of the private key can open.

use clap::{Args, ValueEnum};
use getrandom::SysRng;
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::base64;
use pqseal_matched_data::{SealOptions, Sealer};
use std::{ffi::OsString, slice};

use crate::{
    binding::{AllowExperimental, BindingArgs},
    calendar,
    error::Error,
    input::{Source, one_stdin},
    keyfile,
    output::{FileMode, Target},
    recipient::{Recipient, recipient_or_calendar},
    suite::SuiteArg,
};

/// The arguments of `pqseal seal`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A file", "pqseal seal --to public.txt -o report.sealed report.txt"),
    ("A message from a pipe", "echo hello | pqseal seal --to public.txt"),
    ("For one purpose and one record", "pqseal seal --to public.txt --info 'my app' --aad 'record 7' report.txt"),
]))]
pub struct Seal {
    /// The recipient's public key: base64 (x25519), a pqseal-public-key line, or a file with a key
    /// in any format. Of a private key in a file the public half is used; a raw file is read as a
    /// public key. Of a public calendar the key of the current period is used (version 4)
    #[arg(long, value_name = "PUBLIC-KEY-OR-FILE")]
    to: String,
    /// KDF and AEAD by their names or ids in `pqseal suites`; the key's KEM may precede them.
    /// If not given, HKDF-SHA256,ChaCha20Poly1305
    #[arg(long, value_name = "KDF,AEAD")]
    suite: Option<SuiteArg>,
    #[command(flatten)]
    binding: BindingArgs,
    /// The version of the blob; if not given, it follows from the key and the other options
    #[arg(long, value_enum, value_name = "VERSION")]
    blob_version: Option<BlobVersion>,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// Write the blob's bytes instead of base64
    #[arg(long)]
    raw: bool,
    /// Write to this file; it appears only when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// What to seal
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BlobVersion {
    /// Only for x25519, without --suite, --info and --aad
    #[value(name = "3")]
    V3 = 3,
    /// Any KEM and suite
    #[value(name = "4")]
    V4 = 4,
}

impl Seal {
    /// Seals the input.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self) -> Result<(), Error> {
        let recipient = Source::from(OsString::from(&self.to));
        one_stdin(
            [&recipient, &self.input]
                .into_iter()
                .chain(self.binding.sources()),
        )?;
        keyfile::protect(self.output.as_ref(), slice::from_ref(&recipient))?;
        if self.raw && self.output.is_none() && Target::Stdout.is_terminal() {
            return Err(Error::usage(
                "a terminal cannot show a binary blob; add -o FILE, or leave --raw out",
            ));
        }
        let (key, version) = self.key()?;
        let blob = self.seal(&key, version)?;
        let bytes = if self.raw {
            blob
        } else {
            (base64::encode(&blob) + "\n").into_bytes()
        };
        self.output
            .unwrap_or(Target::Stdout)
            .write(&bytes, FileMode::Umask, Overwrite::Allow)
    }

    /// Returns the key to seal to, and the version if it is that of a calendar.
    fn key(&self) -> Result<(AnyPublicKey, Option<u8>), Error> {
        let calendar = match recipient_or_calendar(&self.to, false)? {
            Recipient::Key(key) => return Ok((key, None)),
            Recipient::Calendar(calendar) => calendar,
        };
        if self.blob_version == Some(BlobVersion::V3) {
            return Err(Error::usage(
                "a version 3 blob does not name its key, so nothing is sealed to a calendar in it; leave --blob-version out",
            ));
        }
        let period = calendar::now(&self.to, &calendar)?;
        calendar::warn_of_end(&self.to, &calendar, calendar::WARN_DAYS);
        let key = calendar::public_key(&self.to, &calendar, period)?;
        Ok((key, Some(4)))
    }

    fn seal(&self, recipient: &AnyPublicKey, version: Option<u8>) -> Result<Vec<u8>, Error> {
        let (info, aad) = self.binding.read()?;
        let sealer = self.sealer(recipient, &info, version)?;
        sealer
            .seal(&aad, &self.input.read()?, &mut SysRng)
            .map_err(|error| Error::blob(&error))
    }

    fn sealer(
        &self,
        recipient: &AnyPublicKey,
        info: &[u8],
        version: Option<u8>,
    ) -> Result<Sealer, Error> {
        let suite = self
            .suite
            .map(|suite| suite.of_key(recipient.kem()))
            .transpose()?;
        // An empty info counts as given, and asks for version 4.
        let bound = self.binding.is_given();
        let wanted = self.blob_version.map(|version| version as u8);
        let options = SealOptions {
            version: wanted.or(version).or_else(|| bound.then_some(4)),
            kdf: suite.map(|suite| suite.kdf),
            aead: suite.map(|suite| suite.aead),
            info,
            with_aad: bound,
            policy: self.experimental.policy(),
        };
        Sealer::new(recipient, &options).map_err(|error| match error {
            pqseal_matched_data::Error::NotInVersion3 => Error::usage(
                "a version 3 blob has one suite, no info and no aad; leave --blob-version out, or --suite, --info and --aad",
            ),
            pqseal_matched_data::Error::WrongKem(_) => Error::usage(format!(
                "a version 3 blob is for an x25519 key, and --to is a key of {}; leave --blob-version out, or pass an x25519 key",
                recipient.kem().short_name
            )),
            other => unusable(&other),
        })
    }
}

/// Converts the error of an unsupported option.
pub(super) fn unusable(error: &pqseal_matched_data::Error) -> Error {
    match error {
        pqseal_matched_data::Error::Hpke(pqseal_hpke::Error::UnsupportedSuite(unsupported)) => {
            Error::unsupported(unsupported)
        }
        pqseal_matched_data::Error::Hpke(pqseal_hpke::Error::InputTooLong) => Error::usage(
            "--info is longer than this KDF takes; shorten it, or choose an HKDF with --suite",
        ),
        other => Error::blob(other),
    }
}
