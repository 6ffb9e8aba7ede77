//! `pqseal tls ech-keygen`: makes a server's key for Encrypted Client Hello.

use clap::Args;
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::{DynKem, SuiteId};
use pqseal_keys::{KeyError, KeyFormat};
use pqseal_tls::ech::{EchError, EchKey, kems};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::{
    error::{Error, Exit},
    output::{FileMode, Target, to_reader, to_stdout},
    suite,
};

/// Make a key for Encrypted Client Hello (RFC 9849)
///
/// Writes the private key to a new file that only its owner can read: PEM, with the ECHConfigList
/// as a second PEM block, or pqseal's line for a KEM without a standard encoding. The ECHConfigList
/// goes to standard output as base64, as an HTTPS record in DNS takes it. With --json and -o - the
/// private key is in the same object. Clients must support the KEM. All of them support x25519;
/// mlkem768-x25519 also hides the name from quantum computers. `pqseal key convert --form raw`
/// writes the bare private key, for servers that take it so.
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
    /// Write to this new file; an existing file is never overwritten. - is standard output, for a
    /// KEM with PEM or with --json
    #[arg(short, long, value_name = "FILE")]
    output: Target,
}

/// HKDF-SHA256 with AES-128-GCM, which every client supports, and with ChaCha20Poly1305.
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
        let list = pqseal_keys::base64::encode(&key.config_list());
        let private = self.private(&key)?;
        let shown = json!({
            "ech_config_list": list, "config_id": self.config_id, "kem": kem.short_name,
        });
        match &self.output {
            Target::Stdout if json => to_reader(&with_private_key(&shown, &private)),
            Target::Stdout if !is_pem(&private) => Err(Error::usage(format!(
                "a key of {} has no PEM that could have the ECHConfigList next to it; use -o FILE, or --json",
                kem.short_name
            ))),
            Target::Stdout => to_reader(file(&private, &list).as_bytes()),
            target => {
                let file = file(&private, &list);
                target.write(file.as_bytes(), FileMode::Owner, Overwrite::Refuse)?;
                let shown = if json { shown.to_string() } else { list };
                to_stdout(format!("{shown}\n").as_bytes())
            }
        }
    }

    /// Returns the private key as PEM, or as a pqseal line.
    fn private(&self, key: &EchKey) -> Result<Zeroizing<String>, Error> {
        let named = |error: KeyError| Error::key("memory", &error);
        let private = self.kem.deserialize_private_key(key.private_key.as_ref());
        let private = private.map_err(|error| named(KeyError::from(error)))?;
        KeyFormat::or_pem(None, |form| pqseal_keys::write_private(&private, form)).map_err(named)
    }
}

fn is_pem(private: &str) -> bool {
    private.starts_with("-----BEGIN")
}

/// Returns the contents of the key file: the private key and, after PEM, the configuration.
fn file(private: &str, list: &str) -> Zeroizing<String> {
    if !is_pem(private) {
        return Zeroizing::new(private.to_owned());
    }
    let lines: Vec<&str> = (0..list.len())
        .step_by(64)
        .map(|start| &list[start..list.len().min(start + 64)])
        .collect();
    let block = lines.join("\n");
    let end = if private.ends_with('\n') { "" } else { "\n" };
    Zeroizing::new(format!(
        "{private}{end}-----BEGIN ECHCONFIG-----\n{block}\n-----END ECHCONFIG-----\n"
    ))
}

/// Returns a line of JSON with the private key as one more member. The buffer never grows, since
/// that would leave an unwiped copy.
fn with_private_key(shown: &Value, private: &str) -> Zeroizing<Vec<u8>> {
    let shown = shown.to_string();
    let open = shown.strip_suffix('}').unwrap_or(&shown);
    // A character of a key takes at most two bytes as JSON: a line break.
    let mut line = Zeroizing::new(Vec::with_capacity(open.len() + 2 * private.len() + 32));
    line.extend_from_slice(open.as_bytes());
    line.extend_from_slice(b",\"private_key\":\"");
    for byte in private.bytes() {
        match byte {
            b'\n' => line.extend_from_slice(b"\\n"),
            // PEM and lines have no other character that JSON escapes.
            byte => line.push(byte),
        }
    }
    line.extend_from_slice(b"\"}\n");
    line
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
