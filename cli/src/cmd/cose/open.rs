//! `pqseal cose open`.

use clap::Args;
use pqseal_formats::cose::{Opened, Opener};

use super::{External, bytes};
use crate::{
    error::Error,
    input::Source,
    message::{Answer, OpenArgs, failed},
};

/// Decrypt with a private key
///
/// Reads a COSE_Encrypt0 or COSE_Encrypt message, tagged or not. With --json the answer has the
/// algorithm, the key and the ids that the message names.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::COSE_OPEN))]
pub(super) struct Open {
    #[command(flatten)]
    common: OpenArgs,
    #[command(flatten)]
    external: External,
    /// The file with the ciphertext, if it is not in the message
    #[arg(long, value_name = "FILE")]
    detached: Option<Source>,
}

impl Open {
    pub(super) fn run(self, json: bool) -> Result<(), Error> {
        let mut others = self.external.sources();
        others.extend(&self.detached);
        let keys = self.common.keys(&others)?;
        let allowed = self.common.allowed(&keys)?;
        let known = self.common.shared.read()?;
        let aad = self.external.read()?;
        let mut opener = Opener::new(&allowed).info(&known.info).external_aad(&aad);
        for (_, key) in &keys {
            opener = opener.key(key);
        }
        if let Some((id, psk)) = known.psk() {
            opener = opener.psk(id, psk).require_psk();
        }
        let opened = self.open(&opener)?;
        let answer = answer(&keys[opened.key].0, &opened);
        self.common.write(&answer, json)
    }

    fn open(&self, opener: &Opener<'_>) -> Result<Opened, Error> {
        let message = self.common.input.read()?;
        match &self.detached {
            Some(file) => opener.open_detached(&message, &file.read()?),
            None => opener.open(&message),
        }
        .map_err(|error| failed(&error))
    }
}

fn answer<'a>(key: &'a Source, opened: &'a Opened) -> Answer<'a> {
    let kid = opened.kid.as_deref().map(|kid| bytes("kid", kid));
    let psk_id = opened.psk_id.as_deref().map(|id| bytes("psk_id", id));
    Answer {
        alg: opened.algorithm,
        key,
        recipient: opened.recipient,
        others: kid.into_iter().chain(psk_id).collect(),
        plaintext: &opened.plaintext,
    }
}
