//! Finds the key pair that was derived from an ikm.

use pqseal_hpke::Policy;
use pqseal_keys::KeyId;
use pqseal_matched_data::{
    Blob, KeyRing, OpenOptions, Trailing,
    diagnosis::{KeyPair, key_pairs_of},
};
use serde_json::json;
use zeroize::Zeroizing;

use super::{
    keys::{clamping, id},
    log::Input,
    permissions,
    report::{Report, State, Subject},
};
use crate::{error::Error, input::Source, keyfile};

const ABOUT: &str = "ikm";

/// Reports on the key pairs of an ikm, and returns those that fit: that have the wanted public
/// key, whose id a blob names, or that open a blob.
pub(super) fn examine(
    source: &Source,
    public_key: Option<&Source>,
    inputs: &[Input<'_>],
    report: &mut Report,
) -> Result<Vec<KeyPair>, Error> {
    permissions::examine(ABOUT, source, report)?;
    let ikm = bytes(source)?;
    let wanted = public_key.map(|source| keyfile::public(source, None));
    let wanted = wanted.transpose()?;
    let mut fitting = Vec::new();
    for pair in key_pairs_of(&ikm) {
        let is_wanted =
            || pqseal_keys::public_key(&pair.private).is_ok_and(|own| Some(own) == wanted);
        if is_wanted() || opens_any(&pair, inputs) {
            say(source, &pair, report)?;
            fitting.push(pair);
        }
    }
    if fitting.is_empty() {
        let text = "no KEM and no draft derives from it the key of --public-key, or a key that opens FILE; check that the ikm is complete, and that --public-key or FILE belongs to it";
        report.problem(ABOUT, &source.to_string(), "no_derivation", text)?;
    }
    Ok(fitting)
}

fn say(source: &Source, pair: &KeyPair, report: &mut Report) -> Result<(), Error> {
    let id = id(&pair.private).map_or_else(String::new, |id| id.to_string());
    let text = format!(
        "{} gives the {} key {id}{}",
        pair.derivation,
        pair.kem.info().short_name,
        clamping(&pair.private)
    );
    let name = source.to_string();
    let subject = Subject {
        about: ABOUT,
        name: &name,
        members: vec![("key_id", json!(id))],
        ..Subject::default()
    };
    report.check(State::Ok, &subject, "ok", &text)
}

/// Decodes hexadecimal or base64; otherwise returns the bytes themselves.
fn bytes(source: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let read = source
        .read_secret(keyfile::LIMIT)
        .map_err(|error| source.unreadable(&error))?;
    let text = read.trim_ascii();
    let is_hex = !text.is_empty() && text.len() % 2 == 0 && text.iter().all(u8::is_ascii_hexdigit);
    if is_hex {
        // No branch and no table: 9 is added to a letter, whose low bits begin at 1.
        let digit = |byte: u8| (byte & 15) + 9 * (byte >> 6);
        let (pairs, _) = text.as_chunks::<2>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(pairs.len()));
        bytes.extend(
            pairs
                .iter()
                .map(|[high, low]| digit(*high) << 4 | digit(*low)),
        );
        return Ok(bytes);
    }
    Ok(pqseal_keys::base64::decode(text).unwrap_or(read))
}

fn opens_any(pair: &KeyPair, inputs: &[Input<'_>]) -> bool {
    let mut ring = KeyRing::new();
    let Some(id) = id(&pair.private).filter(|_| ring.add(&pair.private).is_ok()) else {
        return false;
    };
    let mut all = inputs.iter().flat_map(|input| &input.found.candidates);
    all.any(|candidate| opens(&candidate.text, id, &ring))
}

/// Reports whether a blob opens with the key of `ring`, or names it.
fn opens(text: &[u8], id: KeyId, ring: &KeyRing) -> bool {
    let Ok(bytes) = Blob::decode_text_or_bytes(text) else {
        return false;
    };
    let options = OpenOptions {
        policy: Policy::draft().with_experimental(),
        ..OpenOptions::default()
    };
    match Blob::parse(&bytes, Trailing::Ignore) {
        Ok(Blob::V4(frame)) => frame.key_id() == id,
        Ok(blob) => ring.open(&blob, &options).is_ok(),
        Err(_) => false,
    }
}
