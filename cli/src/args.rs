//! The command line of `pqseal`.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::{
    cmd,
    error::{EXIT_CODES, Error, Exit, warn_in_json},
    parse::{Deferred, Example, help, parse, whole},
    process,
};

/// Seal and open matched data by Hybrid Public Key Encryption (RFC 9180).
///
/// Anyone with the public key can seal; only the holder of the private key can open. Standard
/// input and output are used where no file is named, and `-` names them.
#[derive(Parser)]
#[command(name = "pqseal", version, after_help = format!("{EXIT_CODES}\n\n{NO_KEYS}"), after_long_help = format!("{}\n\n{NO_KEYS}", help(&EXAMPLES)), max_term_width = 100)]
pub struct Arguments {
    /// Write results, errors and warnings as JSON, one object per line: an error as
    /// {"error":{"code","message"}}, a warning as {"warning":{"code","message"}}
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: [Example; 3] = [
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

const NO_KEYS: &str =
    "Private keys come from files or standard input, never from arguments or the environment.";

#[derive(Subcommand)]
enum Command {
    /// Make a key pair
    ///
    /// The default KEM, mlkem768-x25519, combines ML-KEM-768, which is designed to withstand
    /// quantum computers, with X25519. It stays secure as long as either of them does. Use `--kem
    /// x25519` for a key that works with today's matched data and dashboards. An experimental KEM,
    /// such as x25519-bike-l1, needs --allow-experimental here and wherever the key is used;
    /// `pqseal suites` says why.
    ///
    /// With -o the private key goes to a new file that only its owner can read, and the public key
    /// to standard output. Without -o the private key goes to standard output and the public key to
    /// standard error. The public key is written as a pqseal-public-key line. Above that of an
    /// x25519 key, a comment has the base64 that dashboards take. The key id, by which a version 4
    /// blob names its key, goes to standard error.
    Keygen(Deferred<cmd::keygen::Keygen>),
    /// Print the public key of a private key
    ///
    /// Reads a key in any format, and a public key too. A raw key does not say which half it is:
    /// --raw-private or --raw-public does. The public key is printed in the format that --form
    /// names.
    Pubkey(Deferred<cmd::pubkey::Pubkey>),
    /// Seal data to a public key
    ///
    /// Writes one line of base64. For an x25519 key it is a version 3 blob, which matched-data-cli
    /// and dashboards can open too. For a key of another KEM, or with --suite, --info or --aad, it
    /// is a version 4 blob, which names its suite and its key; open it with `pqseal open`.
    Seal(Deferred<cmd::seal::Seal>),
    /// Open sealed data with a private key
    ///
    /// Reads one blob: base64 of either alphabet, wrapped or not, padded or not, or the bytes
    /// themselves. If the input has several lines and one of them is a complete blob, each line is
    /// read as a blob. Each is then answered on its own line, in order. A blob that does not open
    /// leaves its line empty, and the exit code is 1. A version 4 blob names its key, which must be
    /// among those given. Versions 1 to 3 name no key, so each x25519 key is tried.
    ///
    /// A version 4 blob does not contain its length, so the first line of a wrapped one may look
    /// like a complete blob. So a complete first line is not enough to make each line a blob.
    Open(Deferred<cmd::open::Open>),
    /// Open, seal and generate log records in bulk
    Logs(Deferred<cmd::logs::Logs>),
    /// Encrypt and decrypt files, in the age format
    #[cfg(feature = "file")]
    File(Deferred<crate::file::FileCommand>),
    /// Encrypt and decrypt JSON Web Encryption (JWE) with HPKE
    ///
    /// The algorithms are HPKE-0 to HPKE-7 of JOSE-HPKE, and HPKE-8, 9, 10, 12 and 13, which
    /// withstand quantum computers. Each has a -KE variant, which can have several recipients. The
    /// documents are drafts, so names may still change.
    Jwe(Deferred<cmd::jwe::Jwe>),
    /// Encrypt and decrypt COSE messages with HPKE
    ///
    /// The algorithms are those of `pqseal jwe`. HPKE-n makes a COSE_Encrypt0 message, HPKE-n-KE a
    /// COSE_Encrypt message. The numbers of the algorithms and header parameters are those that the
    /// drafts assume, and may still change.
    #[cfg(feature = "cose")]
    Cose(Deferred<cmd::cose::Cose>),
    /// Show what a sealed blob, a JWE, a COSE message or an encrypted file is, without any key
    ///
    /// The format is detected. Several blobs, one per line, are shown in order.
    Inspect(Deferred<cmd::inspect::Inspect>),
    /// List every KEM, KDF and AEAD
    ///
    /// Sizes are in bytes and named as in RFC 9180. Any KEM goes with any KDF and any AEAD. The
    /// status names the document that defines the algorithm. Experimental algorithms have none, and
    /// are refused without --allow-experimental. KEMs that are known but refused come last, with
    /// the reason.
    Suites(Deferred<cmd::suites::Suites>),
    /// Keys for each day, hour or week, which can be shredded and lent
    ///
    /// A calendar has an independent key pair for each period, all made in advance. `pqseal seal`
    /// and `pqseal logs seal` take the public calendar with --to and use the key of the current
    /// period. `pqseal open` and `pqseal logs open` take the private one with -k.
    /// docs/calendar.md describes what it protects from.
    #[cfg(feature = "file")]
    Calendar(Deferred<cmd::calendar::CalendarCommand>),
    /// Work on key files
    Key(Deferred<cmd::key::Key>),
    /// Ask servers for their TLS groups, and make keys for Encrypted Client Hello
    #[cfg(feature = "tls")]
    Tls(Deferred<cmd::tls::Tls>),
    /// Find out why something does not open, and whether this program works on this machine
    ///
    /// Computes known answers on every back end, and looks at the processor, the random number
    /// generator, the clock and the keys. For a blob that does not open, it undoes what forms,
    /// spreadsheets and log stores do to text, tries the drafts of HPKE, and says what would open
    /// it. For a log, it says which fields hold blobs, and how many open with which key. It tries
    /// an ikm with every KEM, and with the derivations of X25519 keys in older drafts.
    Doctor(Deferred<crate::doctor::Doctor>),
    /// Print a completion script for a shell
    Completions(Deferred<cmd::man::Completions>),
    /// Print the manual page, or write one page per command
    Man(Deferred<cmd::man::Man>),
}

/// Parses `arguments`, runs the command and reports its error.
pub fn run(arguments: Vec<OsString>) -> Exit {
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    if wants_json {
        warn_in_json();
    }
    let parsed: Arguments = match parse(&arguments, wants_json, process::version) {
        Ok(parsed) => parsed,
        Err(exit) => return exit,
    };
    let json = parsed.json;
    parsed.command.run(json).unwrap_or_else(|error| {
        error.report(json);
        error.exit
    })
}

impl Command {
    fn run(self, json: bool) -> Result<Exit, Error> {
        match self {
            Self::Open(Deferred(open)) => return open.run(json),
            Self::Inspect(Deferred(inspect)) => return inspect.run(json),
            Self::Doctor(Deferred(doctor)) => return doctor.run(json),
            Self::Logs(Deferred(logs)) => return logs.run(json),
            #[cfg(feature = "file")]
            Self::Calendar(Deferred(calendar)) => return calendar.run(json),
            #[cfg(feature = "file")]
            Self::File(Deferred(file)) => return file.run(json),
            #[cfg(feature = "tls")]
            Self::Tls(Deferred(tls)) => return tls.run(json),
            Self::Jwe(Deferred(jwe)) => jwe.run(json),
            #[cfg(feature = "cose")]
            Self::Cose(Deferred(cose)) => cose.run(json),
            Self::Keygen(Deferred(keygen)) => keygen.run(json),
            Self::Pubkey(Deferred(pubkey)) => pubkey.run(json),
            Self::Seal(Deferred(seal)) => seal.run(),
            Self::Suites(Deferred(suites)) => suites.run(json),
            Self::Key(Deferred(key)) => key.run(json),
            Self::Completions(Deferred(completions)) => completions.run(whole::<Arguments>()),
            Self::Man(Deferred(man)) => man.run(whole::<Arguments>()),
        }
        .map(|()| Exit::Done)
    }
}
