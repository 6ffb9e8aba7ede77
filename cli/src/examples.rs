//! The end of each command's help and manual page: three examples and the exit codes.

mod calendar;
mod files;
mod messages;
mod tls;

pub use calendar::*;
pub use files::*;
pub use messages::*;
pub use tls::*;

use crate::error::EXIT_CODES;

/// A description of an example, and its command line.
pub type Example = (&'static str, &'static str);

/// Returns the end of a command's help.
pub fn help(examples: &[Example; 3]) -> String {
    let line = |(what, line): &Example| format!("  # {what}\n  {line}\n");
    let examples: String = examples.iter().map(line).collect();
    format!("Examples:\n{examples}\n{EXIT_CODES}")
}

/// `pqseal`
pub const PQSEAL: [Example; 3] = [
    ("Make a key pair", "pqseal keygen -o key.pem > public.txt"),
    (
        "Seal a file",
        "pqseal seal --to public.txt -o report.sealed report.txt",
    ),
    (
        "Open it",
        "pqseal open -k key.pem -o report.txt report.sealed",
    ),
];

/// `pqseal keygen`
pub const KEYGEN: [Example; 3] = [
    (
        "A hybrid key pair, the private key in a file",
        "pqseal keygen -o key.pem > public.txt",
    ),
    (
        "A key for today's matched data",
        "pqseal keygen --kem x25519 -o key.pem",
    ),
    (
        "The private key under a passphrase",
        "pqseal keygen --encrypt -o key.age",
    ),
];

/// `pqseal pubkey`
pub const PUBKEY: [Example; 3] = [
    ("The public key of a private key", "pqseal pubkey key.pem"),
    (
        "Its key id and fingerprint",
        "pqseal pubkey --fingerprint key.pem",
    ),
    (
        "As a PEM file for other programs",
        "pqseal pubkey --form pem key.pem > public.pem",
    ),
];

/// `pqseal seal`
pub const SEAL: [Example; 3] = [
    (
        "A file",
        "pqseal seal --to public.txt -o report.sealed report.txt",
    ),
    (
        "A message from a pipe",
        "echo hello | pqseal seal --to public.txt",
    ),
    (
        "For one purpose and one record",
        "pqseal seal --to public.txt --info 'my app' --aad 'record 7' report.txt",
    ),
];

/// `pqseal key inspect`
pub const KEY_INSPECT: [Example; 3] = [
    ("The KEM of a key", "pqseal key inspect key.pem"),
    (
        "A public key in base64",
        "pqseal key inspect --raw-public key.pub",
    ),
    (
        "As JSON, one object per key",
        "pqseal key inspect --json keys.txt",
    ),
];

/// `pqseal key serve`
pub const KEY_SERVE: [Example; 3] = [
    (
        "With a key of another user",
        "pqseal open --decap-command 'sudo -u keys pqseal key serve -k /home/keys/key.pem' blob.txt",
    ),
    (
        "With a key on another machine",
        "pqseal open --decap-command 'ssh vault pqseal key serve -k key.pem' blob.txt",
    ),
    (
        "One key of several",
        "pqseal key serve -k keys.txt --key-id 2024",
    ),
];

/// `pqseal open`
pub const OPEN: [Example; 3] = [
    (
        "The blob in a file, or in a record of a log",
        "pqseal open -k key.pem blob.txt",
    ),
    (
        "Blobs from a pipe, one per line, as JSON",
        "cat blobs.txt | pqseal --json open -k key.pem",
    ),
    (
        "With keys from a folder and from a vault",
        "pqseal open -k keys/ --key-command 'vault kv get -field=key secret/pqseal' blob.txt",
    ),
];

/// `pqseal logs`
pub const LOGS: [Example; 3] = [
    (
        "Open the sealed fields of a file",
        "pqseal logs open -k key.pem -o opened.ndjson events.ndjson",
    ),
    (
        "Seal a field of each record",
        "pqseal logs seal --to public.txt --field .payload events.ndjson",
    ),
    (
        "Make events to test with",
        "pqseal logs generate 1000 -o events.ndjson",
    ),
];

