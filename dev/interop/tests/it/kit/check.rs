//! Runs our crates on the cases of the kit, as another implementation would.

use pqseal_hpke::{Error, Suite};
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, Trailing};

use super::{
    schema::{Case, File, Group, Hex},
    suites::{Repeatable, everything, mode, suite},
};

/// Returns the number of cases, and the failures.
pub(crate) fn failures(name: &str, file: &File) -> (usize, Vec<String>) {
    let mut failures = Vec::new();
    let mut cases = 0;
    for group in &file.test_groups {
        let suite = suite([group.kem_id, group.kdf_id, group.aead_id]);
        for case in &group.tests {
            cases += 1;
            if let Err(why) = run(suite, group, case) {
                failures.push(format!("{name} {}: {}: {why}", case.tc_id, case.comment));
            }
        }
    }
    (cases, failures)
}

fn run(suite: Suite, group: &Group, case: &Case) -> Result<(), String> {
    match group.r#type.as_str() {
        "HpkeTest" => expect(case, open(suite, group, case)),
        "HpkeEncapTest" => expect(case, encap(suite, case)),
        "HpkeSequenceTest" => sequence(suite, case).map_err(|error| error.to_string())?,
        "MatchedDataV4Test" => expect(case, matched_data(suite, case)),
        other => Err(format!("unknown type {other}")),
    }
}

fn expect(case: &Case, result: Result<Vec<u8>, String>) -> Result<(), String> {
    match (case.is_valid(), result) {
        (true, Ok(pt)) if pt == case.pt.0 => Ok(()),
        (true, Ok(_)) => Err("another plaintext".into()),
        (true, Err(error)) => Err(error),
        (false, Ok(_)) => Err("accepted".into()),
        (false, Err(_)) => Ok(()),
    }
}

fn open(suite: Suite, group: &Group, case: &Case) -> Result<Vec<u8>, String> {
    let told = |error: Error| error.to_string();
    let sk = suite.private_key(sk_rm(case)).map_err(told)?;
    let pk_s = case
        .pk_sm
        .as_ref()
        .map(|pk| suite.public_key(&pk.0))
        .transpose()
        .map_err(told)?;
    let bytes = |field: &Option<Hex>| field.clone().unwrap_or_default().0;
    let [psk, psk_id] = [bytes(&case.psk), bytes(&case.psk_id)];
    let mode = mode(group.mode, pk_s.as_ref(), [&psk, &psk_id]);
    let mut context = suite
        .setup_r(&case.enc.0, &sk, &case.info.0, mode)
        .map_err(told)?;
    context.open(&case.aad.0, &case.ct.0).map_err(told)
}

fn sk_rm(case: &Case) -> &[u8] {
    case.sk_rm.as_ref().map_or(&[], |sk| &sk.0)
}

/// Seals to the key of the case, and returns the plaintext of a valid one.
fn encap(suite: Suite, case: &Case) -> Result<Vec<u8>, String> {
    let told = |error: Error| error.to_string();
    let pk = suite.public_key(&case.pk_rm.0).map_err(told)?;
    let (enc, mut sender) = suite
        .setup_s(
            &pk,
            &case.info.0,
            pqseal_hpke::Mode::Base,
            &mut Repeatable::new(8),
        )
        .map_err(told)?;
    let ct = sender.seal(&case.aad.0, &case.pt.0).map_err(told)?;
    let sk = suite.private_key(sk_rm(case)).map_err(told)?;
    let mut recipient = suite
        .setup_r(&enc, &sk, &case.info.0, pqseal_hpke::Mode::Base)
        .map_err(told)?;
    recipient.open(&case.aad.0, &ct).map_err(told)
}

fn sequence(suite: Suite, case: &Case) -> Result<Result<(), String>, Error> {
    let sk = suite.private_key(sk_rm(case))?;
    let mut context = suite.setup_r(&case.enc.0, &sk, &case.info.0, pqseal_hpke::Mode::Base)?;
    for (place, message) in case.messages.iter().enumerate() {
        let opened = context.open(&message.aad.0, &message.ct.0);
        let as_told = match message.result.as_str() {
            "valid" => opened.as_ref() == Ok(&message.pt.0),
            _ => opened.is_err(),
        };
        if !as_told {
            return Ok(Err(format!("message {place} gives {opened:?}")));
        }
    }
    Ok(Ok(()))
}

fn matched_data(suite: Suite, case: &Case) -> Result<Vec<u8>, String> {
    let sk = suite
        .private_key(sk_rm(case))
        .map_err(|error| error.to_string())?;
    let options = OpenOptions {
        info: &case.info.0,
        aad: &case.aad.0,
        policy: everything(),
    };
    let mut ring = KeyRing::new();
    ring.add(&sk).map_err(|error| error.to_string())?;
    let blob = case.blob.as_ref().map_or(&[][..], |blob| &blob.0);
    let blob = Blob::parse(blob, Trailing::Refuse).map_err(|error| error.to_string())?;
    let opened = ring.open(&blob, &options);
    opened
        .map(|opened| opened.plaintext)
        .map_err(|error| error.to_string())
}
