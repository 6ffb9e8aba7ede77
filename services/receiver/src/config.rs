//! The configuration file: TOML, in which unknown members are errors.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use pqseal_server::{
    Error,
    settings::{self, Tls, size, time},
};
use pqseal_text::escape;
use serde::Deserialize;

/// The configuration. docs/siem/serve/pqseal.toml lists every member with its default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The address for logs.
    pub(crate) listen: SocketAddr,
    /// The address for /metrics, /healthz and /readyz; if not given, that for logs.
    pub(crate) monitor: Option<SocketAddr>,
    /// `true` if secrets and logs may cross a network in the clear.
    #[serde(default)]
    plaintext: bool,
    pub(crate) tls: Option<Tls>,
    /// The clients that may send.
    #[serde(default, rename = "client")]
    pub(crate) clients: Vec<Client>,
    /// Options of `pqseal logs open`.
    open: toml::Table,
    pub(crate) output: Option<Output>,
    pub(crate) next: Option<Next>,
    /// The file for records that failed.
    pub(crate) dead_letter: Option<PathBuf>,
    #[serde(default)]
    pub(crate) limits: Limits,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Client {
    /// The name in logs, counters and dead letters.
    pub(crate) name: String,
    /// The header with the secret.
    #[serde(default = "authorization")]
    pub(crate) header: String,
    pub(crate) secret_file: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Output {
    pub(crate) folder: PathBuf,
    #[serde(default = "prefix")]
    pub(crate) prefix: String,
    #[serde(default = "rotate_size", deserialize_with = "size")]
    pub(crate) rotate_size: u64,
    #[serde(default = "rotate_age", deserialize_with = "time")]
    pub(crate) rotate_age: Duration,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Next {
    pub(crate) url: String,
    /// The authorities of the destination's certificate, in PEM.
    pub(crate) ca: Option<PathBuf>,
    #[serde(default = "authorization")]
    pub(crate) header: String,
    /// The file with the whole value of that header.
    pub(crate) value_file: Option<PathBuf>,
    #[serde(default = "next_time", deserialize_with = "time")]
    pub(crate) timeout: Duration,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Limits {
    #[serde(deserialize_with = "size")]
    pub(crate) body: u64,
    #[serde(deserialize_with = "size")]
    pub(crate) decompressed: u64,
    pub(crate) connections: u32,
    pub(crate) requests: u32,
    #[serde(deserialize_with = "time")]
    pub(crate) queue_time: Duration,
    #[serde(deserialize_with = "time")]
    pub(crate) header_time: Duration,
    #[serde(deserialize_with = "time")]
    pub(crate) idle_time: Duration,
    #[serde(deserialize_with = "time")]
    pub(crate) body_time: Duration,
    /// The rate in bytes per second, once a request is in work.
    #[serde(deserialize_with = "size")]
    pub(crate) body_rate: u64,
    /// The longest pause between pieces of the body of a request in work.
    #[serde(deserialize_with = "time")]
    pub(crate) body_pause: Duration,
    /// The least time between two starts of a helper.
    #[serde(deserialize_with = "time")]
    pub(crate) helper_pause: Duration,
    #[serde(deserialize_with = "time")]
    pub(crate) stop_time: Duration,
}

/// `decompressed` is 2 GiB because Logpush sends at most 1 GB before compression.
impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 256 << 20,
            decompressed: 2 << 30,
            connections: 1024,
            requests: 16,
            queue_time: Duration::from_secs(10),
            header_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(30),
            body_time: Duration::from_secs(300),
            body_rate: 16 << 10,
            body_pause: Duration::from_secs(10),
            helper_pause: Duration::from_secs(10),
            stop_time: Duration::from_secs(30),
        }
    }
}

