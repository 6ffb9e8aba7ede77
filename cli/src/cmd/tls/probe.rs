//! `pqseal tls probe`: shows which groups a server accepts.

use std::{
    fmt::Write,
    net::{SocketAddr, ToSocketAddrs},
    time::Duration,
};

use clap::{Args, value_parser};
use pqseal_tls::{
    Policy,
    groups::UnknownGroup,
    probe::{self, Failure, Handshake, Offer, Preference, Report, Transport},
};
use serde_json::{Value, json};

use crate::{
    binding::AllowExperimental,
    error::{Error, Exit},
    output::to_stdout,
    suite::hex,
};

/// Show which key exchange groups a TLS 1.3 server accepts
///
/// Makes one handshake per group, a second one for a group without an answer, one with common
/// groups if none was accepted, and two more that offer every accepted group in either order.
/// Certificates are shown and not verified. Groups are named as in testssl.sh. The exit code is 0
/// if the server accepts a post-quantum group, 1 if it has TLS 1.3 and accepts no post-quantum
/// group that was asked for, and 3 if it cannot be reached, has no TLS 1.3, or does not show
/// whether it has.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::TLS_PROBE))]
pub(super) struct Probe {
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
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let name = self.server_name.as_ref().unwrap_or(&self.server.host);
        let Ok(name) = name.clone().try_into() else {
            return Err(Error::usage(format!("{name} is not the name of a server")));
        };
        let probe = probe::Probe {
            addresses: self.server.resolve()?,
            name,
            timeout: Duration::from_secs(self.timeout),
            parallel: self.parallel.into(),
            transport: self.transport(),
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

    fn transport(&self) -> Transport {
        if !self.quic {
            return Transport::Tcp;
        }
        Transport::Quic {
            alpn: self.alpn.clone(),
        }
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
        let addresses = found.map_err(|error| Error {
            exit: Exit::Stopped,
            code: "resolve",
            message: format!(
                "cannot find the address of {}: {error}; check the name",
                self.host
            ),
        })?;
        Ok(addresses.collect())
    }

    fn unreachable(&self, report: &Report, quic: bool) -> Error {
        let failure = report
            .groups
            .iter()
            .find_map(|(_, result)| result.as_ref().err());
        let reason = failure.map_or_else(String::new, ToString::to_string);
        Error {
            exit: Exit::Stopped,
            code: "unreachable",
            message: format!(
                "no handshake with {}:{}: {reason}; check the port{}, or give more time with --timeout",
                self.host,
                self.port,
                if quic { " and --alpn" } else { "" }
            ),
        }
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
        for (label, fact) in facts(report) {
            let _ = writeln!(text, "{label:28} {fact}");
        }
        text
    }

    fn as_json(&self, report: &Report, quic: bool) -> Value {
        let accepted = |post_quantum: bool| -> Vec<&str> {
            let groups = report.groups.iter();
            let groups = groups.filter(|(offer, result)| {
                result.is_ok() && offer.is_post_quantum() == post_quantum
            });
            groups.map(|(offer, _)| offer.name).collect()
        };
        let certificate = report.certificate();
        json!({
            "host": self.host, "port": self.port, "transport": if quic { "quic" } else { "tcp" },
            "post_quantum": report.is_post_quantum(), "tls1_3": report.is_tls13(),
            "FS_KEMs": accepted(true), "FS_ECDHE_curves": accepted(false),
            "groups": report.groups.iter().map(group_json).collect::<Vec<_>>(),
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

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let preference = match report.preference() {
        Some(Preference::Server(group)) => format!("{} (the server's order)", name(report, group)),
        Some(Preference::Client) => "the client's order".to_owned(),
        None => "-".to_owned(),
    };
    let certificate = report.certificate().map_or("-".to_owned(), |certificate| {
        format!("{}, {}", certificate.key, certificate.signature)
    });
    let tls13 = report.is_tls13().map_or("unknown".to_owned(), yes);
    vec![
        ("TLS 1.3", tls13),
        ("post-quantum key exchange", post_quantum(report)),
        ("preferred group", preference),
        ("asks for another hello", yes(report.asks_for_retry())),
        ("certificate", certificate),
    ]
}

fn post_quantum(report: &Report) -> String {
    let unknown = |(offer, result): &&(Offer, _)| offer.is_post_quantum() && is_unreachable(result);
    match (
        report.is_post_quantum(),
        report.groups.iter().filter(unknown).count(),
    ) {
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

fn group_json((offer, result): &(Offer, Result<Handshake, Failure>)) -> Value {
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
