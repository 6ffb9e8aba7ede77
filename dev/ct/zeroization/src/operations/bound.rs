//! `hpke`: suites, senders, recipients and contexts.

use std::hint::black_box;

use pqseal_hpke::{Recipient, Response, Sealed, Sender};

use crate::world::{AAD, INFO, World};

/// The length of exported secrets, in bytes.
const EXPORTED: usize = 32;

fn recipient(world: &World) -> Recipient {
    let suite = world.choice.suite();
    world
        .choice
        .as_recipient(|mode| Recipient::new(suite, world.private(), INFO, mode))
        .expect("the info is short")
}

fn sender<T>(world: &World, run: impl FnOnce(Sender<'_>) -> T) -> T {
    let suite = world.choice.suite();
    world.choice.as_sender(|mode| {
        run(Sender::new(suite, world.public(), INFO, mode).expect("the info is short"))
    })
}

pub(super) fn open(world: &World) {
    let (suite, recipient) = (world.choice.suite(), recipient(world));
    for [enc, ct] in &world.messages {
        let opened = world
            .choice
            .as_recipient(|mode| suite.open(enc, &world.private(), INFO, mode, AAD, ct));
        black_box(opened.expect("it is whole"));
        black_box(recipient.open(enc, AAD, ct).expect("it is whole"));
        recipient
            .open(enc, b"another aad", ct)
            .expect_err("the aad counts");
        black_box(
            recipient
                .setup(enc)
                .expect("it is whole")
                .open(AAD, ct)
                .expect("it is whole"),
        );
    }
}

pub(super) fn open_batch(world: &World) {
    let sealed = world
        .messages
        .iter()
        .map(|[enc, ct]| Sealed { enc, aad: AAD, ct });
    let mut batch: Vec<_> = sealed.collect();
    let recipient = recipient(world);
    assert!(recipient.open_batch(&batch).iter().all(Result::is_ok));
    // Encapsulated keys of other messages, and one that is cut off.
    let enc = batch[1].enc;
    batch[0].enc = enc;
    batch[2].enc = &enc[1..];
    batch[3].aad = b"another aad";
    assert!(recipient.open_batch(&batch)[4].is_ok());
}

pub(super) fn decap_batch(world: &World) {
    let encs: Vec<&[u8]> = world.messages.iter().map(|[enc, _]| &enc[..]).collect();
    black_box(world.choice.kem.decap_batch(&encs, &world.private()));
}

pub(super) fn export(world: &World) {
    let (suite, recipient) = (world.choice.suite(), recipient(world));
    for [enc, _] in &world.messages {
        black_box(
            recipient
                .export(enc, b"exported", EXPORTED)
                .expect("it is short"),
        );
        let exported = world.choice.as_recipient(|mode| {
            suite.receive_export(enc, &world.private(), INFO, mode, b"exported", EXPORTED)
        });
        black_box(exported.expect("it is short"));
        let context = recipient.setup(enc).expect("it is whole");
        let answer = Response::oblivious_http();
        black_box(
            context
                .seal_response(answer, enc, b"", b"answer", &mut World::public_draws())
                .expect("it seals"),
        );
    }
}

pub(super) fn seal(world: &World) {
    sender(world, |sender| {
        for mut draws in World::draws() {
            black_box(
                sender
                    .seal(AAD, b"public here", &mut draws)
                    .expect("it seals"),
            );
        }
        for mut draws in World::draws() {
            let (_, context) = sender.setup(&mut draws).expect("it sets up");
            black_box(context.export(b"exported", EXPORTED).expect("it is short"));
        }
    });
}

pub(super) fn seal_precomputed(world: &World) {
    sender(world, |sender| {
        let sender = sender.precompute();
        for mut draws in World::draws() {
            black_box(
                sender
                    .seal(AAD, b"public here", &mut draws)
                    .expect("it seals"),
            );
        }
    });
}
