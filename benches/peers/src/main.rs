//! HPKE beside other implementations, by turns in one process: medians and ratios as a Markdown table.
//!
//! `cargo run --release [-- FILTER]`, where FILTER is a part of a row's name. Every candidate first opens the same record.

mod aws_lc;
mod crate_hpke;
mod measure;
mod ours;

/// One operation of one candidate.
pub(crate) struct Case {
    pub(crate) row: String,
    pub(crate) candidate: &'static str,
    pub(crate) run: Box<dyn FnMut()>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Suite {
    X25519ChaCha20,
    X25519Aes128,
    XWingChaCha20,
}

/// What every candidate opens, and the keys to it. Info and aad are empty.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) suite: Suite,
    pub(crate) sk: Vec<u8>,
    pub(crate) pk: Vec<u8>,
    pub(crate) enc: Vec<u8>,
    pub(crate) ct: Vec<u8>,
    pub(crate) message: Vec<u8>,
}

impl Suite {
    const ALL: [Self; 3] = [Self::X25519ChaCha20, Self::X25519Aes128, Self::XWingChaCha20];

    const fn name(self) -> &'static str {
        match self {
            Self::X25519ChaCha20 => "X25519, ChaCha20-Poly1305",
            Self::X25519Aes128 => "X25519, AES-128-GCM",
            Self::XWingChaCha20 => "X-Wing, ChaCha20-Poly1305",
        }
    }
}

impl Record {
    /// A case of this record. `operation` is `seal`, `open` or `setup` (the recipient's).
    pub(crate) fn case(&self, operation: &str, candidate: &'static str, run: impl FnMut() + 'static) -> Case {
        let size = match (operation, self.message.len()) {
            ("setup", _) => String::new(),
            (_, len @ 0..1024) => format!(" {len} B"),
            (_, len @ 1024..0x10_0000) => format!(" {} KiB", len / 1024),
            (_, len) => format!(" {} MiB", len / 0x10_0000),
        };
        Case { row: format!("{}: {operation}{size}", self.suite.name()), candidate, run: Box::new(run) }
    }
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let mut cases = Vec::new();
    for (suite, size) in Suite::ALL.into_iter().flat_map(|suite| [150, 16 << 10, 1 << 20].map(|size| (suite, size))) {
        let record = ours::record(suite, vec![0x41; size]);
        let candidates =
            [ours::cases(&record), ours::portable_cases(&record), crate_hpke::cases(&record), aws_lc::cases(&record)];
        let wanted = |case: &Case| case.row.contains(&filter) && (size == 150 || !case.row.ends_with("setup"));
        cases.extend(candidates.into_iter().flatten().filter(wanted));
    }
    measure::print(&mut cases);
}
