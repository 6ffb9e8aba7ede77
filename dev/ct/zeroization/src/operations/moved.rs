//! Values that users keep in a `Vec`. A growing one moves them, and nothing wipes its old memory.
//! Keys that are added to a `pqseal_matched_data::KeyRing` while blobs are opened.

use std::hint::black_box;

use pqseal_hpke::{
    AEADS, AnyPrivateKey, HkdfSha256, Kem, Mode, P256HkdfSha256, Policy, Recipient, Suite,
    X25519HkdfSha256, aead::Aes128Gcm,
};
use pqseal_kem_pq::{MlKem768, MlKem768X25519};
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, SealedRecord, Trailing};

use crate::world::{AAD, INFO, World};

pub(super) fn grow(world: &World) {
    let suite = world.choice.suite();
    let (mut keys, mut recipients, mut contexts) = (vec![], vec![], vec![]);
    for key in world.others() {
        keys.push(key.clone());
        recipients.push(Recipient::new(suite, key, INFO, Mode::Base).expect("short"));
    }
    for [enc, _] in &world.messages {
        contexts.push(
            suite
                .setup_r(enc, &world.private(), INFO, Mode::Base)
                .expect("whole"),
        );
    }
    black_box((keys, recipients, contexts, AEADS));
}

pub(super) fn grow_typed(world: &World) {
    match world.choice.kem.info().short_name {
        "x25519" => grow_of(&X25519HkdfSha256, world),
        "p256" => grow_of(&P256HkdfSha256, world),
        "mlkem768" => grow_of(&MlKem768, world),
        "mlkem768-x25519" => grow_of(&MlKem768X25519, world),
        _ => {}
    }
}

fn grow_of<K: Kem>(kem: &'static K, world: &World) {
    let suite = Suite::new(kem, &HkdfSha256, &Aes128Gcm);
    let (mut keys, mut recipients, mut contexts) = (vec![], vec![], vec![]);
    for key in world.others() {
        recipients
            .push(Recipient::new(suite, typed(kem, world, &key), INFO, Mode::Base).expect("short"));
        keys.push(typed(kem, world, &key));
    }
    for [enc, ct] in &world.messages {
        let mut context = suite
            .setup_r(enc, &typed(kem, world, &world.private()), INFO, Mode::Base)
            .expect("whole");
        context.open(AAD, ct).expect("whole");
        contexts.push(context);
    }
    black_box((keys, recipients, contexts));
}

/// Returns the key as its KEM's own type.
fn typed<K: Kem>(kem: &K, world: &World, key: &AnyPrivateKey) -> K::PrivateKey {
    let bytes = world
        .choice
        .kem
        .serialize_private_key(key)
        .expect("it has a seed");
    kem.deserialize_private_key(bytes.as_ref())
        .ok()
        .expect("the same KEM")
}

pub(super) fn grow_ring(world: &World) {
    let policy = Policy::draft().with_experimental();
    let options = OpenOptions {
        info: INFO,
        aad: AAD,
        policy,
    };
    let blobs = world
        .blobs
        .iter()
        .map(|blob| Blob::parse(blob, Trailing::Refuse).expect("just sealed"));
    let blobs: Vec<_> = blobs
        .map(|blob| SealedRecord {
            blob,
            aad: None,
            hint: None,
        })
        .collect();
    let mut ring = KeyRing::new();
    for key in world.others() {
        ring.add(&key).expect("its KEM is known");
        assert!(ring.open_batch(&blobs, &options).iter().all(Result::is_err));
    }
    ring.add_labelled(&world.private(), Some("the right one"))
        .expect("its KEM is known");
    assert!(ring.open_batch(&blobs, &options).iter().all(Result::is_ok));
    for record in &blobs {
        black_box(ring.open(&record.blob, &options).expect("the key is there"));
    }
}
