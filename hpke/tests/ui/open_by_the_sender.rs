use pqseal_hpke::{AnyAead, AnyKdf, SenderContext};

fn misuse(context: &mut SenderContext<AnyKdf, AnyAead>) {
    let _ = context.open(b"aad", b"message");
}

fn main() {}
