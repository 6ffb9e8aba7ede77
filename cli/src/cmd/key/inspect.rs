//! `pqseal key inspect`: which keys a file holds.

use clap::Args;
use pqseal_hpke::{AnyPublicKey, DynKem};
use pqseal_keys::{Entry, Fingerprint, KeyText};
use pqseal_sealed::Kind;
use serde_json::json;

use crate::{
    error::{Error, warn},
    escape,
    input::Source,
    keyfile::{self, Privates, Raw},
    named_key::KeyMaterial,
    output::to_stdout,
    passphrase::Passphrase,
    suite,
};

/// Show which keys a file holds, without a secret
///
/// Prints the half, the KEM, the key id and the fingerprint of each key, and its label. A raw key
/// does not say which half it is: --raw-private or --raw-public does.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::KEY_INSPECT))]
pub(super) struct Inspect {
    /// The key file
    #[arg(value_name = "KEYFILE")]
    key: Source,
    /// The KEM of a raw key, x25519 if not given
    #[arg(long, value_name = "NAME", value_parser = suite::kem)]
    kem: Option<&'static DynKem>,
    #[command(flatten)]
    raw: Raw,
    #[command(flatten)]
    passphrase: Passphrase,
}

/// A key of a file.
struct Shown {
    half: &'static str,
    key: AnyPublicKey,
    label: Option<String>,
}

impl Inspect {
    pub(super) fn run(self, json: bool) -> Result<(), Error> {
        let keys = self.keys()?;
        let keys = keys
            .iter()
            .map(|key| if json { key.json() } else { key.text() });
        let keys: Vec<_> = keys.collect();
        to_stdout(keys.join(if json { "" } else { "\n" }).as_bytes())
    }

    fn keys(&self) -> Result<Vec<Shown>, Error> {
        let bytes = keyfile::read_secret_bytes(&self.key, &self.passphrase)?;
        let text = KeyText::new(&bytes).ok();
        let entries: Vec<_> = (text.iter().flat_map(KeyText::entries).take(2)).collect();
        if entries.len() == 2
            && let Privates::Keys(found) =
                keyfile::several(&self.key, bytes.clone(), &self.passphrase)?
        {
            found.skipped.warn(&self.key);
            let count = |kind| {
                (found.others.iter())
                    .filter(|key| key.kind() == kind)
                    .count()
            };
            let (rsa, age) = (count(Kind::AiGateway), count(Kind::Age));
            if rsa > 0 {
                let why = "not shown, since RSA is no KEM of HPKE";
                warn("rsa", format_args!("{}, RSA keys: {rsa}, {why}", self.key));
            }
            if age > 0 {
                let why = "not shown; `pqseal file keygen -y` prints their recipients";
                warn(
                    "age_identity",
                    format_args!("{}, age identities: {age}, {why}", self.key),
                );
            }
            let found = found.keys.into_iter().map(|found| {
                let key = KeyMaterial::Private(pqseal_formats::PrivateKey::new(found.key));
                self.shown(key, found.label)
            });
            return found.collect();
        }
        let key = keyfile::either_in(&self.key, &bytes, self.kem, self.raw.half())?;
        let label = entries.first().and_then(Entry::label);
        Ok(vec![self.shown(key, label)?])
    }

    fn shown(&self, key: KeyMaterial, label: Option<String>) -> Result<Shown, Error> {
        let half = match &key {
            KeyMaterial::Private(_) => "private",
            KeyMaterial::Public(_) => "public",
        };
        let key = key.into_public();
        let key = key.map_err(|error| Error::named_key(&self.key, &error))?;
        Ok(Shown {
            half,
            key: key.key().clone(),
            label,
        })
    }
}

impl Shown {
    fn text(&self) -> String {
        let (kem, fingerprint) = (self.key.kem(), Fingerprint::of(&self.key));
        let label = self
            .label
            .as_ref()
            .map(|label| format!("label:       {}\n", escape::bytes(label.as_bytes())));
        format!(
            "half:        {}\nkem:         {} ({}, {:#06x})\nkey id:      {}\nfingerprint: {fingerprint}\n{}",
            self.half,
            kem.short_name,
            kem.name,
            kem.id,
            fingerprint.key_id(),
            label.unwrap_or_default(),
        )
    }

    fn json(&self) -> String {
        let (kem, fingerprint) = (self.key.kem(), Fingerprint::of(&self.key));
        let shown = json!({
            "half": self.half,
            "kem": kem.short_name,
            "kem_id": format!("{:#06x}", kem.id),
            "key_id": fingerprint.key_id().to_string(),
            "fingerprint": fingerprint.to_string(),
            "label": self.label,
        });
        escape::json(&shown.to_string()) + "\n"
    }
}
