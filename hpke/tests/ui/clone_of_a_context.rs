use pqseal_hpke::{AnyAead, DynKdf, RecipientContext, SenderContext};

fn assert_clone<T: Clone>() {}

fn main() {
    assert_clone::<SenderContext<DynKdf, AnyAead>>();
    assert_clone::<RecipientContext<DynKdf, AnyAead>>();
}
