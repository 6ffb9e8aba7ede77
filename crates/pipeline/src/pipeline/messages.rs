//! Records that are already separate, such as the messages of a queue, and stay separate.

use std::{fmt, io};

use pqseal_records::split::{Slot, SlotKind};

use super::{
    Observer, Pipeline,
    input_run::{InputRun, OutputBatch, Threads},
};
use crate::{
    batches::{Batch, Framing},
    error::Error,
    input::Input,
    opener::Transform,
};

impl<T: Transform> Pipeline<T> {
    /// Processes separate records, each a JSON document with its number for dead letters. The
    /// threads of the pool do the work. All records are in memory, so pass one batch at a time.
    ///
    /// # Errors
    /// [`Error::Record`] or [`Error::Letter`]. Nothing was counted then.
    pub fn process_messages<'r>(
        &self,
        records: impl IntoIterator<Item = (u64, &'r [u8])>,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<MessageResults, Error> {
        // The records follow each other without separators.
        let mut batch = Batch::default();
        for (number, record) in records {
            let start = batch.bytes.len();
            batch.bytes.extend_from_slice(record);
            batch.slots.push(Slot {
                number,
                range: start..batch.bytes.len(),
                kind: match record.len() > self.limits.record {
                    true => SlotKind::TooLarge,
                    false => SlotKind::Record,
                },
            });
        }
        let input = Input::plain(io::empty());
        let mut run = InputRun::new(self, &input, Framing::Lines, source, Threads::Pool, None);
        let opened = run.open(batch, observer)?;
        run.count(&opened.stats, observer);
        Ok(MessageResults {
            opened,
            seals: self.transform.seals(),
        })
    }
}

/// The results of separate records, such as the messages of a queue.
pub struct MessageResults {
    opened: OutputBatch,
    seals: bool,
}

impl MessageResults {
    /// Returns one result per record, in order, or [`None`] for a record that could not be sealed
    /// and was sealed as a whole to the [`Observer`].
    pub fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        // Sealed records are never empty, but opened records may be.
        let seals = self.seals;
        let records = self.opened.records();
        records.map(move |record| Some(record).filter(|record| !(seals && record.is_empty())))
    }
}

impl fmt::Debug for MessageResults {
    /// Omits the plaintext.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageResults").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use getrandom::SysRng;
    use pqseal_keys::{base64, kem_by_name};
    use pqseal_matched_data::{KeyRing, SealOptions};

    use super::*;
    use crate::{Limits, Opener, Sealer, Stats};
    use pqseal_records::{Preset, Rules, audit_log};

    #[derive(Default)]
    struct Recorder {
        total: Stats,
        letters: Vec<u8>,
    }

    impl Observer for Recorder {
        fn batch(&mut self, stats: &Stats) {
            self.total.add(stats);
        }

        fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
            self.letters.extend_from_slice(letter);
            Ok(())
        }

        fn wants_letters(&self) -> bool {
            true
        }
    }

    /// 1,000 records, some of which are too large, not JSON, or contain line breaks.
    #[test]
    fn each_record_stays_one() {
        let limits = Limits {
            record: 100,
            ..Limits::default()
        };
        let pipeline = Pipeline::new(Opener::new(KeyRing::new()), Rules::default(), 2)
            .unwrap()
            .framed(Framing::Auto, limits);
        let records: Vec<_> = (0..1000)
            .map(|number| match number % 5 {
                0 => format!("{{\"n\":\"{}\"}}", "x".repeat(200)),
                1 => "no JSON".to_owned(),
                2 => "{\n\"n\":\n1}\n".to_owned(),
                3 => String::new(),
                _ => format!("{{\"n\":{number}}}"),
            })
            .collect();
        let numbered = (7..).zip(records.iter().map(String::as_bytes));
        let mut heard = Recorder::default();
        let apart = pipeline
            .process_messages(numbered, "queue", &mut heard)
            .unwrap();
        let apart: Vec<_> = apart.iter().collect();
        assert_eq!(
            apart,
            records
                .iter()
                .map(|record| Some(record.as_bytes()))
                .collect::<Vec<_>>()
        );
        assert_eq!((heard.total.records, heard.total.failures()), (1000, 400));
        let letters = String::from_utf8(heard.letters).unwrap();
        assert!(letters.lines().next().unwrap().contains("\"line\":7"));
        assert_eq!(letters.lines().count(), 400);
        let none = pipeline.process_messages([], "queue", &mut Recorder::default());
        assert_eq!(none.unwrap().iter().count(), 0);
    }

    #[test]
    fn a_record_that_opens_to_nothing_is_one_and_a_refused_one_is_none() {
        let kem = kem_by_name("x25519").unwrap();
        let (private_key, public_key) = kem.derive_key_pair(&[7; 32]).unwrap();
        let sealer = Sealer::new(&public_key, &SealOptions::default()).unwrap();
        let blob = sealer.seal(b"", b"", &mut SysRng).unwrap();
        let sealed = format!("{{\"encrypted_record\":\"{}\"}}", base64::encode(&blob));
        let mut ring = KeyRing::new();
        ring.add(&private_key).unwrap();
        let opening = Pipeline::new(Opener::new(ring), Preset::AuditLog.rules(), 1).unwrap();
        let mut heard = Recorder::default();
        let records = [(0, sealed.as_bytes()), (1, b"{}")];
        let opened = opening
            .process_messages(records, "queue", &mut heard)
            .unwrap();
        assert_eq!(
            opened.iter().collect::<Vec<_>>(),
            [Some(&b""[..]), Some(b"{}")]
        );
        assert_eq!(heard.total.opened, 1);
        let rules = Rules {
            whole: None,
            ..audit_log::to_seal(&[])
        };
        let sealing = Pipeline::new(sealer, rules, 1).unwrap();
        let records = [(0, &b"no JSON"[..]), (1, b"{}")];
        let sealed = sealing
            .process_messages(records, "queue", &mut heard)
            .unwrap();
        assert_eq!(sealed.iter().collect::<Vec<_>>(), [None, Some(&b"{}"[..])]);
        assert_eq!(
            heard.letters.iter().filter(|byte| **byte == b'\n').count(),
            1
        );
    }
}
