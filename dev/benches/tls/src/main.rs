//! Measures TLS 1.3 and QUIC connections with each key exchange, with the client in this process
//! and the server in another, which it starts. Prints samples for `report.py`, one per line; `run`
//! has the command.

mod bytes;
mod candidates;
mod client;
mod groups;
mod http;
mod measure;
mod peers;
mod quic;
mod relay;
mod s2n;
mod server;

use std::{env, error::Error, path::Path, process::ExitCode};

/// The name of the server in its certificate.
const NAME: &str = "localhost";

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["server", folder] => server::run(Path::new(folder)),
        ["client", folder, "--quick", ref delays @ ..] => {
            client::run(Path::new(folder), 10, delays)
        }
        ["client", folder, ref delays @ ..] => client::run(Path::new(folder), 1, delays),
        ["groups"] => groups::run(),
        ["peers", folder] => peers::run(Path::new(folder)),
        _ => Err(
            "usage: tls-bench groups | peers FOLDER | client FOLDER [--quick] [MILLISECONDS]..."
                .into(),
        ),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tls-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
