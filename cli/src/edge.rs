//! The command line of `pqseal-edge`, whose options fill the configuration of [`pqseal_edge_proxy`].

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use clap::{Args, Parser};
use pqseal_edge_proxy::{Config, Edge, EventSealer, RuleFile};
use pqseal_server::health::HealthUrl;
use pqseal_text::calendar::ENDS;

use crate::{
    calendar,
    error::{Error, Exit, warn, warn_in_json},
    parse::Example,
    recipient::{Recipient, can_be_read_again, recipient_or_calendar},
};

/// Forward HTTP requests, and log what rules match in them, sealed under a public key
///
/// Each rule that matches gives a line of JSON in the log, as Logpush writes firewall events;
/// `pqseal logs open` opens it. A rule with the action `block` answers 403. Nothing of a request is
/// written in the clear: not to the log, and not to standard error, which has a line of JSON for
/// each failure. SIGHUP reads the rules and the key again; SIGTERM ends it once the requests in
/// work are answered. It exits with 1 if an event could not be written.
#[derive(Parser)]
#[command(
    name = "pqseal-edge",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_long_help = crate::parse::help(&EXAMPLES)
)]
pub struct Options {
    #[command(flatten)]
    settings: Option<Settings>,
    /// Ask a running proxy for its health, such as http://127.0.0.1:9090/healthz, and end: with 0
    /// if it answers 200, otherwise with 1
    #[arg(long, value_name = "URL", exclusive = true)]
    health: Option<HealthUrl>,
}

const EXAMPLES: [Example; 3] = [
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

#[derive(Args)]
struct Settings {
    /// The rules and limits, in TOML; docs/edge.md describes them
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    /// Seal to this public key, to the one in this file, or to the current period of this public
    /// calendar (version 4)
    #[arg(long, value_name = "KEY")]
    to: String,
    /// With a calendar: warn this many days before its end. No effect with a single key
    #[arg(long, value_name = "N", default_value_t = calendar::WARN_DAYS)]
    warn_days: u64,
    /// Forward requests to this server, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Append events to this file; it may be renamed at any time, and is then created again
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    /// Receive requests on this address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    /// Answer /metrics and /healthz on this address
    #[arg(long, value_name = "ADDRESS")]
    monitor: Option<SocketAddr>,
    /// Forward a request that matched only when its events are on the disk, and answer 503 if they
    /// cannot be written
    #[arg(long)]
    require_log: bool,
    /// Read the rules and the key, check that the log can be written, report errors, and exit
    #[arg(long)]
    check: bool,
}

impl Options {
    /// Runs the proxy until a signal ends it, or asks a running one, and reports an error.
    pub fn run(self) -> ExitCode {
        let done = match (self.health, self.settings) {
            (Some(url), _) => url.check().map(|()| Exit::Done).map_err(Error::from),
            (None, Some(settings)) => settings.serve(),
            // Required arguments are missing, which clap has reported.
            (None, None) => Ok(Exit::Usage),
        };
        match done {
            Ok(exit) => exit.into(),
            Err(error) => {
                error.report(false);
                error.exit.into()
            }
        }
    }
}

impl Settings {
    fn serve(self) -> Result<Exit, Error> {
        let rules = RuleFile::read(&self.rules)?;
        let sealer = sealer(&self.to, self.warn_days)?;
        let is_check = self.check;
        let config = Config {
            rules: self.rules,
            key: PathBuf::from(&self.to),
            read_again: Box::new(move || match can_be_read_again(&self.to) {
                true => Ok(Some(self::sealer(&self.to, self.warn_days)?)),
                false => Ok(None),
            }),
            upstream: self.upstream,
            log: self.log,
            listen: self.listen,
            monitor: self.monitor,
            requires_log: self.require_log,
        };
        let edge = Edge::new(config, rules, sealer)?;
        if is_check {
            if let Some(text) = edge.check()? {
                warn(ENDS, text);
            }
            return Ok(Exit::Done);
        }
        // All later lines on standard error are JSON.
        warn_in_json();
        Ok(edge.run()?.into())
    }
}

/// Reads the key or the calendar that `--to` names.
///
/// # Errors
/// As [`recipient_or_calendar`], and if the calendar has no key for the current period.
fn sealer(to: &str, warn_days: u64) -> Result<EventSealer, Error> {
    let recipient = recipient_or_calendar(to, true)?;
    let name = recipient.name();
    Ok(match recipient {
        Recipient::Key(key) => EventSealer::to_key(&key, name)?,
        Recipient::Calendar(calendar) => EventSealer::to_calendar(calendar, name, to, warn_days)?,
    })
}
