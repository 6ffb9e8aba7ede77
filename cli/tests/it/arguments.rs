//! Private keys are not accepted on the command line, and no message repeats one.

use crate::common::{Dir, PQSEAL, PRIVATE_KEY};

#[test]
fn a_private_key_as_an_argument_is_refused_and_not_repeated() {
    let dir = Dir::new();
    let secret = PRIVATE_KEY.trim_end_matches('=');
    for form in ["raw", "json", "line", "jwk", "pem"] {
        let key = dir.words(&format!("key convert --raw-private --form {form} key.txt"));
        let key = key.succeeds();
        let key = key.out();
        for arguments in [
            &["open", "-k", key, "blob.txt"][..],
            &["pubkey", key],
            &["open", "-k", "key.txt", "blob.txt", key],
        ] {
            let ran = dir.pqseal(arguments).fails(2, "put the key in a file");
            assert!(
                !ran.err.contains(secret) && !ran.err.contains(key.trim()),
                "{}",
                ran.err
            );
        }
    }
}

#[test]
fn the_environment_holds_no_keys() {
    let dir = Dir::new();
    let mut command = dir.command(PQSEAL);
    command
        .args(["open", "blob.txt"])
        .envs(["PQSEAL_KEY", "KEY", "PRIVATE_KEY"].map(|name| (name, PRIVATE_KEY)));
    assert_eq!(command.output().unwrap().status.code(), Some(2));
}
