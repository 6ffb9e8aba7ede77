//! The data that a firewall rule matched in a request, extracted in place and sealed under a public
//! key, so that only the holder of the private key can read it.
//!
//! A request passes through these modules: `request` lays out the data that rules read, `walk`
//! evaluates the syntax tree of each rule and notes the fields that are read and the matches in
//! them, `data` drops fields that are part of others, truncates long ones and writes JSON, and
//! `event` seals that JSON in a record of Logpush's data set `firewall_events`.
//!
//! ```
//! use std::time::SystemTime;
//!
//! use pqseal_edge::{Action, Body, Connection, Events, Rule, Rules};
//! use pqseal_matched_data::SealOptions;
//!
//! let rule = Rule {
//!     id: "line-break".to_owned(),
//!     description: String::new(),
//!     action: Action::Log,
//!     expression: r#"http.request.uri.path matches "\n+.""#.to_owned(),
//! };
//! let rules = Rules::new(vec![rule])?; // threads share it
//!
//! let request = http::Request::get("/cms/%0Aadmin").header("host", "example.com").body(())?;
//! let from = Connection { address: [192, 0, 2, 1].into(), is_tls: true };
//! let matches = rules.matches(&request, Body::default(), from);
//! assert_eq!(matches[0].data(), r#"{"http.request.uri.path": "/cms/%0Aadmin"}"#);
//!
//! let public = pqseal_keys::read_public("Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=", None)?;
//! let events = Events::new(&public, &SealOptions::default())?;
//! let lines = events.lines(&matches, SystemTime::now())?;
//! assert!(!String::from_utf8(lines)?.contains("cms"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | share a list of rules among threads | [`Rules::new`] |
//! | learn why a rule is refused | [`RuleError`] |
//! | see which rules match, and what they read | [`Rules::matches`], [`Match::data`] |
//! | know whether a rule reads the body | [`Rules::read_the_body`] |
//! | write a sealed event for each match | [`Events::lines`] |
//! | seal the events of many requests at once | [`Events::lines_of_all`] |

#![forbid(unsafe_code)]

#[cfg(test)]
mod agrees;
mod cut;
mod data;
mod event;
mod field;
mod percent;
mod request;
mod rules;
mod test;
mod tree;
mod walk;

pub use event::{Events, Matched, NotSealed};
pub use request::{Body, Connection};
pub use rules::{Action, MAX_EXPRESSION, MAX_NESTING, Match, Problem, Rule, RuleError, Rules};
