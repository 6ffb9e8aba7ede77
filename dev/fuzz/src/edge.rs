//! Rules of the proxy and requests: a rule or its negation matches, and logged data is JSON with
//! pieces of the request.

use std::sync::LazyLock;

use http::{HeaderName, HeaderValue, Method, Request, Uri, Version};
use pqseal_edge::{Action, Body, Connection, Match, Problem, Rule, Rules};
use serde_json::Value;

use crate::samples::Input;

/// The longest text that is logged whole, and the longest `content` of a piece, in bytes
/// (docs/edge.md).
const WHOLE: usize = 1024;
/// The most bytes that are logged before it, and after it.
const CONTEXT: usize = 75;

/// Parses an expression, and checks that it or its negation matches each request.
pub(crate) fn run_rules(bytes: &[u8]) {
    let Ok(expression) = str::from_utf8(bytes) else {
        return;
    };
    let not = format!("not ({expression})");
    if let Err(error) = Rules::new(vec![rule(0, expression)]) {
        assert!(!error.to_string().is_empty());
        assert_ne!(error.problem, Problem::Unknown);
        return;
    }
    // The negation may be too long or nested too deeply.
    let Ok(rules) = Rules::new(vec![rule(0, expression), rule(1, &not)]) else {
        return;
    };
    for number in 0..3 {
        let body = [&b""[..], b"user=admin' OR '1'='1", &[b'a'; 1200]][number];
        let asked = Asked {
            request: published(number),
            body,
            from: Connection::default(),
            is_truncated: number == 2,
        };
        asked.check(&rules);
    }
}

/// Evaluates fixed rules, and their negations, on a request.
pub(crate) fn run_request(bytes: &[u8]) {
    if let Some(asked) = Asked::read(&mut Input::new(bytes)) {
        asked.check(&RULES);
    }
}

/// Expressions with each comparison, operator and kind of field.
const EXPRESSIONS: [&str; 16] = [
    r#"http.request.version eq "HTTP/1.1" and (http.request.uri.path matches "\n+." or http.request.uri.query matches "\x00+.")"#,
    r#"http.request.uri.path contains "admin""#,
    r#"raw.http.request.uri.query contains "%00" xor http.request.uri.query contains 00"#,
    r#"http.request.full_uri matches "(?i)union.+select" or http.host eq "example.com""#,
    r#"http.request.uri in {"/" "/a+b?c=1 2"}"#,
    r#"http.request.method ne "GET" and not http.request.headers.x_name contains "a""#,
    r#"http.request.headers contains "x-name: ""#,
    r#"http.request.headers matches "[^ -~\n]""#,
    r#"http.cookie gt "a" xor http.user_agent lt "b" xor http.referer ge "c""#,
    r#"http.request.body.raw contains "<script>""#,
    r#"http.request.body.raw contains "<" and http.request.body.raw contains ">" and http.request.body.raw contains 82:ac"#,
    r#"http.request.body.raw matches "'\s+OR\s+'" and http.request.body.size & 1"#,
    r#"http.request.body.size in {0..5 1000..2000} or http.request.body.truncated"#,
    r#"http.request.body.raw matches "[^a]+" or http.request.uri.path matches "/+""#,
    r#"ip.src in {192.0.2.0/25 2001:db8::/33} and (ssl or ip.src ne 192.0.2.7)"#,
    r#"raw.http.request.full_uri le "https://m" xor raw.http.request.uri.path eq "/" xor raw.http.request.uri contains "?""#,
];

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let rules = EXPRESSIONS
        .iter()
        .enumerate()
        .flat_map(|(number, expression)| {
            let not = format!("not ({expression})");
            [rule(2 * number, expression), rule(2 * number + 1, &not)]
        })
        .collect();
    Rules::new(rules).expect("rules that are right")
});

fn rule(number: usize, expression: &str) -> Rule {
    Rule {
        id: number.to_string(),
        description: String::new(),
        action: Action::Log,
        expression: expression.to_owned(),
    }
}