impl Config {
    /// Reads and checks the file.
    ///
    /// # Errors
    /// If it cannot be read, or is wrong.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let config: Self = settings::read(path)?;
        config
            .check()
            .map_err(|message| Error::Settings(format!("{}: {message}", escape::path(path))))?;
        Ok(config)
    }

    /// Returns the table `[open]`, which has options of `pqseal logs open`.
    pub const fn open(&self) -> &toml::Table {
        &self.open
    }

    /// Reports whether clients need certificates.
    pub(crate) fn is_mutual(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.client_ca.is_some())
    }

    fn check(&self) -> Result<(), &'static str> {
        let limits = &self.limits;
        let is_mutual = self.is_mutual();
        match () {
            () if self.clients.is_empty() && !is_mutual => Err(
                "no client may send; add a [[client]] with its secret-file, or client-ca to [tls]",
            ),
            () if self.tls.is_none() && !self.plaintext && !self.listen.ip().is_loopback() => Err(
                "without [tls], secrets and logs would cross the network in the clear; add [tls], listen on 127.0.0.1, or say plaintext = true",
            ),
            () if self.tls.is_some() && self.plaintext => {
                Err("plaintext = true contradicts [tls]; remove one of them")
            }
            () if self.output.is_some() == self.next.is_some() => {
                Err("opened events go either to [output] or to [next]; give one of them")
            }
            () if limits.connections == 0
                || limits.requests == 0
                || limits.body == 0
                || limits.decompressed == 0
                || limits.body_rate == 0 =>
            {
                Err("a limit of 0 cannot be met; set it higher, or remove it from [limits]")
            }
            () if self
                .output
                .as_ref()
                .is_some_and(|output| output.rotate_size == 0) =>
            {
                Err("a rotate-size of 0 cannot be met; set it higher, or remove it from [output]")
            }
            () if self
                .output
                .as_ref()
                .is_some_and(|output| !is_name(&output.prefix)) =>
            {
                Err("prefix begins the names of files: letters, digits, - and _ only")
            }
            () => Ok(()),
        }
    }
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    !text.is_empty()
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn authorization() -> String {
    "authorization".to_owned()
}

fn prefix() -> String {
    "events".to_owned()
}

const fn rotate_size() -> u64 {
    256 << 20
}

const fn rotate_age() -> Duration {
    Duration::from_secs(300)
}

const fn next_time() -> Duration {
    Duration::from_secs(60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(more: &str) -> String {
        let text = format!("listen = \"127.0.0.1:0\"\nopen = {{}}\n{more}");
        match toml::from_str::<Config>(&text) {
            Ok(config) => config
                .check()
                .map_or_else(str::to_owned, |()| "good".to_owned()),
            Err(error) => error.message().to_owned(),
        }
    }

    const CLIENT: &str = "[[client]]\nname = \"a\"\nsecret-file = \"b\"\n";
    const OUTPUT: &str = "[output]\nfolder = \"c\"\n";

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let good = format!("{CLIENT}{OUTPUT}");
        assert_eq!(message(&good), "good");
        for (more, part) in [
            (OUTPUT.to_owned(), "no client may send"),
            (CLIENT.to_owned(), "either to [output] or to [next]"),
            (format!("{good}[limits]\nsize = 3"), "unknown field `size`"),
            (format!("{good}[limits]\nbody = \"3MB\""), "\"256MiB\""),
            (format!("{good}[limits]\nrequests = 0"), "a limit of 0"),
            (format!("{good}[limits]\nbody-rate = 0"), "a limit of 0"),
            (format!("{good}[limits]\ndecompressed = 0"), "a limit of 0"),
            (format!("{good}rotate-size = 0"), "a rotate-size of 0"),
            (
                format!("{good}[limits]\nbody-time = \"0s\""),
                "a timeout must be greater",
            ),
            (format!("{good}prefix = \"../a\""), "prefix"),
            (
                format!("{good}[next]\nurl = \"http://a\""),
                "give one of them",
            ),
        ] {
            assert!(message(&more).contains(part), "{}", message(&more));
        }
    }

    #[test]
    fn secrets_do_not_cross_a_network_in_the_clear_by_accident() {
        let of = |first: &str| {
            let text = format!("{first}\nopen = {{}}\n{CLIENT}{OUTPUT}");
            toml::from_str::<Config>(&text).unwrap().check()
        };
        assert!(
            of("listen = \"0.0.0.0:1\"")
                .unwrap_err()
                .contains("in the clear")
        );
        assert_eq!(of("listen = \"0.0.0.0:1\"\nplaintext = true"), Ok(()));
        assert_eq!(of("listen = \"[::1]:1\""), Ok(()));
    }
}
