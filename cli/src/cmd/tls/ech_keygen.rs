//! `pqseal tls ech-keygen`: a server's key for Encrypted Client Hello.

use clap::Args;
use envelope::{
    hpke::{DynKem, SuiteId},
    keys::{self, KeyError, KeyFormat},
};
use serde_json::json;
use tls::ech::{EchError, EchKey, kems};
use zeroize::Zeroizing;

use crate::{
    error::{Error, Exit},
    output::{FileMode, Overwrite, Target, to_reader, to_stdout},
    suite,
};

/// Make a key for Encrypted Client Hello (RFC 9849)
///
/// Writes the private key to a new file that only its owner can read: PEM, with the ECHConfigList
/// as a second PEM block, or pqseal's line for a KEM without a standard encoding. The ECHConfigList
/// goes to standard output as base64, as an HTTPS record in DNS takes it. Clients must support the
/// KEM. All of them support x25519; mlkem768-x25519 also hides the name from quantum computers.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::TLS_ECH_KEYGEN))]
pub(super) struct EchKeygen {
    /// The public name, which anyone can see: a host that the same server answers for
    #[arg(long, value_name = "NAME")]
    public_name: String,
    /// The KEM; `pqseal suites` lists them
    #[arg(long, value_name = "NAME", default_value = "x25519", value_parser = suite::kem)]
    kem: &'static DynKem,
    /// The number by which a client names this key, from 0 to 255; use a different one for each key
    /// in use
    #[arg(long, value_name = "N", default_value_t = 0)]
    config_id: u8,
    /// Write to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Target,
}

/// HKDF-SHA256 with AES-128-GCM, which every client has, and with ChaCha20Poly1305.
const SYMMETRIC: [(u16, u16); 2] = [(1, 1), (1, 3)];

impl EchKeygen {
    pub(super) fn run(self, json: bool) -> Result<(), Error> {
        let kem = self.kem.info();
        if !kems().any(|known| known.info().id == kem.id) {
            return Err(Error::usage(format!(
                "{} is not for Encrypted Client Hello; use x25519 or mlkem768-x25519",
                kem.short_name
            )));
        }
        let suites = SYMMETRIC.map(|(kdf, aead)| SuiteId::new(kem.id, kdf, aead));
        let key = EchKey::generate(self.config_id, &self.public_name, &suites).map_err(not_made)?;
        let list = envelope::base64::encode(&key.config_list());
        let file = self.file(&key, &list)?;
        match &self.output {
            Target::Stdout => to_reader(file.as_bytes()),
            target => target.write(file.as_bytes(), FileMode::Owner, Overwrite::Refuse),
        }?;
        let shown = if json {
            let id = self.config_id;
            json!({ "ech_config_list": list, "config_id": id, "kem": kem.short_name }).to_string()
        } else {
            list
        };
        match self.output {
            Target::File(_) => to_stdout(format!("{shown}\n").as_bytes()),
            Target::Stdout => Ok(()),
        }
    }

    /// The private key and, in PEM, the configuration.
    fn file(&self, key: &EchKey, list: &str) -> Result<Zeroizing<String>, Error> {
        let named = |error: KeyError| Error::key("memory", &error);
        let private = self.kem.deserialize_private_key(key.private_key.as_ref());
        let private = private.map_err(|error| named(KeyError::from(error)))?;
        let written = KeyFormat::or_default(None, |form| keys::write_private(&private, form))
            .map_err(named)?;
        if !written.starts_with("-----BEGIN") {
            return Ok(written);
        }
        let lines: Vec<&str> = (0..list.len())
            .step_by(64)
            .map(|start| &list[start..list.len().min(start + 64)])
            .collect();
        let block = lines.join("\n");
        let end = if written.ends_with('\n') { "" } else { "\n" };
        Ok(Zeroizing::new(format!(
            "{}{end}-----BEGIN ECHCONFIG-----\n{block}\n-----END ECHCONFIG-----\n",
            *written
        )))
    }
}

fn not_made(error: EchError) -> Error {
    match error {
        EchError::PublicName(_) => Error::usage(format!("--public-name: {error}")),
        _ => Error {
            exit: Exit::Stopped,
            code: "rng",
            message: format!("no key was made: {error}"),
        },
    }
}
