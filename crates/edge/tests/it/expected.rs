//! Rules with the fields that are expected of them, written by hand: the fields that are read,
//! their order, the operands that are skipped, fields that are part of others, and the
//! truncation of long ones.

use http::Request;
use pqseal_edge::{Action, Body, Connection, Match, Problem, Rule, Rules};

use crate::common::{matches, rule};

const BODY: &[u8] = b"user=admin&password=1' OR '1'='1";

fn request() -> Request<()> {
    Request::post("/a%2Fb/login.php?next=%2Fhome&q=1+2")
        .header("Host", "shop.example.com")
        .header("User-Agent", "sqlmap/1.9")
        .header("Cookie", "a=1")
        .header("Cookie", "b=2")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("X-Forwarded-For", "203.0.113.9")
        .header("X-Forwarded-For", "203.0.113.10")
        .body(())
        .unwrap()
}

/// Returns the data of the only rule, or `None` if it does not match.
fn data(expression: &str) -> Option<String> {
    let found = matches(expression, &request(), BODY);
    found.first().map(|found| found.data().to_owned())
}

fn check(expression: &str, expected: &str) {
    assert_eq!(data(expression).as_deref(), Some(expected), "{expression}");
}

const METHOD: &str = r#""http.request.method": "POST""#;
const VERSION: &str = r#""http.request.version": "HTTP/1.1""#;
const HOST: &str = r#""http.host": "shop.example.com""#;
const AGENT: &str = r#""http.user_agent": "sqlmap/1.9""#;

