//! A program of its own: it runs cargo, and is built without AWS-LC.
//!
//! The mistakes that the types prevent: each file of `ui/` must not compile. Its compiler error is
//! next to it.
//!
//! After a change of the compiler's messages run `TRYBUILD=overwrite cargo test -p pqseal-hpke
//! --test typed`, and review the difference.

// With AWS-LC the compiler names other types in its messages; tools/test runs this without it.
use backend_from_env as _;

#[cfg(not(feature = "aws-lc"))]
#[test]
fn mistakes_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
