//! Private keys are not taken from the command line, and none is repeated in a message.

use crate::common::{Dir, MATCHED_DATA_CLI, PQSEAL, PRIVATE_KEY};

#[test]
fn a_private_key_as_an_argument_is_refused_and_not_repeated() {
    let dir = Dir::new();
    let secret = PRIVATE_KEY.trim_end_matches('=');
    for form in ["raw", "json", "line", "jwk", "pem"] {
        let key = dir
            .pqseal(&["key", "convert", "--form", form, "key.txt"])
            .succeeds();
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
fn sealing_to_a_private_key_line_is_refused() {
    let dir = Dir::new();
    let key = dir
        .pqseal(&["key", "convert", "--form", "line", "key.txt"])
        .succeeds();
    let ran = dir
        .pqseal(&["seal", "--to", key.out(), "README.md"])
        .fails(2, "--to is a private key");
    assert!(!ran.err.contains(key.out().trim()));
}

#[test]
fn matched_data_cli_does_not_repeat_keys_either() {
    let dir = Dir::new();
    for arguments in [
        &["decrypt", "-k", PRIVATE_KEY, "blob.txt"][..],
        &["decrypt", "-d", "A2nf", "-k", PRIVATE_KEY],
    ] {
        let ran = dir.run(MATCHED_DATA_CLI, arguments, b"");
        assert!(
            ran.code != Some(0) && ran.out.is_empty() && ran.err.to_lowercase().contains("file"),
            "{}",
            ran.err
        );
        assert!(!ran.err.contains(PRIVATE_KEY), "{}", ran.err);
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

#[test]
fn standard_input_is_read_once() {
    let dir = Dir::new();
    for arguments in [
        &["open", "-k", "-"][..],
        &["open", "-k", "-", "-k", "-", "blob.txt"],
        &["seal", "--to", "-"],
    ] {
        dir.pqseal(arguments).fails(2, "only one of the inputs");
    }
}

#[test]
fn json_errors_are_json() {
    let dir = Dir::new();
    for arguments in [
        &["open", "--json", "-k", "none"][..],
        &["pubkey", "--json", "blob.txt"],
        &["--json", "seal"],
    ] {
        let ran = dir.pqseal(arguments);
        let error: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
        assert!(
            error["error"]["code"].is_string() && error["error"]["message"].is_string(),
            "{error}"
        );
    }
}

#[test]
fn completions_and_manuals_know_commands_of_commands() {
    let dir = Dir::new();
    let script = dir.pqseal(&["completions", "fish"]).succeeds();
    let of_help = |line: &str| {
        line.contains("subcommand help; and __fish_seen_subcommand_from key")
            && line.contains("convert")
    };
    assert!(
        script.out().lines().any(of_help),
        "`pqseal help key` has no `convert`"
    );
    dir.pqseal(&["man", "-o", "pages"]).succeeds();
    assert!(dir.path("pages/pqseal-logs-open.1").exists());
}
