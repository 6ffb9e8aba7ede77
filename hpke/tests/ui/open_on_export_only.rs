use pqseal_hpke::{ExportOnly, HkdfSha256, RecipientContext};

fn misuse(context: &mut RecipientContext<HkdfSha256, ExportOnly>) {
    let _ = context.open(b"aad", b"message");
}

fn main() {}
