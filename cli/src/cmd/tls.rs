//! `pqseal tls`: servers' key exchange, and keys for Encrypted Client Hello.

use std::{
    fmt::Write,
    net::{SocketAddr, ToSocketAddrs},
    time::Duration,
};

use clap::{Args, Subcommand, value_parser};
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::{DynKem, SuiteId};
use pqseal_keys::{KeyError, KeyFormat};
use pqseal_tls::{
    Policy,
    ech::{EchError, EchKey, kems},
    groups::UnknownGroup,
    probe::{self, Failure, Handshake, Offer, Preference, Report, Transport},
};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::{
    binding::AllowExperimental,
    error::{Error, Exit},
    output::{FileMode, Target, to_reader, to_stdout},
    suite::{self, hex},
};

/// The arguments of `pqseal tls`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("The groups of a server", "pqseal tls probe example.com"),
    ("Whether it is post-quantum, for a script", "pqseal --json tls probe example.com:8443"),
    ("A key for Encrypted Client Hello", "pqseal tls ech-keygen --public-name example.com -o ech.pem"),
]))]
pub struct Tls {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Probe(Probe),
    EchKeygen(EchKeygen),
}

impl Tls {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.action {
            Action::Probe(probe) => probe.run(json),
            Action::EchKeygen(keygen) => keygen.run(json).map(|()| Exit::Done),
        }
    }
}

/// Show which key exchange groups a TLS 1.3 server accepts
///
/// Makes one handshake per group, a second one for a group without an answer, one with common
/// groups if none was accepted, and two more that offer every accepted group in either order.
/// Certificates are shown and not verified. Groups are named as in testssl.sh. The exit code is 0
/// if the server accepts a post-quantum group, 1 if it has TLS 1.3 and accepts no post-quantum
/// group that was asked for, and 3 if it cannot be reached, has no TLS 1.3, or does not show
/// whether it has.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("All groups of a server", "pqseal tls probe example.com"),
    ("Two groups only", "pqseal tls probe --groups X25519MLKEM768,X25519 example.com"),
    ("By address, with another name", "pqseal tls probe --server-name example.com 192.0.2.1:443"),
]))]
struct Probe {
    /// The server; the port is 443 if not given
    #[arg(value_name = "HOST:PORT", value_parser = Server::parse)]
    server: Server,
    /// The name in the ClientHello, if not HOST
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,
    /// Ask for these groups only, such as X25519MLKEM768,X25519
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = offer)]
    groups: Vec<Offer>,
    /// Ask over QUIC (UDP) in place of TLS over TCP
    #[arg(long)]
    quic: bool,
    /// The application protocols to offer over QUIC; the server must support one of them
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "h3",
        requires = "quic"
    )]
    alpn: Vec<String>,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// How long one handshake may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// How many handshakes run at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u8).range(1..=64))]
    parallel: u8,
}

#[derive(Clone, Debug, PartialEq)]
struct Server {
    host: String,
    port: u16,
}

impl Probe {
    fn run(self, json: bool) -> Result<Exit, Error> {
        let name = self.server_name.as_ref().unwrap_or(&self.server.host);
        let Ok(name) = name.clone().try_into() else {
            return Err(Error::usage(format!("{name} is not the name of a server")));
        };
        let probe = probe::Probe {
            addresses: self.server.resolve()?,
            name,
            timeout: Duration::from_secs(self.timeout),
            parallel: self.parallel.into(),
            transport: match self.quic {
                true => Transport::Quic {
                    alpn: self.alpn.clone(),
                },
                false => Transport::Tcp,
            },
        };
        let report = probe.run(&self.offers()?);
        let mut results = report.groups.iter().map(|(_, result)| result);
        if report.is_tls13().is_none() && results.all(is_unreachable) {
            return Err(self.server.unreachable(&report, self.quic));
        }
        let text = if json {
            format!("{}\n", self.server.as_json(&report, self.quic))
        } else {
            self.server.as_text(&report, self.quic)
        };
        to_stdout(text.as_bytes())?;
        Ok(match (report.is_post_quantum(), report.is_tls13()) {
            (true, _) => Exit::Done,
            (false, Some(true)) => Exit::Incomplete,
            (false, _) => Exit::Stopped,
        })
    }