#[test]
fn what_is_read_is_logged_as_it_came() {
    for (expression, expected) in [
        (r#"http.request.method eq "POST""#, METHOD),
        (
            r#"http.request.uri.path eq "/a/b/login.php""#,
            r#""http.request.uri.path": "/a%2Fb/login.php""#,
        ),
        (
            r#"raw.http.request.uri.path contains "%2F""#,
            r#""raw.http.request.uri.path": "/a%2Fb/login.php""#,
        ),
        (
            r#"http.request.uri.query contains "next=/home&q=1 2""#,
            r#""http.request.uri.query": "next=%2Fhome&q=1+2""#,
        ),
        (
            r#"http.cookie eq "a=1; b=2""#,
            r#""http.cookie": "a=1; b=2""#,
        ),
        (
            r#"http.x_forwarded_for contains "203.0.113.9, ""#,
            r#""http.x_forwarded_for": "203.0.113.9, 203.0.113.10""#,
        ),
        (
            r#"http.request.headers.content_type contains "urlencoded""#,
            r#""http.request.headers.content_type": "application/x-www-form-urlencoded""#,
        ),
        (
            r#"http.request.headers.x_missing eq """#,
            r#""http.request.headers.x_missing": """#,
        ),
        (
            r#"http.request.body.raw matches "'\s+OR\s+'""#,
            r#""http.request.body.raw": "user=admin&password=1' OR '1'='1""#,
        ),
        (
            "http.request.body.size ge 32",
            r#""http.request.body.size": 32"#,
        ),
        (
            "http.request.body.size & 0x20",
            r#""http.request.body.size": 32"#,
        ),
        (
            "not http.request.body.truncated",
            r#""http.request.body.truncated": false"#,
        ),
        ("ssl", r#""ssl": true"#),
        (
            "ip.src in {10.0.0.0/8 198.51.100.0/24}",
            r#""ip.src": "198.51.100.7""#,
        ),
        ("ip.src ne ::1", r#""ip.src": "198.51.100.7""#),
        (
            r#"http.request.full_uri eq "https://shop.example.com/a/b/login.php?next=/home&q=1 2""#,
            r#""http.request.full_uri": "https://shop.example.com/a%2Fb/login.php?next=%2Fhome&q=1+2""#,
        ),
    ] {
        check(expression, &format!("{{{expected}}}"));
    }
}

/// A target with a host may have no path, and is sent with `/`.
#[test]
fn a_missing_path_is_a_slash() {
    let expression = r#"http.request.uri.path eq "/" and http.request.uri.query eq "x" and raw.http.request.uri eq "/?x""#;
    let request = Request::get("http://a.example?x").body(()).unwrap();
    let found = matches(expression, &request, b"");
    assert_eq!(found[0].data(), r#"{"raw.http.request.uri": "/?x"}"#);
}

/// The limits of rules, as docs/edge.md lists them.
#[test]
fn what_servers_read_differently_can_be_found() {
    for (name, value) in [
        ("x_name", r#"http.request.headers matches "(?m)^[^:]*_""#),
        (
            "content-encoding",
            r#"http.request.headers.content_encoding ne """#,
        ),
        ("host", r#"http.host matches "(?i)^admin\.example$""#),
    ] {
        let with = |name| {
            Request::get("/")
                .header(name, "Admin.example")
                .body(())
                .unwrap()
        };
        assert_eq!(matches(value, &with(name), b"").len(), 1, "{name}");
        assert!(matches(value, &with("x-name"), b"").is_empty(), "{name}");
    }
}

#[test]
fn and_ends_at_the_first_side_that_is_false() {
    let no = r#"http.request.method eq "GET""#;
    // Under `not`, so that the rule matches: what follows the false side is not read.
    check(
        &format!(r#"not ({no} and http.host contains "shop")"#),
        &format!("{{{METHOD}}}"),
    );
    check(
        &format!(r#"not (http.host contains "shop" and {no} and ssl)"#),
        &format!("{{{HOST}, {METHOD}}}"),
    );
    check(
        r#"ssl and http.host contains "shop" and http.user_agent contains "sqlmap""#,
        &format!(r#"{{"ssl": true, {HOST}, {AGENT}}}"#),
    );
    assert_eq!(data(&format!("{no} and ssl")), None);
}

#[test]
fn or_ends_at_the_first_side_that_is_true() {
    let (yes, no) = (
        r#"http.request.method eq "POST""#,
        r#"http.request.version eq "HTTP/2""#,
    );
    let host = r#"http.host contains "shop""#;
    check(&format!("{yes} or {host}"), &format!("{{{METHOD}}}"));
    check(
        &format!("{no} or {yes} or {host}"),
        &format!("{{{VERSION}, {METHOD}}}"),
    );
    check(&format!("not ({no} or {no})"), &format!("{{{VERSION}}}"));
    assert_eq!(data(&format!("{no} or {no}")), None);
}

#[test]
fn xor_reads_all_sides() {
    let (yes, no) = (
        r#"http.request.method eq "POST""#,
        r#"http.request.version eq "HTTP/2""#,
    );
    let host = r#"http.host contains "shop""#;
    check(
        &format!("{yes} xor {no}"),
        &format!("{{{METHOD}, {VERSION}}}"),
    );
    check(
        &format!("{no} xor {yes} xor {no}"),
        &format!("{{{VERSION}, {METHOD}}}"),
    );
    // Three that are true are odd.
    check(
        &format!("{yes} xor {host} xor ssl"),
        &format!(r#"{{{METHOD}, {HOST}, "ssl": true}}"#),
    );
    assert_eq!(data(&format!("{yes} xor {host}")), None);
}

#[test]
fn nested_operators_keep_their_own_order() {
    let (yes, no) = (
        r#"http.request.method eq "POST""#,
        r#"http.request.version eq "HTTP/2""#,
    );
    let (host, agent) = (
        r#"http.host contains "shop""#,
        r#"http.user_agent contains "sqlmap""#,
    );
    // `and` binds tighter than `xor`, and that tighter than `or`.
    check(
        &format!("{no} and {host} or {yes} and {agent}"),
        &format!("{{{VERSION}, {METHOD}, {AGENT}}}"),
    );
    check(
        &format!("({no} or {yes}) and ({agent} or {host})"),
        &format!("{{{VERSION}, {METHOD}, {AGENT}}}"),
    );
    check(
        &format!("{no} xor {yes} or {host}"),
        &format!("{{{VERSION}, {METHOD}}}"),
    );
    check(
        &format!("not ({yes} xor ({host} or {agent})) and not not ssl"),
        &format!(r#"{{{METHOD}, {HOST}, "ssl": true}}"#),
    );
    check(
        &format!("{yes} and not ({no} and {agent}) and {yes}"),
        &format!("{{{METHOD}, {VERSION}}}"),
    );
}

#[test]
fn parts_of_other_fields_are_dropped() {
    for (expression, expected) in [
        (
            r#"http.request.uri.path contains "login" and http.request.uri contains "home""#,
            r#"{"http.request.uri": "/a%2Fb/login.php?next=%2Fhome&q=1+2"}"#,
        ),
        (
            r#"http.request.uri contains "home" and http.request.uri.query contains "q=""#,
            r#"{"http.request.uri": "/a%2Fb/login.php?next=%2Fhome&q=1+2"}"#,
        ),
        (
            r#"http.host contains "shop" and http.request.uri.path contains "login" and http.request.uri.query contains "q" and http.request.uri contains "home" and http.request.full_uri contains "https""#,
            r#"{"http.request.full_uri": "https://shop.example.com/a%2Fb/login.php?next=%2Fhome&q=1+2"}"#,
        ),
        (
            r#"http.request.uri.path contains "login" and http.request.uri.query contains "q=""#,
            r#"{"http.request.uri.path": "/a%2Fb/login.php", "http.request.uri.query": "next=%2Fhome&q=1+2"}"#,
        ),
        (
            r#"raw.http.request.uri.path contains "%2F" and http.request.uri.path contains "a/b""#,
            r#"{"raw.http.request.uri.path": "/a%2Fb/login.php"}"#,
        ),
        (
            r#"http.user_agent contains "map" and http.request.headers.user_agent contains "1.9""#,
            r#"{"http.user_agent": "sqlmap/1.9"}"#,
        ),
        (
            r#"http.user_agent contains "map" and http.request.headers contains "cookie: a=1; b=2" and http.request.headers.x_missing eq """#,
            r#"{"http.request.headers": "host: shop.example.com\nuser-agent: sqlmap/1.9\ncookie: a=1; b=2\ncontent-type: application/x-www-form-urlencoded\nx-forwarded-for: 203.0.113.9, 203.0.113.10\n"}"#,
        ),
    ] {
        check(expression, expected);
    }
}

#[test]
fn a_field_is_logged_once() {
    check(
        r#"http.host contains "shop" and ssl and http.host contains "example""#,
        &format!(r#"{{{HOST}, "ssl": true}}"#),
    );
}

fn body_data(expression: &str, body: &[u8]) -> String {
    matches(expression, &request(), body)[0].data().to_owned()
}

#[test]
fn long_fields_are_cut_around_what_matched() {
    let (a, b) = ("a".repeat(1000), "b".repeat(1000));
    let body = format!("{a}<script>{b}");
    assert_eq!(
        body_data(
            r#"http.request.body.raw contains "<script>""#,
            body.as_bytes()
        ),
        format!(
            r#"{{"http.request.body.raw": {{"before": "{}", "content": "<script>", "after": "{}"}}}}"#,
            &a[..75],
            &b[..75]
        )
    );
    // Two places that are far from each other are an array.
    let body = format!("{a}<script>{b}union select");
    assert_eq!(
        body_data(
            r#"http.request.body.raw contains "<script>" and http.request.body.raw matches "union\s+select""#,
            body.as_bytes()
        ),
        format!(
            r#"{{"http.request.body.raw": [{{"before": "{}", "content": "<script>", "after": "{}"}}, {{"before": "{}", "content": "union select"}}]}}"#,
            &a[..75],
            &b[..75],
            &b[..75]
        )
    );
    // Nothing was found: its beginning.
    assert_eq!(
        body_data(
            r#"not http.request.body.raw contains "x""#,
            b.repeat(2).as_bytes()
        ),
        format!(
            r#"{{"http.request.body.raw": {{"content": "{}"}}}}"#,
            "b".repeat(1024)
        )
    );
}

#[test]
fn what_matched_in_a_part_is_not_cut_off() {
    let path = format!("/{}%3Cscript%3E{}", "a".repeat(1500), "b".repeat(1500));
    let request = Request::get(path).header("Host", "h").body(()).unwrap();
    let rule = r#"http.request.uri.path contains "<script>" and http.request.full_uri contains "https://h/""#;
    let expected = format!(
        r#"{{"http.request.full_uri": [{{"content": "https://h/", "after": "{}"}}, {{"before": "{}", "content": "%3Cscript%3E", "after": "{}"}}]}}"#,
        "a".repeat(75),
        "a".repeat(75),
        "b".repeat(75)
    );
    assert_eq!(matches(rule, &request, b"")[0].data(), expected);
}

#[test]
fn bytes_that_are_not_utf_8_are_kept_as_base64() {
    assert_eq!(
        body_data(r#"http.request.body.raw contains FE:FF"#, b"a\xfe\xffb"),
        "{\"http.request.body.raw\": {\"content\": \"a\u{fffd}\u{fffd}b\", \"base64\": \"Yf7/Yg==\"}}"
    );
}

#[test]
fn rules_are_asked_in_order_up_to_one_that_blocks() {
    let named = |id: &str, action, expression| Rule {
        id: id.to_owned(),
        action,
        ..rule(expression)
    };
    let rules = vec![
        named("first", Action::Log, "ssl"),
        named("other", Action::Block, "not ssl"),
        named("second", Action::Block, "ssl"),
        named("third", Action::Log, "ssl"),
    ];
    let rules = Rules::new(rules).unwrap();
    let from = Connection {
        is_tls: true,
        ..Connection::default()
    };
    let found = rules.matches(&request(), Body::default(), from);
    let ids: Vec<_> = found
        .iter()
        .map(|found: &Match| found.rule.id.as_str())
        .collect();
    assert_eq!(ids, ["first", "second"]);
}

#[test]
fn rules_that_cannot_be_used_say_why() {
    let problem = |expression: &str| Rules::new(vec![rule(expression)]).unwrap_err().problem;
    let syntax = |expression: &str| match problem(expression) {
        Problem::Syntax {
            line,
            column,
            message,
        } => (line, column, message),
        other => panic!("{other}"),
    };
    assert_eq!(
        syntax("ssl and\nhttp.x eq 1"),
        (2, 1, "unknown field".to_owned())
    );
    assert_eq!(syntax(r#"any(http.request.headers.names[*] eq "a")"#).0, 1);
    assert_eq!(
        problem(&format!("{}ssl{}", "(".repeat(257), ")".repeat(257))),
        Problem::TooDeep
    );
    assert_eq!(problem(&"x".repeat(4097)), Problem::TooLong(4097));
    let deep = format!("{}ssl{}", "(".repeat(255), ")".repeat(255));
    assert!(Rules::new(vec![rule(&deep)]).is_ok());
    let twice = Rules::new(vec![rule("ssl"), rule("ssl")]).unwrap_err();
    assert_eq!(twice.problem, Problem::IdTwice);
    assert_eq!(
        twice.to_string(),
        r#"rule "rule": an earlier rule has the same id; give it another one"#
    );
}
