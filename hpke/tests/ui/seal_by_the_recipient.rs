use pqseal_hpke::{AnyAead, DynKdf, RecipientContext};

fn misuse(context: &mut RecipientContext<DynKdf, AnyAead>) {
    let _ = context.seal(b"aad", b"message");
}

fn main() {}
