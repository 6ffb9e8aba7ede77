use pqseal_hpke::{AnyAead, AnyKdf, RecipientContext};

fn misuse(context: &mut RecipientContext<AnyKdf, AnyAead>) {
    let _ = context.seal(b"aad", b"message");
}

fn main() {}
