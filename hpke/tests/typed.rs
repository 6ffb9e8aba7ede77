//! A program of its own: it runs cargo, and is built without AWS-LC.
//!
//! What the types forbid: each file of `ui/` is a mistake that must not compile, with what the
//! compiler says of it beside.
//!
//! After a change of the compiler's words: `TRYBUILD=overwrite cargo test -p pqseal-hpke --test
//! typed`, and read the difference.

// With AWS-LC the compiler names other types in its messages; tools/test runs this without it.
use backend_from_env as _;

#[cfg(not(feature = "aws-lc"))]
#[test]
fn mistakes_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
