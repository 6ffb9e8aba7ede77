//! The processor time that rules add to a request: `cargo bench -p pqseal-edge`.
//! `dev/benches/edge.py` measures the whole proxy.
//!
//! The benchmark uses ten rules on the parts that rules usually read, 16 and 1,000 rules of these
//! kinds with texts of their own, and a browser's request.
//! Samples of the cases are interleaved, because noise comes in waves. The median of each case is
//! printed, in microseconds.

use std::{hint::black_box, time::SystemTime};

use http::Request;
use pqseal_edge::{Action, Body, Connection, Events, Match, Matched, Rule, Rules};
use pqseal_matched_data::SealOptions;
use rustix::time::{ClockId, clock_gettime};

const SAMPLES: usize = 41;
const REQUESTS: u32 = 512;
/// The number of events that are sealed together, as many as the proxy takes at once under load.
const TOGETHER: usize = 32;

/// Expressions that do not match `request("/products/7?color=red")`. The last one matches
/// `request("/products/%0Ax?color=red")`.
const EXPRESSIONS: [&str; 10] = [
    r#"http.request.uri.query matches "(?i)union\s+select""#,
    r#"http.request.uri.query contains "<script""#,
    r#"http.request.uri.path contains "../""#,
    r#"http.request.uri.path matches "(?i)\.(php|asp|cgi)$" and not http.host eq "php.example.com""#,
    r#"http.user_agent matches "(?i)sqlmap|nikto|nessus""#,
    r#"http.request.method in {"TRACE" "TRACK" "DEBUG"}"#,
    r#"ip.src in {192.0.2.0/24 203.0.113.0/24} and http.request.uri.path contains "/admin""#,
    r#"http.cookie contains "${jndi:" or http.referer contains "${jndi:""#,
    r#"http.request.headers.x_forwarded_host ne "" and not ssl"#,
    r#"http.request.version eq "HTTP/1.1" and (http.request.uri.path matches "\n+." or http.request.uri.query matches "\x00+.")"#,
];

/// A case to measure, with its name.
type Case<'a> = (&'static str, Box<dyn FnMut() + 'a>);

fn rules(expressions: &[&str]) -> Rules {
    let rule = |(index, expression): (usize, &&str)| Rule {
        id: index.to_string(),
        description: String::new(),
        action: Action::Log,
        expression: (*expression).to_owned(),
    };
    let rules = expressions.iter().enumerate().map(rule).collect();
    Rules::new(rules).expect("they are valid")
}

/// Returns this many rules that do not match.
fn many(count: usize) -> Rules {
    let expressions: Vec<_> = (0..count)
        .map(
            |number| match EXPRESSIONS[number % (EXPRESSIONS.len() - 1)] {
                method if method.contains("{\"TRACE\"") => {
                    method.replace("TRACE", &format!("X{number}"))
                }
                address if address.starts_with("ip.src") => {
                    address.replace("/admin", &format!("/{number}"))
                }
                any => any.replacen("\"", &format!("\"{number}"), 1),
            },
        )
        .collect();
    let expressions: Vec<_> = expressions.iter().map(String::as_str).collect();
    rules(&expressions)
}

fn request(target: &str) -> Request<()> {
    Request::get(target)
        .header("host", "shop.example.com")
        .header(
            "user-agent",
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        )
        .header(
            "accept",
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        )
        .header("accept-language", "en-US,en;q=0.5")
        .header("accept-encoding", "gzip, deflate, br, zstd")
        .header("referer", "https://shop.example.com/products")
        .header(
            "cookie",
            "session=6f1c1c7f3c0d4b0f9a7e; theme=dark; consent=1",
        )
        .header("connection", "keep-alive")
        .body(())
        .expect("it is valid")
}

fn ask(rules: &Rules, request: &Request<()>) -> Vec<Match> {
    rules.matches(black_box(request), Body::default(), Connection::default())
}

fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
    let microseconds = time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3;
    microseconds
}

fn main() {
    let key = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=";
    let key = pqseal_keys::read_public(key, None).expect("the published key");
    let events = Events::new(&key, &SealOptions::default()).expect("X25519 seals");
    let (harmless, attack) = (
        request("/products/7?color=red"),
        request("/products/%0Ax?color=red"),
    );
    let (none, ten) = (rules(&[]), rules(&EXPRESSIONS));
    let (few, many) = (many(16), many(1000));
    let found = ask(&ten, &attack);
    assert!(ask(&ten, &harmless).is_empty() && found.len() == 1);
    let at = SystemTime::now();
    let together = [Matched {
        matches: &found,
        at,
    }; TOGETHER];
    let mut cases: [Case<'_>; 7] = [
        (
            "no rule",
            Box::new(|| drop(black_box(ask(&none, &harmless)))),
        ),
        (
            "ten rules, no match",
            Box::new(|| drop(black_box(ask(&ten, &harmless)))),
        ),
        (
            "16 rules, no match",
            Box::new(|| drop(black_box(ask(&few, &harmless)))),
        ),
        (
            "1,000 rules, no match",
            Box::new(|| drop(black_box(ask(&many, &harmless)))),
        ),
        (
            "ten rules, one matches",
            Box::new(|| drop(black_box(ask(&ten, &attack)))),
        ),
        (
            "sealing its event",
            Box::new(|| drop(black_box(events.lines(&found, at)))),
        ),
        ("sealing 32, each", {
            let mut calls = 0;
            let (events, together) = (&events, &together);
            Box::new(move || {
                calls += 1;
                if calls % TOGETHER == 0 {
                    drop(black_box(events.lines_of_all(together)));
                }
            })
        }),
    ];
    let mut samples = [const { Vec::new() }; 7];
    for _ in 0..SAMPLES {
        for ((_, case), samples) in cases.iter_mut().zip(&mut samples) {
            let start = processor_time();
            (0..REQUESTS).for_each(|_| case());
            samples.push((processor_time() - start) / f64::from(REQUESTS));
        }
    }
    for ((name, _), mut samples) in cases.iter().zip(samples) {
        samples.sort_by(f64::total_cmp);
        println!("{name:24} {:7.2} us", samples[SAMPLES / 2]);
    }
}
