//! Inputs with blobs, and the damage that logs, forms, spreadsheets and terminals do to them.

use pqseal_keys::base64;
use serde_json::json;

/// Choices that are the same for the same number (xorshift).
pub(super) struct Choices(u64);

impl Choices {
    pub(super) fn new(number: u32) -> Self {
        let mut choices = Self(u64::from(number) << 1 | 1);
        for _ in 0..8 {
            choices.below(1);
        }
        choices
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The higher bits are the better ones.
        (self.0 >> 20) as usize % end
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Characters that are put into texts.
const STRAY: [&str; 32] = [
    "\0", ",", ";", ".", "\u{b}", "\u{a0}", "%", "&", "\"", "'", "`", "{", "}", "[", "]", "\n",
    "\r\n", "\r", "\t", " ", "+", "=", "/", "-", "_", "\\", "\\n", "...", "\u{2026}", "\u{feff}",
    "A", "\\u0000",
];

/// Returns an input.
pub(super) fn input(choices: &mut Choices, sealed: &[String]) -> Vec<u8> {
    let mut text = container(choices, sealed).into_bytes();
    if choices.below(16) == 0 {
        text = utf16(&text);
    }
    for _ in 0..choices.below(3) {
        damage(choices, &mut text);
    }
    text
}

/// Returns the text of a blob in one of the ways in which it is written.
fn text(choices: &mut Choices, sealed: &[String]) -> String {
    let blob = &sealed[choices.below(sealed.len())];
    let bytes = base64::decode(blob.as_bytes()).unwrap();
    let hex = |between: &str| {
        let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.join(between)
    };
    match choices.below(24) {
        0 => hex(""),
        1 => hex("").to_uppercase(),
        2 => format!("\\x{}", hex("")),
        3 => format!("0x{}", hex("")),
        4 => hex(":"),
        5 => hex(" "),
        6 => format!("x'{}'", hex("")),
        7 => base64::encode(blob.as_bytes()),
        8 => blob.replace('+', "-").replace('/', "_"),
        9 => blob.trim_end_matches('=').to_owned(),
        10 => blob
            .replace('+', "%2B")
            .replace('/', "%2F")
            .replace('=', "%3D"),
        11 => blob.replace('+', "&#43;").replace('=', "&#x3d;"),
        12 => blob.replace('/', "\\/"),
        13 => blob.replace('+', " "),
        14 => folded(blob, 60),
        15 => format!("\"{blob}\""),
        16 => format!("```\n{blob}\n```"),
        17 => "truncated".to_owned(),
        18 => blob[..choices.below(blob.len())].to_owned(),
        _ => blob.clone(),
    }
}

fn folded(text: &str, width: usize) -> String {
    let lines = text.as_bytes().chunks(width).map(<[u8]>::escape_ascii);
    lines.map(|line| format!("{line}\n")).collect()
}

fn utf16(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Returns blobs in a text, in records or in a table.
fn container(choices: &mut Choices, sealed: &[String]) -> String {
    let count = 1 + choices.below(3);
    let texts: Vec<_> = (0..count).map(|_| text(choices, sealed)).collect();
    let record = |text: &String| json!({ "ray": "1", "encrypted_matched_data": text });
    let records: Vec<_> = texts.iter().map(record).collect();
    match choices.below(16) {
        0 => texts.join("\n") + "\n",
        1 => texts.join(choices.one_of(&["", ",", " ", "\r\n", "\n\n", ";"])),
        2 => records.iter().map(|record| format!("{record}\n")).collect(),
        3 => json!(records).to_string(),
        4 => serde_json::to_string_pretty(&records[0]).unwrap(),
        5 => records
            .iter()
            .map(|record| format!("\x1e{record}\n"))
            .collect(),
        6 => json!({ "log": records[0].to_string() + "\n" }).to_string(),
        7 => {
            json!({ "a": [{ "key": "encrypted_matched_data", "value": texts[0] }, {}] }).to_string()
        }
        8 => format!("{}\n{{\"ray\":null}}\n", records[0]),
        9 => json!(texts).to_string(),
        10 => json!(texts[0]).to_string(),
        11 => format!("ray,matched\n1,{}\n", texts[0]),
        _ => texts[0].clone(),
    }
}

/// Damages a text in one place.
fn damage(choices: &mut Choices, text: &mut Vec<u8>) {
    let at = choices.below(text.len() + 1);
    let stray = choices.one_of(&STRAY).as_bytes();
    match choices.below(12) {
        0 => text.truncate(at),
        1 => text.extend_from_slice(stray),
        2 => drop(text.splice(0..0, stray.iter().copied())),
        3 | 4 => drop(text.splice(at..at, stray.iter().copied())),
        5 if at < text.len() => drop(text.remove(at)),
        6 if at < text.len() => text[at] ^= 1 << choices.below(8),
        7 if at < text.len() => text[at] = stray[0],
        8 => text.extend_from_within(at..),
        9 => text.make_ascii_lowercase(),
        10 => text.make_ascii_uppercase(),
        _ => drop(text.drain(..at)),
    }
}