/// `pqseal logs open`
pub const LOGS_OPEN: [Example; 3] = [
    (
        "From a pipe to a pipe",
        "zcat events.gz | pqseal logs open -k key.pem | jq .Metadata",
    ),
    (
        "A folder, with counters; the next run continues from there",
        "pqseal logs open -k key.pem --stats text -o opened/ logs/",
    ),
    (
        "A file as it grows; the next run continues where this one ended",
        "pqseal logs open -k key.pem --follow --state app.state -o opened.ndjson app.log",
    ),
];

/// `pqseal logs seal`
pub const LOGS_SEAL: [Example; 3] = [
    (
        "Matched data of firewall events",
        "pqseal logs seal --to public.txt -o sealed.ndjson events.ndjson",
    ),
    (
        "Two fields, each bound to the record's id",
        "pqseal logs seal --to public.txt --field .user --field .body --aad-from .id events.ndjson",
    ),
    (
        "What a firewall's rules matched, as its log grows",
        "pqseal logs seal --to public.txt --preset modsecurity --follow audit.log --state seal.state -o sealed.ndjson",
    ),
];

/// `pqseal logs generate`
pub const LOGS_GENERATE: [Example; 3] = [
    ("Ten events", "pqseal logs generate 10"),
    (
        "A million, the same each time",
        "pqseal logs generate --seed 7 -o events.ndjson 1000000",
    ),
    (
        "Sealed at once",
        "pqseal logs generate | pqseal logs seal --to public.txt",
    ),
];

/// `pqseal-edge`
#[cfg(feature = "edge")]
pub const EDGE: [Example; 3] = [
    (
        "Forward requests, and log what rules match",
        "pqseal-edge --rules rules.toml --to public.txt --upstream http://127.0.0.1:8080 --log events",
    ),
    (
        "Only when their events are on the disk",
        "pqseal-edge --rules rules.toml --to public.txt --upstream http://127.0.0.1:8080 --log events --require-log",
    ),
    (
        "Report what is wrong with the rules",
        "pqseal-edge --rules rules.toml --to public.txt --upstream http://127.0.0.1:8080 --log events --check",
    ),
];

/// `pqseal logs serve`
#[cfg(feature = "serve")]
pub const LOGS_SERVE: [Example; 3] = [
    (
        "Receive logs",
        "pqseal logs serve -c /etc/pqseal/pqseal.toml",
    ),
    (
        "Report what is wrong with a configuration",
        "pqseal logs serve -c pqseal.toml --check",
    ),
    (
        "Read keys again that were replaced",
        "systemctl reload pqseal",
    ),
];

/// `pqseal inspect`
pub const INSPECT: [Example; 3] = [
    ("A blob in a file", "pqseal inspect blob.txt"),
    ("From a pipe", "echo \"$blob\" | pqseal inspect"),
    ("As JSON", "pqseal --json inspect blob.txt"),
];

/// `pqseal doctor`
pub const DOCTOR: [Example; 3] = [
    ("This machine", "pqseal doctor"),
    (
        "A blob or a log that does not open",
        "pqseal doctor -k key.pem events.ndjson.gz",
    ),
    (
        "How a key was derived from an ikm",
        "pqseal doctor --ikm ikm.bin --public-key public.txt",
    ),
];

/// `pqseal suites`
pub const SUITES: [Example; 3] = [
    ("All algorithms", "pqseal suites"),
    ("As JSON, one per line", "pqseal --json suites"),
    (
        "As a cryptography bill of materials",
        "pqseal suites --cbom > cbom.cdx.json",
    ),
];

/// `pqseal key`
pub const KEY: [Example; 3] = [
    (
        "A raw key as PEM",
        "pqseal key convert --kem x25519 --form pem -o key.pem key.txt",
    ),
    (
        "A PEM file as JWK",
        "pqseal key convert --form jwk -o key.jwk key.pem",
    ),
    ("The public half", "pqseal key convert --public key.pem"),
];

/// `pqseal completions`
pub const COMPLETIONS: [Example; 3] = [
    ("For this bash", "eval \"$(pqseal completions bash)\""),
    ("For zsh", "pqseal completions zsh > ~/.zfunc/_pqseal"),
    (
        "For fish",
        "pqseal completions fish > ~/.config/fish/completions/pqseal.fish",
    ),
];

/// `pqseal man`
pub const MAN: [Example; 3] = [
    ("Read it", "pqseal man | man -l -"),
    ("The pages of all commands", "pqseal man -o man1"),
    (
        "One of them",
        "pqseal man -o man1 && man ./man1/pqseal-open.1",
    ),
];