    fn offers(&self) -> Result<Vec<Offer>, Error> {
        let policy = self.experimental.policy();
        if self.groups.is_empty() {
            return Ok(probe::offers(&policy));
        }
        for group in self
            .groups
            .iter()
            .filter_map(|offer| pqseal_tls::groups::by_id(offer.id))
        {
            group
                .check(&policy)
                .map_err(|error| Error::unsupported(&error))?;
        }
        Ok(self.groups.clone())
    }
}

impl Server {
    /// Parses `HOST`, `HOST:PORT`, or either with an IPv6 address in brackets.
    fn parse(text: &str) -> Result<Self, String> {
        let bracketed = text.strip_prefix('[').and_then(|text| text.split_once(']'));
        let (host, port) = match bracketed {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, port.strip_prefix(':').or(Some(""))),
            None if text.parse::<std::net::Ipv6Addr>().is_ok() => (text, None),
            None => match text.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let port = port.map_or(Ok(443), str::parse);
        match port {
            Ok(port) if !host.is_empty() && port != 0 => Ok(Self {
                host: host.to_owned(),
                port,
            }),
            _ => Err("give HOST or HOST:PORT, and an IPv6 address in brackets".to_owned()),
        }
    }

    fn resolve(&self) -> Result<Vec<SocketAddr>, Error> {
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let addresses = found.map_err(|error| {
            Error::stopped(
                "resolve",
                format!(
                    "cannot find the address of {}: {error}; check the name",
                    self.host
                ),
            )
        })?;
        Ok(addresses.collect())
    }

    fn unreachable(&self, report: &Report, quic: bool) -> Error {
        let failure = report
            .groups
            .iter()
            .find_map(|(_, result)| result.as_ref().err());
        let reason = failure.map_or_else(String::new, ToString::to_string);
        Error::stopped(
            "unreachable",
            format!(
                "no handshake with {}:{}: {reason}; check the port{}, or give more time with --timeout",
                self.host,
                self.port,
                if quic { " and --alpn" } else { "" }
            ),
        )
    }

    fn as_text(&self, report: &Report, quic: bool) -> String {
        let over = if quic { " over QUIC" } else { "" };
        let mut text = format!("{}:{}{over}\n\n", self.host, self.port);
        let heads = [
            "group",
            "id",
            "client share",
            "server share",
            "ClientHello",
            "ServerHello",
        ];
        let _ = writeln!(
            text,
            "{:20} {:8} {:>12} {:>12} {:>11} {:>11}  accepted",
            heads[0], heads[1], heads[2], heads[3], heads[4], heads[5]
        );
        for (offer, result) in &report.groups {
            text += &line(offer, result);
        }
        text += "\n";
        let preference = match report.preference() {
            Some(Preference::Server(group)) => {
                format!("{} (the server's order)", name(report, group))
            }
            Some(Preference::Client) => "the client's order".to_owned(),
            None => "-".to_owned(),
        };
        let certificate = report.certificate().map_or("-".to_owned(), |certificate| {
            format!("{}, {}", certificate.key, certificate.signature)
        });
        let tls13 = report.is_tls13().map_or("unknown", yes_or_no);
        let retry = yes_or_no(report.asks_for_retry());
        for (label, fact) in [
            ("TLS 1.3", tls13),
            ("post-quantum key exchange", &post_quantum(report)),
            ("preferred group", &preference),
            ("asks for another hello", retry),
            ("certificate", &certificate),
        ] {
            let _ = writeln!(text, "{label:28} {fact}");
        }
        text
    }

    fn as_json(&self, report: &Report, quic: bool) -> Value {
        let certificate = report.certificate();
        let groups = report.groups.iter().map(|(offer, result)| {
            let mut group = json!({
                "name": offer.name, "id": hex(offer.id), "post_quantum": offer.is_post_quantum(),
                "client_share": offer.client_share, "server_share": offer.server_share,
            });
            match result {
                Ok(done) => {
                    group["accepted"] = json!(true);
                    group["client_hello"] = json!(done.client_hello);
                    group["server_hello"] = json!(done.server_hello);
                }
                Err(failure) => {
                    group["accepted"] = failure.is_refusal().then_some(false).into();
                    group["reason"] = failure.to_string().into();
                }
            }
            group
        });
        json!({
            "host": self.host, "port": self.port, "transport": if quic { "quic" } else { "tcp" },
            "post_quantum": report.is_post_quantum(), "tls1_3": report.is_tls13(),
            "FS_KEMs": accepted(report, true), "FS_ECDHE_curves": accepted(report, false),
            "groups": groups.collect::<Vec<_>>(),
            "preference": report.preference().map(|preference| match preference {
                Preference::Server(group) => json!({ "order": "server", "group": name(report, group) }),
                Preference::Client => json!({ "order": "client" }),
            }),
            "hello_retry_request": report.asks_for_retry(),
            "certificate": certificate.map(|certificate| json!({
                "key": certificate.key, "signature": certificate.signature,
            })),
        })
    }
}

