//! JSON records with secrets at a path, in lines and in arrays.

use pqseal_pipeline::{Framing, Limits};

use super::{Case, Choices};

/// Paths, each with its names, the last of which is `secret`.
const PATHS: [(&str, &[&str]); 4] = [
    (".secret", &["secret"]),
    (".a.secret", &["a", "secret"]),
    ("/a/b/secret", &["a", "b", "secret"]),
    (".a[].secret", &["a", "[]", "secret"]),
];

pub(super) fn case(choices: &mut Choices<'_>) -> Case {
    let (path, names) = choices.one_of(&PATHS);
    let framing = choices.one_of(&[Framing::Lines, Framing::Auto, Framing::Json]);
    let count = 1 + choices.below(6);
    let records: Vec<_> = (0..count).map(|_| record(choices, names)).collect();
    let mut input = Vec::new();
    if choices.chance(6) {
        input.extend_from_slice(b"\xef\xbb\xbf");
    }
    match framing {
        Framing::Json => values(choices, &records, &mut input),
        _ => lines(choices, &records, &mut input),
    }
    if choices.fault(12) {
        let cut = choices.below(input.len());
        // A part that begins with a bracket is a document, by all that can be known when it is
        // read.
        let rest = input[cut..].trim_ascii_start();
        if !matches!(rest.first(), Some(b'[' | b'{')) {
            input.drain(..cut);
        }
    }
    let record = choices.one_of(&[10_000, 60, 150]);
    // A record that is too large cannot be sealed by its fields.
    choices.is_clean &= record == 10_000;
    Case {
        input,
        framing,
        path,
        limits: Limits {
            record,
            batch_records: 3,
            batch_bytes: 100,
            ..Limits::default()
        },
        size: choices.one_of(&[10_000, 300, 150, 64]) + choices.below(50),
    }
}

fn lines(choices: &mut Choices<'_>, records: &[Vec<u8>], input: &mut Vec<u8>) {
    for record in records {
        if choices.chance(6) {
            input.resize(input.len() + choices.below(100), 0);
        }
        // A line break within a record is white space, or makes a document over several lines of
        // it.
        let goes_on = choices.fault(8);
        let line = record.iter().map(|byte| match byte {
            b'\n' if !goes_on => b' ',
            byte => *byte,
        });
        input.extend(line);
        let is_alone = choices.fault(12);
        input.extend_from_slice(match is_alone {
            true => b"\r",
            false => choices.one_of(&[b"\n" as &[u8], b"\r\n", b"\n\n", b"\n \n"]),
        });
    }
}

fn values(choices: &mut Choices<'_>, records: &[Vec<u8>], input: &mut Vec<u8>) {
    let is_array = choices.chance(2);
    let between: &[u8] = match is_array {
        true => b",\n",
        false => choices.one_of(&[b"\n" as &[u8], b" ", b"\n\0\0"]),
    };
    input.extend_from_slice(if is_array { b"[" } else { b"" });
    input.extend(records.join(between));
    input.extend_from_slice(if is_array { b"]\n" } else { b"\n" });
}

/// Creates a record, or a part of one.
fn record(choices: &mut Choices<'_>, names: &[&str]) -> Vec<u8> {
    let mut record = object(choices, names);
    if !choices.fault(8) {
        return record;
    }
    match choices.below(6) {
        0 => record.truncate(choices.below(record.len())),
        1 => record.extend_from_slice(b" and more"),
        2 => record = [record.as_slice(), b"}", &record].concat(),
        3 => record = [b"\xef\xbb\xbf", record.as_slice()].concat(),
        4 => {
            record = record
                .into_iter()
                .map(|byte| if byte == b'"' { b'\'' } else { byte })
                .collect()
        }
        _ => record = [b"May 1 host app: ", record.as_slice()].concat(),
    }
    record
}

/// Creates an object with secrets at the path of these names.
pub(super) fn object(choices: &mut Choices<'_>, names: &[&str]) -> Vec<u8> {
    let mut members = Vec::new();
    for _ in 0..choices.below(3) {
        let name = choices.one_of(&["id", "note", "Secret", "secret ", "secrets"]);
        members.push(format!("\"{name}\":\"{}\"", choices.word()).into_bytes());
    }
    let times = match choices.fault(8) {
        true => 2,
        false => usize::from(!choices.chance(8)),
    };
    for _ in 0..times {
        let mut member = name(choices, names[0]);
        member.extend_from_slice(choices.one_of(&[b":" as &[u8], b" :\t", b":\n"]));
        member.extend(below(choices, &names[1..]));
        members.insert(choices.below(members.len() + 1), member);
    }
    if names.len() == 1 && choices.fault(12) {
        members.push(b"\"encrypted_secret\":\"x\"".to_vec());
    }
    let blank = choices.one_of(&[b"" as &[u8], b" ", b"\n", b"\n  "]);
    let between = [b",", blank].concat();
    [b"{", blank, &members.join(&between[..]), blank, b"}"].concat()
}

fn below(choices: &mut Choices<'_>, names: &[&str]) -> Vec<u8> {
    match names {
        [] => value(choices),
        ["[]", rest @ ..] => {
            let items: Vec<_> = (0..choices.below(3))
                .map(|_| object(choices, rest))
                .collect();
            let blank = choices.one_of(&[b"" as &[u8], b"\n", b"\n  "]);
            let between = [b",", blank].concat();
            [b"[", blank, &items.join(&between[..]), blank, b"]"].concat()
        }
        names => object(choices, names),
    }
}

/// Quotes a name, with or without escapes.
fn name(choices: &mut Choices<'_>, name: &str) -> Vec<u8> {
    let escaped = choices.below(4);
    let character = |(at, c): (usize, char)| match at + 1 == escaped || escaped == 3 {
        true => format!("\\u{:04X}", u32::from(c)),
        false => c.to_string(),
    };
    let name: String = name.chars().enumerate().map(character).collect();
    format!("\"{name}\"").into_bytes()
}

/// Creates a value, with a secret in it if the kind allows one.
fn value(choices: &mut Choices<'_>) -> Vec<u8> {
    let kind = choices.below(12);
    let text = match kind {
        0 | 1 => format!("\"{}\"", choices.secret()),
        2 => {
            let secret = choices.secret();
            return name_of_escapes(&secret);
        }
        3 => format!("\"{}\\ud83d\"", choices.secret()),
        4 => format!("\"\\udc00\\ud800{}\\n\"", choices.secret()),
        5 => format!("[1,\"{}\",[\"{}\"]]", choices.secret(), choices.secret()),
        6 => format!(
            "{{\"{}\":{{\"x\":\"{}\"}}}}",
            choices.secret(),
            choices.secret()
        ),
        7 => choices.number(),
        8 => format!("\"\\\"{}\\\\\\/\\u00e9\"", choices.secret()),
        9 => "null".to_owned(),
        _ => {
            let secret = choices.secret();
            let before = choices.one_of(&[
                b"\xff" as &[u8],
                b"\\n\xe9",
                b"\xed\xa0\x80",
                b"\\ud800\xff",
            ]);
            return [b"\"", before, secret.as_bytes(), b"\""].concat();
        }
    };
    text.into_bytes()
}

fn name_of_escapes(text: &str) -> Vec<u8> {
    let escapes = text.bytes().map(|byte| format!("\\u{byte:04x}"));
    format!("\"{}\"", escapes.collect::<String>()).into_bytes()
}
