//! `pqseal_keys`: every format of keys, whole and damaged.

use std::hint::black_box;

use pqseal_hpke::Policy;
use zeroize::Zeroizing;

use crate::world::{FORMS, World};

pub(super) fn generate(world: &World) {
    let policy = Policy::draft().with_experimental();
    black_box(
        pqseal_keys::generate(world.choice.kem, &policy, &mut World::generating())
            .expect("it is allowed"),
    );
}

pub(super) fn write(world: &World) {
    texts(world).for_each(drop);
    black_box(pqseal_keys::write_private_der(&world.private()).ok());
}

pub(super) fn read(world: &World) {
    let kem = Some(world.choice.kem);
    for text in texts(world) {
        black_box(pqseal_keys::read_private(&text, kem).expect("just written"));
        black_box(pqseal_keys::read_private(text.as_bytes(), kem).expect("just written"));
        // A raw text is also read as a public key, whose bytes are not wiped.
        if pqseal_keys::read_key(text.as_bytes(), kem, None).is_ok() {
            black_box(pqseal_keys::read_public(&text, kem).expect("just written"));
        }
        black_box(pqseal_keys::read_private(&escaped(&text), kem).ok());
    }
    if let Ok(der) = pqseal_keys::write_private_der(&world.private()) {
        black_box(pqseal_keys::read_private_der(&der).expect("just written"));
        black_box(pqseal_keys::read_private(&der, kem).expect("just written"));
        black_box(pqseal_keys::read_public_der(&der).expect("just written"));
    }
}

pub(super) fn read_several(world: &World) {
    for text in texts(world) {
        let several = joined(&["# the first\n", &text, "\n# the second\n", &text]);
        let keys = pqseal_keys::read_private_keys(&several, Some(world.choice.kem));
        assert_eq!(keys.expect("just written").len(), 2);
    }
}

pub(super) fn read_errors(world: &World) {
    let kem = Some(world.choice.kem);
    for whole in texts(world) {
        let text = whole.trim_end();
        // Raw keys of X25519 and X448 have the length of public ones, so this reader takes a
        // private one for a public key, which is not wiped.
        let is_raw = pqseal_keys::base64::decode(text.as_bytes()).is_ok();
        for at in (0..text.len()).step_by(text.len().div_ceil(24)) {
            let altered = joined(&[&text[..at], "!", &text[at + 1..]]);
            let replaced = joined(&[&text[..at], "A", &text[at + 1..]]);
            for other in [&text[..at], &altered, &replaced] {
                black_box(pqseal_keys::read_private(other, kem).ok());
                black_box(pqseal_keys::read_private_keys(other.as_bytes(), kem).ok());
                if !is_raw {
                    black_box(pqseal_keys::read_public(other, kem).ok());
                }
            }
        }
        // A key of another KEM than requested, and a text that is too long.
        let other = pqseal_keys::kems().find(|other| other.info().id != world.choice.kem.info().id);
        black_box(pqseal_keys::read_private(text, other).ok());
        black_box(
            pqseal_keys::read_private(&joined(&[text, &"\n".repeat(pqseal_keys::MAX_LEN)]), kem)
                .ok(),
        );
    }
}

/// Returns the private key in all formats that can hold it.
fn texts(world: &World) -> impl Iterator<Item = Zeroizing<String>> {
    let key = world.private();
    FORMS
        .iter()
        .filter_map(move |(_, form)| pqseal_keys::write_private(&key, *form).ok())
}

/// Returns JSON as some generators write it: each `A` is an escape, so that a parser copies the
/// string to decode it.
fn escaped(text: &str) -> Zeroizing<String> {
    if !text.starts_with('{') {
        return joined(&[text]);
    }
    let parts: Vec<_> = text.split('A').flat_map(|part| [part, "\\u0041"]).collect();
    joined(&parts[..parts.len() - 1])
}

/// Joins the parts in a buffer that does not grow.
fn joined(parts: &[&str]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(
        parts.iter().map(|part| part.len()).sum(),
    ));
    parts.iter().for_each(|part| text.push_str(part));
    text
}