fn offer(name: &str) -> Result<Offer, String> {
    probe::offer_by_name(name).map_err(|error| match error {
        UnknownGroup::Other(_) => {
            let known = probe::offers(&Policy::draft().with_experimental());
            let names: Vec<_> = known.iter().map(|offer| offer.name).collect();
            format!("{error}; the groups are {}", names.join(", "))
        }
        _ => error.to_string(),
    })
}

/// Reports whether a failure does not show if the server supports the group.
fn is_unreachable(result: &Result<Handshake, Failure>) -> bool {
    matches!(result, Err(failure) if !failure.is_refusal())
}

/// Lists the accepted groups that are post-quantum, or those that are not.
fn accepted(report: &Report, post_quantum: bool) -> Vec<&str> {
    let groups = report.groups.iter();
    let groups =
        groups.filter(|(offer, result)| result.is_ok() && offer.is_post_quantum() == post_quantum);
    groups.map(|(offer, _)| offer.name).collect()
}

fn line(offer: &Offer, result: &Result<Handshake, Failure>) -> String {
    let start = format!(
        "{:20} {:8} {:>12} {:>12}",
        offer.name,
        hex(offer.id),
        offer.client_share,
        offer.server_share
    );
    match result {
        Ok(done) => format!(
            "{start} {:>11} {:>11}  yes\n",
            done.client_hello, done.server_hello
        ),
        Err(failure) if failure.is_refusal() => format!("{start} {:>11} {:>11}  no\n", "-", "-"),
        Err(failure) => format!("{start} {:>11} {:>11}  unknown: {failure}\n", "-", "-"),
    }
}

const fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

fn post_quantum(report: &Report) -> String {
    let groups = report.groups.iter();
    let unknown = groups
        .filter(|(offer, result)| offer.is_post_quantum() && is_unreachable(result))
        .count();
    match (report.is_post_quantum(), unknown) {
        (true, _) => "yes".to_owned(),
        (false, 0) => "no".to_owned(),
        (false, unknown) => format!("none accepted, {unknown} unknown"),
    }
}

fn name(report: &Report, group: u16) -> String {
    let mut offers = report.groups.iter().map(|(offer, _)| offer);
    let offer = offers.find(|offer| offer.id == group);
    offer.map_or_else(|| hex(group), |offer| offer.name.to_owned())
}

/// Make a key for Encrypted Client Hello (RFC 9849)
///
/// Writes the private key to a new file that only its owner can read: PEM, with the ECHConfigList
/// as a second PEM block, or pqseal's line for a KEM without a standard encoding. The ECHConfigList
/// goes to standard output as base64, as an HTTPS record in DNS takes it. With --json and -o - the
/// private key is in the same object. Clients must support the KEM. All of them support x25519;
/// mlkem768-x25519 also hides the name from quantum computers. `pqseal key convert --form raw`
/// writes the bare private key, for servers that take it so.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A key, and its ECHConfigList for DNS", "pqseal tls ech-keygen --public-name example.com -o ech.pem"),
    ("The next key, with another number", "pqseal tls ech-keygen --public-name example.com --config-id 1 -o next.pem"),
    ("With a post-quantum KEM", "pqseal tls ech-keygen --public-name example.com --kem mlkem768-x25519 -o ech.key"),
]))]
struct EchKeygen {
    /// The public name, which anyone can see: a host that the same server answers for
    #[arg(long, value_name = "NAME")]
    public_name: String,
    /// The KEM; `pqseal suites` lists them
    #[arg(long, value_name = "NAME", default_value = "x25519", value_parser = suite::kem)]
    kem: &'static DynKem,
    /// The number by which a client names this key, from 0 to 255; use a different one for each key
    /// in use
    #[arg(long, value_name = "N", default_value_t = 0)]
    config_id: u8,
    /// Write to this new file; an existing file is never overwritten. - is standard output, for a
    /// KEM with PEM or with --json
    #[arg(short, long, value_name = "FILE")]
    output: Target,
}

