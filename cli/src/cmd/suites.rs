//! `pqseal suites`: lists the registered algorithms.

mod cbom;

use clap::Args;
use pqseal_hpke::{AEADS, Aead, AeadInfo, KDFS, KdfInfo, KemInfo, Status};
use pqseal_keys::{REFUSED_KEMS, RefusedKem, caution, kems};
use serde_json::{Value, json};

use crate::{
    error::Error,
    output::to_stdout,
    suite::{hex, source},
};

/// The arguments of `pqseal suites`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::SUITES))]
pub struct Suites {
    /// Print a cryptography bill of materials: CycloneDX 1.6, with the parameter set and NIST's
    /// quantum security level of each algorithm, 0 if a quantum computer breaks it
    #[arg(long)]
    cbom: bool,
}

impl Suites {
    /// Prints the lists.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        let text = if self.cbom {
            format!("{:#}\n", cbom::cbom())
        } else if json {
            format!("{}\n", as_json())
        } else {
            as_text()
        };
        to_stdout(text.as_bytes())
    }
}

fn as_text() -> String {
    let kem_names: String = kems().map(|kem| kem_line(kem.info())).collect();
    let kem_sizes: String = kems().map(|kem| size_line(kem.info())).collect();
    let cautions: String = cautions();
    let kdfs: String = kdf_rows().map(|kdf| kdf_line(&kdf)).collect();
    let refused: String = REFUSED_KEMS.iter().map(refused_line).collect();
    let aeads: String = AEADS.iter().map(|aead| aead_line(aead.info())).collect();
    format!(
        "KEM     id, name to type, registered name, modes, status\n{kem_names}\n\
         KEM     id, name to type, sizes Nsecret Nenc Npk Nsk\n{kem_sizes}\n\
         EXPERIMENTAL KEMs: name, what to know before --allow-experimental\n{cautions}\n\
         KDF     id, registered name, size Nh, stages, status\n{kdfs}\n\
         AEAD    id, registered name, sizes Nk Nn Nt, status\n{aeads}\n\
         REFUSED KEMs: id, name, reason\n{refused}"
    )
}

fn kem_line(kem: &KemInfo) -> String {
    let (short, long) = (widest(|kem| kem.short_name), widest(|kem| kem.name));
    let modes = modes(kem);
    format!(
        "  {:#06x}  {:short$}  {:long$}  {modes:41}  {}\n",
        kem.id,
        kem.short_name,
        kem.name,
        shown(kem.status)
    )
}

fn size_line(kem: &KemInfo) -> String {
    let short = widest(|kem| kem.short_name);
    let sizes = format!(
        "{:>6}{:>6}{:>6}{:>6}",
        kem.n_secret, kem.n_enc, kem.n_pk, kem.n_sk
    );
    format!("  {:#06x}  {:short$}{sizes}\n", kem.id, kem.short_name)
}

/// Returns the width of a column of the KEMs' names.
fn widest(name: fn(&KemInfo) -> &str) -> usize {
    kems()
        .map(|kem| name(kem.info()).len())
        .max()
        .unwrap_or_default()
}

fn modes(kem: &KemInfo) -> &'static str {
    if kem.auth {
        "base, psk; auth, auth_psk (RFC 9180 only)"
    } else {
        "base, psk"
    }
}

fn kdf_rows() -> impl Iterator<Item = KdfInfo> {
    KDFS.iter().map(|kdf| *kdf.info())
}

fn kdf_line(kdf: &KdfInfo) -> String {
    let stages = if kdf.one_stage {
        "one-stage"
    } else {
        "two-stage"
    };
    format!(
        "  {:#06x}  {:<18}{:>4}  {stages}  {}\n",
        kdf.id,
        kdf.name,
        kdf.n_h,
        shown(kdf.status)
    )
}

fn aead_line(aead: &AeadInfo) -> String {
    format!(
        "  {:#06x}  {:<18}{:>4}{:>4}{:>4}  {}\n",
        aead.id,
        aead.name,
        aead.n_k,
        aead.n_n,
        aead.n_t,
        shown(aead.status)
    )
}

/// Returns one entry for the KEMs that share a caution.
fn cautions() -> String {
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for kem in kems().map(|kem| kem.info()) {
        let Some(text) = caution(kem) else { continue };
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(kem.short_name),
            None => texts.push((text, vec![kem.short_name])),
        }
    }
    texts
        .iter()
        .map(|(text, names)| format!("  {}\n  {text}\n", names.join(", ")))
        .collect()
}

fn refused_line(kem: &RefusedKem) -> String {
    let id = kem.id.map_or("none".to_owned(), hex);
    format!("  {id:6}  {:<10}  {}\n", kem.short_name, kem.reason)
}

/// Returns the status with its document.
fn shown(status: Status) -> String {
    if status == Status::Standard {
        format!("{status} ({})", source(status))
    } else {
        status.to_string()
    }
}

fn as_json() -> Value {
    json!({
        "kems": kems().map(|kem| kem_json(kem.info())).collect::<Vec<_>>(),
        "kdfs": kdf_rows().map(|kdf| kdf_json(&kdf)).collect::<Vec<_>>(),
        "aeads": AEADS.iter().map(|aead| aead_json(aead.info())).collect::<Vec<_>>(),
        "refused_kems": REFUSED_KEMS.iter().map(refused_json).collect::<Vec<_>>(),
    })
}

fn kem_json(kem: &KemInfo) -> Value {
    json!({
        "id": hex(kem.id), "name": kem.name, "short_name": kem.short_name, "n_secret": kem.n_secret, "n_enc": kem.n_enc,
        "n_pk": kem.n_pk, "n_sk": kem.n_sk, "status": kem.status.to_string(), "source": source(kem.status),
        "caution": caution(kem), "modes": ["base", "psk"], "modes_rfc9180_only": if kem.auth { vec!["auth", "auth_psk"] } else { vec![] },
    })
}

fn kdf_json(kdf: &KdfInfo) -> Value {
    json!({
        "id": hex(kdf.id), "name": kdf.name, "n_h": kdf.n_h, "one_stage": kdf.one_stage, "status": kdf.status.to_string(),
        "source": source(kdf.status),
    })
}

fn aead_json(aead: &AeadInfo) -> Value {
    json!({
        "id": hex(aead.id), "name": aead.name, "n_k": aead.n_k, "n_n": aead.n_n, "n_t": aead.n_t,
        "status": aead.status.to_string(), "source": source(aead.status),
    })
}

fn refused_json(kem: &RefusedKem) -> Value {
    json!({ "id": kem.id.map(hex), "short_name": kem.short_name, "reason": kem.reason })
}
