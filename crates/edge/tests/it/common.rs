//! Helpers that the tests share.

use http::Request;
use pqseal_edge::{Action, Body, Connection, Match, Rule, Rules};

/// The rule that the vendor published.
pub(crate) const PUBLISHED: &str = r#"http.request.version eq "HTTP/1.1" and (http.request.uri.path matches "\n+." or http.request.uri.query matches "\x00+.")"#;

pub(crate) fn rule(expression: &str) -> Rule {
    Rule {
        id: "rule".to_owned(),
        description: "what it is for".to_owned(),
        action: Action::Log,
        expression: expression.to_owned(),
    }
}

pub(crate) fn rules(expression: &str) -> Rules {
    Rules::new(vec![rule(expression)]).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the published request.
pub(crate) fn published() -> Request<()> {
    let request = Request::get("/cms/%0Aadmin?action=%00post");
    request.header("Host", "example.com").body(()).unwrap()
}

pub(crate) fn matches(expression: &str, request: &Request<()>, body: &[u8]) -> Vec<Match> {
    let body = Body {
        bytes: body,
        is_truncated: false,
    };
    let from = Connection {
        address: [198, 51, 100, 7].into(),
        is_tls: true,
    };
    rules(expression).matches(request, body, from)
}
