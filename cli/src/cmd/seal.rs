//! `pqseal seal`: a blob that only the holder of the private key opens.

use clap::{Args, ValueEnum};
use envelope::{
    DEFAULT_SUITE, Sealer, SealerV4, base64,
    hpke::{self, AnyPublicKey, SuiteId},
    keys,
};
use getrandom::SysRng;
use std::{ffi::OsString, path::Path, slice};

use crate::{
    binding::{AllowExperimental, BindingArgs},
    error::{Error, Exit},
    input::{Source, one_stdin},
    keyfile,
    output::{FileMode, Overwrite, Target},
    suite::SuiteArg,
};

/// The arguments of `pqseal seal`.
#[derive(Args)]
pub struct Seal {
    /// The recipient's public key: base64 (x25519), a pqseal-public-key line, or a file with a key
    /// in any form. Of a file with a private key its public half is used; a raw file is taken
    /// as a public key
    #[arg(long, value_name = "PUBLIC-KEY-OR-FILE")]
    to: String,
    /// KDF and AEAD by their names or ids in `pqseal suites`; the key's KEM may stand before them.
    /// If not given, HKDF-SHA256,ChaCha20Poly1305
    #[arg(long, value_name = "KDF,AEAD")]
    suite: Option<SuiteArg>,
    #[command(flatten)]
    binding: BindingArgs,
    /// The format, if not the one that the key and the other options ask for
    #[arg(long, value_enum, value_name = "VERSION")]
    blob_version: Option<BlobVersion>,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// Write the blob's bytes instead of base64
    #[arg(long)]
    raw: bool,
    /// Write to this file; it appears whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// What to seal
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BlobVersion {
    /// x25519 alone, without --suite, --info and --aad
    #[value(name = "3")]
    V3,
    /// Any KEM and suite
    #[value(name = "4")]
    V4,
}

impl Seal {
    /// Runs it.
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
        let blob = self.seal(&self::recipient(&self.to)?)?;
        let bytes = if self.raw {
            blob
        } else {
            (base64::encode(&blob) + "\n").into_bytes()
        };
        self.output
            .unwrap_or(Target::Stdout)
            .write(&bytes, FileMode::Umask, Overwrite::Allow)
    }

    fn seal(&self, recipient: &AnyPublicKey) -> Result<Vec<u8>, Error> {
        let blob = match self.v3(recipient)? {
            Some(sealer) => sealer.seal(&self.input.read()?, &mut SysRng),
            None => {
                let (sealer, aad) = self.v4(recipient)?;
                sealer.seal(&aad, &self.input.read()?, &mut SysRng)
            }
        };
        blob.map_err(|error| Error::blob(&error))
    }

    /// The sealer of version 3, if that is the format to write.
    fn v3(&self, recipient: &AnyPublicKey) -> Result<Option<Sealer>, Error> {
        let wanted = self.blob_version == Some(BlobVersion::V3);
        let describes_itself = self.suite.is_some() || self.binding.is_given();
        match Sealer::new(recipient) {
            _ if self.blob_version == Some(BlobVersion::V4) => Ok(None),
            _ if wanted && describes_itself => Err(Error::usage(
                "a version 3 blob has one suite, no info and no aad; leave --blob-version out, or --suite, --info and --aad",
            )),
            _ if describes_itself => Ok(None),
            Err(envelope::Error::WrongKem(_)) if wanted => Err(Error::usage(format!(
                "a version 3 blob is for an x25519 key, and --to is a key of {}; leave --blob-version out, or pass an x25519 key",
                recipient.kem().short_name
            ))),
            Err(envelope::Error::WrongKem(_)) => Ok(None),
            sealer => sealer.map(Some).map_err(|error| Error::blob(&error)),
        }
    }

    fn v4(&self, recipient: &AnyPublicKey) -> Result<(SealerV4, Vec<u8>), Error> {
        let kem = recipient.kem();
        let default = SuiteId {
            kem: kem.id,
            ..DEFAULT_SUITE
        };
        let suite = self.suite.map_or(Ok(default), |suite| suite.of_key(kem))?;
        let (info, aad) = self.binding.read()?;
        let sealer = SealerV4::new(
            recipient,
            suite.kdf,
            suite.aead,
            &info,
            &self.experimental.policy(),
        );
        Ok((sealer.map_err(|error| unusable(&error))?, aad))
    }
}

/// The public key that `--to` names or is.
pub(super) fn recipient(to: &str) -> Result<AnyPublicKey, Error> {
    read_recipient(to).map_err(Error::stops)
}

fn read_recipient(to: &str) -> Result<AnyPublicKey, Error> {
    let source = Source::from(OsString::from(to));
    if source == Source::Stdin || Path::new(to).exists() {
        return keyfile::public(&source, None);
    }
    if to.contains("pqseal-private-key:") || to.contains("PRIVATE KEY") {
        return Err(Error::usage(
            "--to is a private key; other users can see it on a command line, so make a new one and pass its public key",
        ));
    }
    keys::read_public(to, None).map_err(|error| {
        let message = format!("--to is neither a file that exists nor a public key: {error}");
        Error {
            exit: Exit::Incomplete,
            code: "bad_key",
            message,
        }
    })
}

/// What an option asked for cannot be had.
pub(super) fn unusable(error: &envelope::Error) -> Error {
    match error {
        envelope::Error::Hpke(hpke::Error::UnsupportedSuite(unsupported)) => {
            Error::unsupported(unsupported)
        }
        envelope::Error::Hpke(hpke::Error::InputTooLong) => Error::usage(
            "--info is longer than this KDF takes; shorten it, or choose an HKDF with --suite",
        ),
        other => Error::blob(other),
    }
}
