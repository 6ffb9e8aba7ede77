//! `pqseal cose seal`.

use clap::Args;
use getrandom::SysRng;
use pqseal_atomic_file::Overwrite;
use pqseal_formats::{
    Algorithm, PublicKey,
    cose::{ContentAlgorithm, Recipient, Sealer},
};

use super::External;
use crate::{
    error::Error,
    message::{Known, SealArgs, failed, one_of},
    output::{FileMode, Target},
};

/// Encrypt to one or several public keys
///
/// Writes a tagged COSE_Encrypt0 message, or COSE_Encrypt with a -KE algorithm, in CBOR.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::COSE_SEAL))]
pub(super) struct Seal {
    #[command(flatten)]
    common: SealArgs,
    #[command(flatten)]
    external: External,
    /// The content encryption of the -KE algorithms: A128GCM, A256GCM (if not given) or
    /// ChaCha20/Poly1305
    #[arg(long, value_name = "NAME", value_parser = content)]
    enc: Option<ContentAlgorithm>,
    /// Write the ciphertext to this file, and leave it out of the message
    #[arg(long, value_name = "FILE")]
    detached: Option<Target>,
}

impl Seal {
    pub(super) fn run(self) -> Result<(), Error> {
        self.common.check(&self.external.sources())?;
        let stdout = |target: &Target| target == &Target::Stdout;
        if self.detached.as_ref().is_some_and(stdout) || self.common.target().is_terminal() {
            return Err(Error::usage(
                "a COSE message is CBOR, which a terminal cannot show; add -o FILE (and a file for --detached)",
            ));
        }
        if let Some(detached) = &self.detached {
            self.common.check_output("--detached", detached)?;
        }
        let keys = self.common.recipients()?;
        let known = self.common.shared.read()?;
        let aad = self.external.read()?;
        let mut sealer: Option<Sealer<'_>> = None;
        for (alg, key) in &keys {
            let recipient = recipient(*alg, key, &known).map_err(|error| failed(&error))?;
            sealer = Some(match sealer {
                None => Sealer::new(recipient),
                Some(sealer) => sealer.and(recipient),
            });
        }
        let sealer = sealer.ok_or_else(|| Error::usage("--to is missing"))?;
        let sealer = sealer.external_aad(&aad);
        self.write(match self.enc {
            Some(content) => sealer.content(content),
            None => sealer,
        })
    }

    fn write(&self, sealer: Sealer<'_>) -> Result<(), Error> {
        let plaintext = self.common.input.read()?;
        let failed = |error| failed(&error);
        let Some(target) = &self.detached else {
            let message = sealer.seal(&plaintext, &mut SysRng).map_err(failed)?;
            return self.common.write(&message);
        };
        let sealed = sealer.seal_detached(&plaintext, &mut SysRng);
        let (message, ciphertext) = sealed.map_err(failed)?;
        target.write(&ciphertext, FileMode::Umask, Overwrite::Allow)?;
        self.common.write(&message)
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

fn content(name: &str) -> Result<ContentAlgorithm, String> {
    let names = ContentAlgorithm::ALL
        .into_iter()
        .map(ContentAlgorithm::name);
    ContentAlgorithm::by_name(name).ok_or_else(|| one_of(names))
}