/// HKDF-SHA256 with AES-128-GCM, which every client supports, and with ChaCha20Poly1305.
const SYMMETRIC: [(u16, u16); 2] = [(1, 1), (1, 3)];

impl EchKeygen {
    fn run(self, json: bool) -> Result<(), Error> {
        let kem = self.kem.info();
        if !kems().any(|known| known.info().id == kem.id) {
            return Err(Error::usage(format!(
                "{} is not for Encrypted Client Hello; use x25519 or mlkem768-x25519",
                kem.short_name
            )));
        }
        let suites = SYMMETRIC.map(|(kdf, aead)| SuiteId::new(kem.id, kdf, aead));
        let key = EchKey::generate(self.config_id, &self.public_name, &suites);
        let key = key.map_err(|error| match error {
            EchError::PublicName(_) => Error::usage(format!("--public-name: {error}")),
            _ => Error::stopped("rng", format!("no key was made: {error}")),
        })?;
        let list = pqseal_keys::base64::encode(&key.config_list());
        let private = self.private(&key)?;
        let shown = json!({
            "ech_config_list": list, "config_id": self.config_id, "kem": kem.short_name,
        });
        match &self.output {
            Target::Stdout if json => to_reader(&with_private_key(&shown, &private)),
            Target::Stdout if !is_pem(&private) => Err(Error::usage(format!(
                "a key of {} has no PEM that could have the ECHConfigList next to it; use -o FILE, or --json",
                kem.short_name
            ))),
            Target::Stdout => to_reader(file(&private, &list).as_bytes()),
            target => {
                let file = file(&private, &list);
                target.write(file.as_bytes(), FileMode::Owner, Overwrite::Refuse)?;
                let shown = if json { shown.to_string() } else { list };
                to_stdout(format!("{shown}\n").as_bytes())
            }
        }
    }

    /// Returns the private key as PEM, or as a pqseal line.
    fn private(&self, key: &EchKey) -> Result<Zeroizing<String>, Error> {
        let private = self.kem.deserialize_private_key(key.private_key.as_ref());
        let private = private.map_err(KeyError::from).and_then(|private| {
            KeyFormat::or_pem(None, |form| pqseal_keys::write_private(&private, form))
        });
        private.map_err(|error| Error::key("memory", &error))
    }
}

fn is_pem(private: &str) -> bool {
    private.starts_with("-----BEGIN")
}

/// Returns the contents of the key file: the private key and, after PEM, the configuration.
fn file(private: &str, list: &str) -> Zeroizing<String> {
    if !is_pem(private) {
        return Zeroizing::new(private.to_owned());
    }
    let lines: Vec<&str> = (0..list.len())
        .step_by(64)
        .map(|start| &list[start..list.len().min(start + 64)])
        .collect();
    let block = lines.join("\n");
    let end = if private.ends_with('\n') { "" } else { "\n" };
    Zeroizing::new(format!(
        "{private}{end}-----BEGIN ECHCONFIG-----\n{block}\n-----END ECHCONFIG-----\n"
    ))
}

/// Returns a line of JSON with the private key as one more member. The buffer never grows, since
/// that would leave an unwiped copy.
fn with_private_key(shown: &Value, private: &str) -> Zeroizing<Vec<u8>> {
    let shown = shown.to_string();
    let open = shown.strip_suffix('}').unwrap_or(&shown);
    // A character of a key takes at most two bytes as JSON: a line break.
    let mut line = Zeroizing::new(Vec::with_capacity(open.len() + 2 * private.len() + 32));
    line.extend_from_slice(open.as_bytes());
    line.extend_from_slice(b",\"private_key\":\"");
    for byte in private.bytes() {
        match byte {
            b'\n' => line.extend_from_slice(b"\\n"),
            // PEM and lines have no other character that JSON escapes.
            byte => line.push(byte),
        }
    }
    line.extend_from_slice(b"\"}\n");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_names_or_addresses() {
        for (text, host, port) in [
            ("a.example", "a.example", 443),
            ("a.example:8443", "a.example", 8443),
            ("::1", "::1", 443),
            ("[::1]:8443", "::1", 8443),
            ("127.0.0.1:1", "127.0.0.1", 1),
        ] {
            let host = host.to_owned();
            assert_eq!(Server::parse(text), Ok(Server { host, port }));
        }
        for text in ["", ":443", "a:", "a:0", "[::1]8443"] {
            assert!(Server::parse(text).is_err(), "{text}");
        }
    }
}