/// The input of rules.
struct Asked<'i> {
    request: Request<()>,
    body: &'i [u8],
    is_truncated: bool,
    from: Connection,
}

impl<'i> Asked<'i> {
    /// Reads a byte of choices, the target, up to two headers, and the body. A long body is
    /// extended by 2,000 bytes.
    fn read(input: &mut Input<'i>) -> Option<Self> {
        let choices = input.byte();
        let is = |bit: u8| choices >> bit & 1 == 1;
        let methods = [Method::GET, Method::POST];
        let versions = [Version::HTTP_11, Version::HTTP_2];
        let address = input.array::<16>();
        let from = Connection {
            address: match is(2) {
                true => address.into(),
                false => [192, 0, 2, address[0]].into(),
            },
            is_tls: is(3),
        };
        let target = input.short();
        let mut request = Request::new(());
        *request.method_mut() = methods[usize::from(is(0))].clone();
        *request.version_mut() = versions[usize::from(is(1))];
        *request.uri_mut() = Uri::try_from(target).ok()?;
        for _ in 0..choices >> 6 {
            let (name, value) = (input.byte(), input.short());
            let name = HEADERS[usize::from(name) % HEADERS.len()].clone();
            let value = HeaderValue::from_bytes(value).ok()?;
            request.headers_mut().append(name, value);
        }
        Some(Self {
            request,
            body: input.rest(),
            is_truncated: is(4),
            from,
        })
    }

    fn check(&self, rules: &Rules) {
        let body = Body {
            bytes: self.body,
            is_truncated: self.is_truncated,
        };
        let matches = rules.matches(&self.request, body, self.from);
        let ids: Vec<usize> = matches
            .iter()
            .map(|found| found.rule.id.parse().expect("a number"))
            .collect();
        let pairs: Vec<usize> = ids.iter().map(|id| id / 2).collect();
        assert!(pairs.iter().copied().eq(0..rules.iter().count() / 2));
        matches.iter().for_each(|found| self.check_data(found));
    }

    /// Checks that it is JSON of fields that the rule names, with pieces of the request.
    fn check_data(&self, found: &Match) {
        let data: Value = serde_json::from_str(found.data()).expect("JSON");
        let data = data.as_object().expect("an object");
        assert!(!data.is_empty());
        for (field, value) in data {
            assert!(found.rule.expression.contains(field.as_str()));
            let Some(raw) = self.raw(field) else { continue };
            match value {
                Value::String(text) => assert_eq!(text.as_bytes(), raw),
                Value::Object(_) => check_pieces(std::slice::from_ref(value), &raw),
                Value::Array(pieces) => check_pieces(pieces, &raw),
                _ => panic!("{field} is a text"),
            }
        }
    }

    /// Returns the bytes of a field; `None` for fields that are composed of several.
    fn raw(&self, field: &str) -> Option<Vec<u8>> {
        let (uri, headers) = (self.request.uri(), self.request.headers());
        let name = field.strip_prefix("raw.").unwrap_or(field);
        Some(match name {
            "http.request.uri.path" => uri.path().into(),
            "http.request.uri.query" => uri.query().unwrap_or_default().into(),
            "http.request.body.raw" => self.body.to_vec(),
            "http.request.headers.x_name" => {
                let values: Vec<_> = headers.get_all("x-name").iter().collect();
                let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
                values.join(&b", "[..])
            }
            _ => return None,
        })
    }
}

