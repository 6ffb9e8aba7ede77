//! `pqseal jwe seal`.

use clap::{Args, ValueEnum};
use getrandom::SysRng;
use pqseal_formats::{
    Algorithm, PublicKey,
    jwe::{Enc, Recipient, Sealer, Serialization},
};

use crate::{
    error::Error,
    message::{Known, SealArgs, failed, one_of},
};

/// Encrypt to one or several public keys
///
/// Writes one line: the Compact Serialization, the flattened one with --aad, or the general one for
/// several recipients.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::JWE_SEAL))]
pub(super) struct Seal {
    #[command(flatten)]
    common: SealArgs,
    /// How to write the message; if not given, it follows from --aad and the number of recipients
    #[arg(long, value_enum, value_name = "NAME")]
    serialization: Option<Form>,
    /// The content encryption of the -KE algorithms: A128GCM, A256GCM (if not given) or
    /// A128CBC-HS256
    #[arg(long, value_name = "NAME", value_parser = enc)]
    enc: Option<Enc>,
    /// Data that is sent in the clear and authenticated (the JWE AAD); the Compact Serialization
    /// cannot hold it
    #[arg(long, value_name = "TEXT", default_value = "")]
    aad: String,
    /// A member of the protected header, such as typ=JWT; repeat it to give several
    #[arg(long, value_name = "NAME=TEXT", value_parser = member)]
    header: Vec<(String, String)>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Five parts with dots between them
    Compact,
    /// JSON for one recipient
    Flattened,
    /// JSON for several recipients
    General,
}

impl Seal {
    pub(super) fn run(self) -> Result<(), Error> {
        self.common.check(&[])?;
        let keys = self.common.recipients()?;
        let known = self.common.shared.read()?;
        let mut sealer: Option<Sealer<'_>> = None;
        for (alg, key) in &keys {
            let recipient = recipient(*alg, key, &known).map_err(|error| failed(&error))?;
            sealer = Some(match sealer {
                None => Sealer::new(recipient),
                Some(sealer) => sealer.and(recipient),
            });
        }
        let sealer = sealer.ok_or_else(|| Error::usage("--to is missing"))?;
        let token = self.seal(sealer).map_err(|error| match error {
            SealError::Message(error) => failed(&error),
            SealError::Input(error) => error,
        })?;
        self.common.write((token + "\n").as_bytes())
    }

    fn seal(&self, sealer: Sealer<'_>) -> Result<String, SealError> {
        let mut sealer = sealer.aad(self.aad.as_bytes());
        if let Some(enc) = self.enc {
            sealer = sealer.enc(enc);
        }
        for (name, value) in &self.header {
            sealer = sealer.protected(name, value.as_str())?;
        }
        let plaintext = self.common.input.read().map_err(SealError::Input)?;
        let serialization = match self.serialization {
            Some(Form::Compact) => Serialization::Compact,
            Some(Form::Flattened) => Serialization::Flattened,
            Some(Form::General) => Serialization::General,
            None => sealer.serialization(),
        };
        Ok(sealer.seal(serialization, &plaintext, &mut SysRng)?)
    }
}

enum SealError {
    Message(pqseal_formats::Error),
    Input(Error),
}

impl From<pqseal_formats::Error> for SealError {
    fn from(error: pqseal_formats::Error) -> Self {
        Self::Message(error)
    }
}

fn recipient<'k>(
    alg: Algorithm,
    key: &'k PublicKey,
    known: &'k Known,
) -> Result<Recipient<'k>, pqseal_formats::Error> {
    let recipient = Recipient::new(alg, key)?.info(&known.info);
    match known.psk() {
        Some((id, psk)) => recipient.psk(id, psk),
        None => Ok(recipient),
    }
}

fn enc(name: &str) -> Result<Enc, String> {
    Enc::by_name(name).ok_or_else(|| one_of(Enc::ALL.into_iter().map(Enc::name)))
}

fn member(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("a member must be NAME=TEXT, such as typ=JWT")?;
    Ok((name.to_owned(), value.to_owned()))
}
