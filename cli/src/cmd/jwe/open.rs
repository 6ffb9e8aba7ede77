//! `pqseal jwe open`.

use clap::Args;
use pqseal_formats::jwe::{Header, Opened, Opener};
use serde_json::{Map, Value};

use crate::{
    error::Error,
    input::Source,
    message::{Answer, OpenArgs, failed, text_or_base64},
};

/// Decrypt with a private key
///
/// Reads a JWE in any serialization. With --json the answer has the algorithm, the key, the header
/// and the aad.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::JWE_OPEN))]
pub(super) struct Open {
    #[command(flatten)]
    common: OpenArgs,
}

impl Open {
    pub(super) fn run(self, json: bool) -> Result<(), Error> {
        let keys = self.common.keys(&[])?;
        let allowed = self.common.allowed(&keys)?;
        let known = self.common.shared.read()?;
        let mut opener = Opener::new(&allowed).info(&known.info);
        for (_, key) in &keys {
            opener = opener.key(key);
        }
        if let Some((id, psk)) = known.psk() {
            opener = opener.psk(id, psk).require_psk();
        }
        let opened = opener.open(&self.common.text()?);
        let opened = opened.map_err(|error| failed(&error))?;
        let answer = answer(&keys[opened.key].0, &opened);
        self.common.write(&answer, json)
    }
}

fn answer<'a>(key: &'a Source, opened: &'a Opened) -> Answer<'a> {
    let mut others = vec![("header", object(&opened.header))];
    if !opened.aad.is_empty() {
        others.push(text_or_base64("aad", "aad_base64", &opened.aad));
    }
    Answer {
        alg: opened.algorithm,
        key,
        recipient: opened.recipient,
        others,
        plaintext: &opened.plaintext,
    }
}

/// Returns a header as a JSON object.
pub(super) fn object(header: &Header) -> Value {
    let members = header.iter();
    let members = members.map(|(name, value)| (name.to_owned(), value.clone()));
    Value::Object(members.collect::<Map<_, _>>())
}
