use pqseal_hpke::{ExportOnly, HkdfSha256, SenderContext};

fn misuse(context: &mut SenderContext<HkdfSha256, ExportOnly>) {
    let _ = context.seal(b"aad", b"message");
}

fn main() {}
