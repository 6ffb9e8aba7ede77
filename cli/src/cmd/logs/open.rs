//! `pqseal logs open`: sealed fields of log records, opened in bulk.

use clap::Args;
use envelope::base64;
use serde_json::json;
use siem::{Framing, Limits, Opener, Pipeline, Rules};

use super::{
    destination::To,
    fields,
    files::Files,
    follow::Growing,
    not_started,
    report::{Counting, Monitoring, Report, Run},
    sources,
    summary::{Action, Asked},
    work::{DependsOn, Route, Work},
};
use crate::{
    binding::{AllowExperimental, MinVersion},
    error::{Error, Exit},
    input::{Source, one_stdin},
    keyring::{Commands, Keys},
    passphrase::Passphrase,
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
    /// A file with private keys in any format, one after another, `-` for standard input, or a
    /// folder of such files; repeat it to give several. `#` starts a comment. A comment next to a
    /// key, or on the line above it, becomes its label in counters and dead letters
    #[arg(
        short,
        long = "key",
        value_name = "KEYFILE-OR-FOLDER",
        required_unless_present_any = ["key_command", "decap_command"]
    )]
    keys: Vec<Source>,
    #[command(flatten)]
    passphrase: Passphrase,
    #[command(flatten)]
    commands: Commands,
    #[command(flatten)]
    fields: fields::Fields,
    /// The application context (HPKE info) that version 4 blobs were sealed with
    #[arg(long, value_name = "TEXT")]
    info: Option<String>,
    #[command(flatten)]
    experimental: AllowExperimental,
    #[command(flatten)]
    min_version: MinVersion,
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
    growing: Growing,
    #[command(flatten)]
    inputs: fields::Inputs,
}

impl Open {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let inputs = sources(&self.inputs.inputs);
        one_stdin(
            self.keys
                .iter()
                .chain(&inputs)
                .chain(self.passphrase.source()),
        )?;
        let others = [
            ("--dead-letter", self.monitoring.dead_letter.clone()),
            ("--prometheus", self.monitoring.prometheus.clone()),
        ];
        let is_growing = self.growing.is_asked()?;
        let route = match is_growing {
            true => {
                self.growing.check(&inputs)?;
                Route::growing(inputs, &self.to, &self.files, others)
            }
            false => Route::new(inputs, &self.to, &self.files, others),
        }?;
        let mut keys = Keys::load(&self.keys, &self.commands, &self.passphrase)?;
        route.protect(&keys.files)?;
        self.min_version.apply(&mut keys.ring);
        let to_screen = route.is_to_screen();
        let (framing, limits) = self.frame.framing(to_screen)?;
        if is_growing && !matches!(framing, Framing::Auto | Framing::Lines) {
            return Err(Error::usage(
                "files that grow are followed as lines (NDJSON); leave --input-format out",
            ));
        }
        let rules = self.fields.rules()?;
        let depends_on = self.depends_on(&keys, framing, &rules, limits);
        let run = Run {
            action: Action::Open,
            keys: keys.ring.names().cloned().collect(),
            asked: self.asked(),
            failed_list: self.files.failed_list.clone(),
            to_screen,
            json,
        };
        let opener = Opener::bound(keys.ring, self.info(), self.experimental.policy());
        let pipeline = Pipeline::new(opener, rules, self.frame.threads())
            .map_err(not_started)?
            .framed(framing, limits);
        let work = Work {
            pipeline: &pipeline,
            to: &self.to,
            files: &self.files,
            mode: 0o600,
            depends_on,
        };
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
            fields: self.fields.names(),
            info: self.info.is_some(),
            aad: self.fields.binds(),
        }
    }

    fn info(&self) -> Vec<u8> {
        self.info.clone().unwrap_or_default().into_bytes()
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
            "allow_experimental": self.experimental.is_experimental(),
            "framing": framing.to_string(),
            "info": base64::encode(&self.info()),
            "max_line": limits.record,
            "min_version": self.min_version.get(),
            "rules": rules.canonical(),
        });
        DependsOn {
            options: options.to_string(),
            keys: keys.ring.key_ids().map(|id| id.to_string()).collect(),
        }
    }
}
