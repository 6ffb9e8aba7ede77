//! Prints `tests/data/v4.json`: one version 4 blob of every KEM, with fresh keys, and the KDFs and
//! AEADs in turn.
//!
//! The file was made once and does not change: its test checks that blobs sealed then still open.
//! Each run prints other keys, and so another file. Run it only for the entry of a new KEM: `cargo
//! run -p pqseal-matched-data --example make_v4_vectors`.

use getrandom::{SysRng, rand_core::TryRng};
use pqseal_hpke::{DynKem, KDFS, Policy};
use pqseal_keys::{DEFAULT_SUITE, KeyFormat, base64, kems, write_private};
use pqseal_matched_data::{SealOptions, Sealer};
use serde::Serialize;

#[derive(Serialize)]
struct Known {
    kem: &'static str,
    kdf: u16,
    aead: u16,
    private_key: String,
    info: String,
    aad: String,
    plaintext: String,
    blob: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let known = kems()
        .enumerate()
        .map(|(place, kem)| make(place, kem))
        .collect::<Result<Vec<_>, _>>()?;
    println!("{}", serde_json::to_string_pretty(&known)?);
    Ok(())
}

fn make(place: usize, kem: &DynKem) -> Result<Known, Box<dyn std::error::Error>> {
    let info = kem.info();
    let (kdf, aead) = algorithms(place, info.id)?;
    let mut ikm = [0; 64];
    SysRng.try_fill_bytes(&mut ikm)?;
    let (private, public) = kem.derive_key_pair(&ikm)?;
    // Every third has no info, every fourth no aad, every fifth no plaintext.
    let unless = |each: usize, text: String| {
        if place % each == each - 1 {
            String::new()
        } else {
            text
        }
    };
    let zone = unless(3, format!("zone {place}"));
    let event = unless(4, format!("event {place}"));
    let plaintext = unless(
        5,
        format!("{{\"http.request.uri.path\": \"/{}\"}}", info.name),
    );
    let options = SealOptions {
        version: Some(4),
        kdf: Some(kdf),
        aead: Some(aead),
        info: zone.as_bytes(),
        with_aad: true,
        policy: Policy::draft().with_experimental(),
    };
    let sealer = Sealer::new(&public, &options)?;
    let blob = base64::encode(&sealer.seal(event.as_bytes(), plaintext.as_bytes(), &mut SysRng)?);
    let private_key = write_private(&private, KeyFormat::Line)?
        .trim_end()
        .to_owned();
    Ok(Known {
        kem: info.short_name,
        kdf,
        aead,
        private_key,
        info: zone,
        aad: event,
        plaintext,
        blob,
    })
}

/// Selects KDF and AEAD. The default suite's KEM has the default suite. The others have the KDFs in
/// turn, shifted by one in each round, so that none is left out.
fn algorithms(place: usize, kem: u16) -> Result<(u16, u16), std::num::TryFromIntError> {
    if kem == DEFAULT_SUITE.kem {
        return Ok((DEFAULT_SUITE.kdf, DEFAULT_SUITE.aead));
    }
    Ok((
        KDFS[(place + place / KDFS.len()) % KDFS.len()].info().id,
        u16::try_from(place % 3 + 1)?,
    ))
}
