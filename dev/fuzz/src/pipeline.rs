//! A pipeline whose fields nobody sealed: `open:` and a text open to that text.

use siem::{
    Failure, Outcome, Pipeline, Record, Rule, Rules, Stats, Transform,
    frame::Framing,
    input::Input,
    pipeline::{Error, Observer},
};

struct Prefix;

impl Transform for Prefix {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        let open = |record: &Record<'_>| match record.text {
            None | Some(b"") => Outcome::Absent,
            Some(text) => match text.strip_prefix(b"open:") {
                Some(plaintext) => Outcome::Opened {
                    plaintext: plaintext.to_vec(),
                    key: 0,
                },
                None => Outcome::Failed(Failure::new("no_key_matched")),
            },
        };
        records.iter().map(open).collect()
    }
}

struct Silent;

impl Observer for Silent {
    fn batch(&mut self, _stats: &Stats) {}
}

/// The output for an input whose field `s` is sealed.
pub(crate) fn open(input: &[u8], framing: Framing) -> Result<(Vec<u8>, Stats), Error> {
    use std::sync::LazyLock;
    static PIPELINE: LazyLock<Pipeline<Prefix>> = LazyLock::new(|| {
        let rules = Rules {
            rules: vec![Rule::field("s".parse().expect("a path"))],
            ..Rules::default()
        };
        Pipeline::new(Prefix, rules, 1).expect("a thread")
    });
    let mut out = Vec::new();
    let stats =
        PIPELINE.run_framed(Input::plain(input), framing, &mut out, "input", &mut Silent)?;
    let all = stats.opened + stats.already + stats.absent + stats.truncated + stats.failures();
    assert_eq!(all, stats.records, "each record is counted once");
    Ok((out, stats))
}
