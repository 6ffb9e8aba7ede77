use pqseal_hpke::{AnyAead, AnyKdf, RecipientContext, SenderContext};

fn assert_clone<T: Clone>() {}

fn main() {
    assert_clone::<SenderContext<AnyKdf, AnyAead>>();
    assert_clone::<RecipientContext<AnyKdf, AnyAead>>();
}
