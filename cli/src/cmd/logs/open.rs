//! `pqseal logs open`: sealed fields of log records, opened in bulk.

use clap::Args;
use envelope::base64;
use serde_json::json;
use siem::{Framing, Limits, Pipeline, Rules};

use super::{
    destination::To,
    fields,
    files::Files,
    follow::Growing,
    kafka, not_started,
    opening::Opening,
    report::{Counting, Monitoring, Report, Run},
    route::Route,
    sources,
    summary::{Action, Asked},
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
/// both are new columns at the end. A record that was opened before is not changed. A line that is
/// not JSON, or a row that has more or fewer cells than its table, is copied and counts as failed.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::LOGS_OPEN))]
pub(super) struct Open {
    #[command(flatten)]
    opening: Opening,
    #[command(flatten)]
    frame: fields::Frame,
    #[command(flatten)]
    counting: Counting,
    #[command(flatten)]
    monitoring: Monitoring,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    kafka: kafka::Options,
    #[command(flatten)]
    growing: Growing,
    #[command(flatten)]
    inputs: fields::Inputs,
}

impl Open {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let inputs = sources(&self.inputs.inputs);
        one_stdin(
            self.opening
                .keys
                .iter()
                .chain(&inputs)
                .chain(self.opening.passphrase.source())
                .chain(self.kafka.config()),
        )?;
        let others = [
            ("--dead-letter", self.monitoring.dead_letter.clone()),
            ("--prometheus", self.monitoring.prometheus.clone()),
        ];
        let reads_topic = kafka::reads_topic(&inputs, &self.kafka, &self.files, &self.to)?;
        let is_growing = self.growing.is_asked(reads_topic)?;
        let route = match (is_growing, reads_topic) {
            (true, _) => {
                self.growing.check(&inputs)?;
                Route::growing(inputs, &self.to, &self.files, others)
            }
            (false, true) => Route::growing(inputs, &self.to, &self.files, others),
            (false, false) => Route::new(inputs, &self.to, &self.files, others),
        }?;
        let keys = self.opening.keys()?;
        route.protect(&keys.files)?;
        route.protect_input(self.kafka.config())?;
        let to_screen = route.is_to_screen();
        let (framing, limits) = self.frame.framing(to_screen)?;
        let framing = kafka::framing(framing, &route.inputs, reads_topic || self.to.is_topic())?;
        self.growing.check_framing(framing)?;
        let rules = self.opening.fields.rules()?;
        let depends_on = self.depends_on(&keys, framing, &rules, limits);
        let run = Run {
            action: Action::Open,
            keys: keys.ring.names().cloned().collect(),
            asked: self.asked(),
            failed_list: self.files.failed_list.clone(),
            to_screen,
            json,
        };
        let opener = self.opening.opener(keys.ring);
        let pipeline = Pipeline::new(opener, rules, self.frame.threads())
            .map_err(not_started)?
            .framed(framing, limits);
        let work = Work {
            pipeline: &pipeline,
            to: &self.to,
            files: &self.files,
            kafka: &self.kafka,
            mode: 0o600,
            depends_on,
        };
        #[cfg(feature = "kafka")]
        if reads_topic {
            let mut report = Report::new(&self.counting, run).monitored(&self.monitoring)?;
            let ran = work.consume(self.growing.start(), &route, &mut report);
            return report.finish(ran.map_err(|error| keys.helpers.explain(error)));
        }
        if is_growing {
            let mut report = Report::new(&self.counting, run).monitored(&self.monitoring)?;
            let ran = work.follow(&self.growing, &route, &mut report);
            return report.finish(ran.map_err(|error| keys.helpers.explain(error)));
        }
        let mut report = Report::start(&self.counting, run)?.monitored(&self.monitoring)?;
        let ran = work.run(&route, &mut report);
        report.finish(ran.map_err(|error| keys.helpers.explain(error)))
    }

    fn asked(&self) -> Asked {
        Asked {
            fields: self.opening.fields.names(),
            info: self.opening.info.is_some(),
            aad: self.opening.fields.binds(),
        }
    }

    /// All that outputs depend on besides their inputs and keys, in alphabetical order. The state
    /// file has its hash: a change of this text makes every file be done again.
    fn depends_on(
        &self,
        keys: &Keys,
        framing: Framing,
        rules: &Rules,
        limits: Limits,
    ) -> DependsOn {
        let options = json!({
            "allow_experimental": self.opening.experimental.is_experimental(),
            "framing": framing.to_string(),
            "info": base64::encode(&self.opening.info()),
            "max_line": limits.record,
            "min_version": self.opening.min_version.get(),
            "rules": rules.canonical(),
        });
        DependsOn {
            options: options.to_string(),
            keys: keys.ring.key_ids().map(|id| id.to_string()).collect(),
        }
    }
}
