use pqseal_hpke::{AnyAead, DynKdf, SenderContext};

fn misuse(context: &mut SenderContext<DynKdf, AnyAead>) {
    let _ = context.open(b"aad", b"message");
}

fn main() {}
