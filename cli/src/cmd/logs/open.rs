//! `pqseal logs open`: opens sealed fields of log records in bulk.

use clap::Args;
use pqseal_keys::base64;
use pqseal_records::Rules;
use pqseal_sealed::Kind;
use serde_json::json;

use super::{
    fields,
    opening::Opening,
    report::{Counting, Monitoring, Run},
    summary::{Action, Asked},
    transfer::{Transfer, Way},
    work::{DependsOn, Work},
};
use crate::{
    error::{Error, Exit},
    input::one_stdin,
    keyring::Keys,
};

/// Open the sealed fields of log records
///
/// Records are written in order and byte for byte, with the decrypted value next to each encrypted
/// field. If a field does not open, a member decrypt_status says why. In tables (CSV, TSV, Parquet)
/// both are new columns at the end. A field whose result is already there is skipped. A line that is
/// not JSON, or a row that has more or fewer cells than its table, is copied and counts as failed.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::LOGS_OPEN))]
pub(super) struct Open {
    #[command(flatten)]
    opening: Opening,
    #[command(flatten)]
    frame: fields::Frame,
    /// Write each event of a JSON document on a line of its own, such as each item of the list in
    /// the answer of an API; rows of tables stay as they are
    #[arg(long)]
    explode: bool,
    #[command(flatten)]
    counting: Counting,
    #[command(flatten)]
    monitoring: Monitoring,
    #[command(flatten)]
    transfer: Transfer,
}

impl Open {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        self.one_stdin()?;
        let others = [
            ("--dead-letter", self.monitoring.dead_letter.clone()),
            ("--prometheus", self.monitoring.prometheus.clone()),
        ];
        let way = self.transfer.way(&self.frame, others)?;
        let mut keys = self.opening.keys()?;
        way.route.protect(&keys.files)?;
        let rules = self.frame.limited(self.opening.rules()?);
        if self.explode && rules.apart.is_some() {
            return Err(Error::usage(
                "agent receipts are replaced by their results, which are no events; leave --explode out",
            ));
        }
        let depends_on = self.depends_on(&keys, &way, &rules);
        let opener = self.opening.opener(&mut keys)?;
        let run = Run {
            action: Action::Open,
            keys: self.monitoring.key_names(&opener),
            asked: self.asked(),
            failed_list: self.transfer.files.failed_list.clone(),
            to_screen: way.route.is_to_screen(),
            json,
        };
        let mut pipeline = way.pipeline(opener, rules, &self.frame)?;
        if self.explode {
            pipeline = pipeline.exploded();
        }
        let work = Work {
            pipeline: &pipeline,
            transfer: &self.transfer,
            mode: 0o600,
            depends_on,
        };
        let report = way.report(&self.counting, run)?;
        let mut report = report.monitored(&self.monitoring)?;
        let ran = work.run(&way, &mut report);
        report.finish(ran.map_err(|error| keys.helpers.explain(error)))
    }

    fn one_stdin(&self) -> Result<(), Error> {
        let inputs = self.transfer.sources();
        let keys = self
            .opening
            .keys
            .iter()
            .chain(self.opening.passphrase.source());
        one_stdin(keys.chain(&inputs).chain(self.transfer.kafka.config()))
    }

    fn asked(&self) -> Asked {
        Asked {
            fields: self.opening.fields.names(),
            info: self.opening.info.is_some(),
            aad: self.opening.fields.binds(),
            again: self.opening.again,
        }
    }

    /// Returns everything that outputs depend on besides their inputs and keys, in alphabetical
    /// order. The state file contains its hash: if this text changes, every file is processed
    /// again.
    fn depends_on(&self, keys: &Keys, way: &Way, rules: &Rules) -> DependsOn {
        let mut options = json!({
            "allow_experimental": self.opening.experimental.is_experimental(),
            "explode": self.explode,
            "framing": way.framing.to_string(),
            "info": base64::encode(&self.opening.info()),
            "max_line": way.limits.record,
            "min_version": self.opening.min_version.get(),
            "rules": rules.canonical(),
        });
        // Earlier releases had no such member.
        if let Some(kind) = self.opening.fields.kind() {
            options["sealed_as"] = kind.name().into();
        }
        // The same secret may be a key of matched data, too, with the same id.
        let others = keys.others.iter().map(|key| match key.kind() {
            Kind::Age => format!("age:{}", key.name().id),
            _ => key.name().id.to_string(),
        });
        DependsOn {
            options: options.to_string(),
            keys: keys
                .ring
                .key_ids()
                .map(|id| id.to_string())
                .chain(others)
                .collect(),
        }
    }
}
