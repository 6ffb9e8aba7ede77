//! Sealed and opened OTLP-JSON through a Collector's own reader and writer (`pdata`), which drops
//! what it does not know. A missing program is a failure.

use interop::Process;
use pqseal_keys::kem_by_name;
use pqseal_matched_data::{KeyRing, SealOptions, Sealer};
use pqseal_pipeline::{Observer, Opener, Pipeline, Stats, Transform};
use pqseal_records::{FieldPath, Preset, Rules, otlp};
use serde_json::{Value, json};

struct Quiet;

impl Observer for Quiet {
    fn batch(&mut self, _stats: &Stats) {}
}

fn through(transform: impl Transform, rules: &Rules, line: &str) -> (String, Stats) {
    let pipeline = Pipeline::new(transform, rules.clone(), 1).unwrap();
    let mut out = Vec::new();
    let stats = pipeline.run(line.as_bytes(), &mut out, "batch", &mut Quiet);
    (String::from_utf8(out).unwrap(), stats.unwrap())
}

#[test]
fn pdata_keeps_what_is_sealed_opened_and_refused() {
    let mut pdata = Process::start(&[".build/otlp-peer"]);
    let mut passed = |kind: &str, line: &str| -> String {
        let answer: Value = pdata.ask(&json!({ kind: line })).unwrap();
        answer[kind].as_str().unwrap().to_owned()
    };
    let mut maker = Process::start(&[".build/otlp-peer"]);
    let kem = kem_by_name("x25519").unwrap();
    let (key, public) = kem.derive_key_pair(&[7; 32]).unwrap();
    let (other, _) = kem.derive_key_pair(&[8; 32]).unwrap();
    let ring = |key| {
        let mut ring = KeyRing::new();
        ring.add(key).unwrap();
        Opener::new(ring)
    };
    let paths: [FieldPath; 2] = ["body", r#"attributes["*"]"#].map(|path| path.parse().unwrap());
    let all = otlp::rules(paths).unwrap();
    let mut count = 0;
    for n in 0..64 {
        let batch: Value = maker.ask(&json!({ "make": n })).unwrap();
        for rules in [
            Preset::OtlpGenai.rules(),
            Preset::OtlpHttp.rules(),
            all.clone(),
        ] {
            for kind in ["logs", "spans"] {
                let line = batch[kind].as_str().unwrap();
                let sealer = Sealer::new(&public, &SealOptions::default()).unwrap();
                let (sealed, stats) = through(sealer, &rules, line);
                count += stats.opened;
                assert!(
                    !sealed.contains("secret") || rules.rules.len() > 2,
                    "{sealed}"
                );
                // Nothing is lost, and nothing is written in another way.
                assert_eq!(passed(kind, &sealed), sealed);
                let (opened, _) = through(ring(&key), &rules, &sealed);
                assert_eq!(opened, line);

                let (refused, stats) = through(ring(&other), &rules, &sealed);
                assert_eq!(stats.failures(), stats.records);
                let read = passed(kind, &refused);
                assert!(read.contains("decrypt_status") && read.len() == refused.len());
                let (opened, _) = through(ring(&key), &rules, &read);
                assert_eq!(passed(kind, &opened), line);
            }
        }
    }
    assert_eq!(count, 64 * 3 * 2);
}