/// Checks that the pieces occur in the text in order, and that none is longer than documented.
fn check_pieces(pieces: &[Value], raw: &[u8]) {
    let is_utf8 = str::from_utf8(raw).is_ok();
    assert!(raw.len() > WHOLE || !is_utf8 && pieces.len() == 1);
    let mut rest = raw;
    for piece in pieces {
        let part = |name: &str| {
            piece
                .get(name)
                .map_or("", |part| part.as_str().expect("a text"))
        };
        let (before, content, after) = (part("before"), part("content"), part("after"));
        let all = match piece.get("base64") {
            Some(base64) => {
                let base64 = base64.as_str().expect("a text").as_bytes();
                let bytes = pqseal_keys::base64::decode(base64)
                    .expect("base64")
                    .to_vec();
                assert!(str::from_utf8(&bytes).is_err());
                bytes
            }
            None => {
                assert!(
                    content.len() <= WHOLE && before.len() <= CONTEXT && after.len() <= CONTEXT
                );
                [before, content, after].concat().into_bytes()
            }
        };
        assert!(all.len() <= WHOLE + 2 * CONTEXT);
        assert_eq!(
            String::from_utf8_lossy(&all)
                .chars()
                .filter(|letter| *letter != '\u{fffd}')
                .count(),
            [before, content, after]
                .concat()
                .chars()
                .filter(|letter| *letter != '\u{fffd}')
                .count(),
        );
        let at = find(rest, &all).expect("a piece of what is left");
        rest = &rest[at + all.len()..];
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    let last = text.len().checked_sub(part.len())?;
    (0..=last).find(|at| text[*at..].starts_with(part))
}

static HEADERS: [HeaderName; 6] = [
    HeaderName::from_static("x-name"),
    http::header::HOST,
    http::header::COOKIE,
    http::header::USER_AGENT,
    http::header::REFERER,
    HeaderName::from_static("x-other"),
];

/// Returns the request that the vendor published, or one of two others.
fn published(number: usize) -> Request<()> {
    let target = [
        "/cms/%0Aadmin?action=%00post",
        "/",
        "https://example.com/a+b?c=%3Cscript%3E",
    ];
    let request = Request::get(target[number]).header("Host", "example.com");
    let request = request.header("X-Name", "a").header("Cookie", "b=1");
    request.body(()).expect("a request")
}

pub(crate) fn rule_seeds() -> Vec<Vec<u8>> {
    let others = [
        "ip.addr in {10.0.0.0/8 ::1 192.0.2.1..192.0.2.9}",
        "http.request.body.size lt -0x10 || http.request.body.size ge 017",
        r#"http.request.headers.x_name contains 61:00:ff or not (!ssl ^^ ssl)"#,
        r#"http.request.uri.path matches "^(a{1,9}|[^\x00\"]\\d)+$" && ssl"#,
        r#"http.host in {"a" "b".."c" 61:62} ~ "x""#,
    ];
    let all = EXPRESSIONS.iter().chain(&others);
    all.map(|expression| expression.as_bytes().to_vec())
        .collect()
}

pub(crate) fn request_seeds() -> Vec<Vec<u8>> {
    let long = |text: &[u8]| [&[b'a'; 1100][..], text, &[b'b'; 400]].concat();
    let bodies = [
        Vec::new(),
        b"user=admin&password=1' OR '1'='1".to_vec(),
        b"<script>\xff\xfe".to_vec(),
        long(b"<script>"),
        long("\u{20ac}\u{1f600}".as_bytes()),
        [long(b"<script>"), long(b"\xc3' OR '")].concat(),
    ];
    let targets: [&[u8]; 3] = [
        b"/cms/%0Aadmin?action=%00post",
        b"/a+b?c=1+2&union%20select",
        b"http://example.com?q",
    ];
    bodies
        .iter()
        .enumerate()
        .map(|(number, body)| {
            let target = targets[number % targets.len()];
            let choices = [0x40, 0x45, 0x4b, 0x5e, 0x50, 0x40][number];
            let mut seed = vec![choices];
            seed.extend([7; 16]);
            for text in [target, b"", b"a, b"] {
                seed.push(u8::try_from(text.len()).expect("a short text"));
                seed.extend(text);
            }
            seed.extend(body);
            seed
        })
        .collect()
}
