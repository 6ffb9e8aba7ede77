//! Makes the plan of a run, and checks that its options fit together and that no output overwrites
//! another, an input or a key.

use std::{
    io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use pqseal_pipeline::{
    Compression, Framing, Limits,
    files::{Address, OutputCompression, Selection, is_address},
};

use super::{
    InputFormat, IoArgs, OutputStream, Outputs, Plan, RecordArgs, Stores, Topic, output::OutputPath,
};
use crate::{
    error::{Error, warn},
    escape,
    input::Source,
    keyfile,
    output::Target,
    parse::build_with,
    places::NamedOutputs,
};

/// The options whose files are appended to.
const APPENDED: [&str; 3] = ["--dead-letter", "--on-refused", "--state"];

impl IoArgs {
    /// Makes the plan of these options. `others` are the other outputs, by the names of their
    /// options.
    ///
    /// # Errors
    /// If options do not fit together, or two outputs, or an output and an input, are in one place.
    pub(super) fn plan(
        &self,
        others: &[(&'static str, Option<&Target>)],
    ) -> Result<(Plan, Outputs), Error> {
        let inputs = self.sources();
        let reads_topic = self.reads_topic(&inputs)?;
        let grows = self.growth.follow || self.growth.watch;
        match (grows, reads_topic) {
            (true, true) => {
                return Err(Error::usage(
                    "--follow and --watch are for files; a topic is followed anyway, so leave them out",
                ));
            }
            (true, false) => self.check_growing(&inputs)?,
            (false, false) if self.from_end => {
                return Err(Error::usage(
                    "--from-end is for --follow, --watch and topics; add one of them",
                ));
            }
            _ => {}
        }
        let stores = Stores::new(self.retry(), |message| {
            warn("state", escape::bytes(message.as_bytes()));
        });
        let paths = inputs.iter().filter_map(Source::path);
        paths
            .chain(self.output.path())
            .try_for_each(check_address)?;
        let plan = match grows || reads_topic {
            true => self.endless(&inputs, reads_topic)?,
            false => self.once(&inputs, &stores)?,
        };
        let state = self.state.clone().map(Target::File);
        let named = [
            ("--failed-list", self.failed_list.as_ref()),
            ("--state", state.as_ref()),
        ];
        let named = named.iter().chain(others);
        let named = named.filter_map(|(option, target)| Some((*option, (*target)?.clone())));
        let targets: Vec<_> = plan.target().into_iter().chain(named).collect();
        let mut places = NamedOutputs::default();
        for (option, target) in &targets {
            places.add(option, target)?;
        }
        for input in inputs.iter().chain(self.kafka_config()) {
            places.check_input(input)?;
        }
        Ok((
            plan,
            Outputs {
                targets,
                places,
                stores,
            },
        ))
    }

    /// Returns the inputs as sources; no input and `-` are standard input.
    pub(super) fn sources(&self) -> Vec<Source> {
        match self.inputs.as_slice() {
            [] => vec![Source::Stdin],
            inputs => inputs
                .iter()
                .map(|input| Source::from(input.clone().into_os_string()))
                .collect(),
        }
    }

    /// Reports whether the input is a topic.
    ///
    /// # Errors
    /// If it is one of several inputs, or an option does not fit.
    fn reads_topic(&self, inputs: &[Source]) -> Result<bool, Error> {
        let topics = inputs.iter().filter_map(|input| Topic::of(input.path()?));
        let topics: Vec<_> = topics.collect();
        topics.iter().try_for_each(|topic| topic.check())?;
        #[cfg(feature = "kafka")]
        let is_read = self.group.is_some() || self.until_end;
        #[cfg(not(feature = "kafka"))]
        let is_read = false;
        match (topics.len(), inputs.len()) {
            (0, _) if is_read => Err(Error::usage(
                "--group and --until-end are for topics that are read; leave them out, or name kafka://BROKER/TOPIC as the input",
            )),
            (0, _) if self.kafka_config().is_some() && !self.output.is_topic() => {
                Err(Error::usage(
                    "--kafka-config is for topics; leave it out, or name kafka://BROKER/TOPIC as the input or with -o",
                ))
            }
            (0, _) => Ok(false),
            (1, 1) => {
                let option = self.folder_option().or_else(|| {
                    let failed_list = self.failed_list.is_some();
                    (self.fail_fast.then_some("--fail-fast"))
                        .or(self.keep_partial.then_some("--keep-partial"))
                        .or(failed_list.then_some("--failed-list"))
                });
                match option {
                    None => Ok(true),
                    Some(option) => Err(Error::usage(format!(
                        "{option} is for files; the consumer group records how far a topic was read, so leave it out"
                    ))),
                }
            }
            _ => Err(Error::usage(
                "a topic is read on its own; start a run for each input",
            )),
        }
    }

    /// Refuses inputs that cannot be followed.
    fn check_growing(&self, inputs: &[Source]) -> Result<(), Error> {
        for input in inputs {
            let Some(path) = input.path() else {
                return Err(Error::usage(
                    "--follow is only for files; standard input is read until it ends anyway, so leave --follow out",
                ));
            };
            match (self.growth.watch, path.is_dir()) {
                (true, false) => {
                    return Err(Error::usage(format!(
                        "{input} is not a folder; --watch takes folders, and --follow files"
                    )));
                }
                (false, true) => {
                    return Err(Error::usage(format!(
                        "{input} is a folder; use --watch to follow the files in it"
                    )));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes the plan for files that are followed, or a topic.
    fn endless(&self, inputs: &[Source], reads_topic: bool) -> Result<Plan, Error> {
        let inputs = inputs.iter().filter_map(Source::path);
        let mut addresses = inputs.clone().chain(self.output.path());
        if let Some(address) = addresses.find(|path| is_address(path)) {
            return Err(Error::usage(format!(
                "{} is in an object store, which cannot be combined with --follow, --watch or a topic as input; open it in a separate run",
                escape::path(address)
            )));
        }
        let (output, is_compressed) = match self.output.resolve(true)? {
            OutputPath::Folder(_) => {
                return Err(Error::usage(
                    "records that are followed, or come from a topic, go to one output; name a file with -o FILE",
                ));
            }
            OutputPath::File(path) => {
                let plain = OutputCompression::As(Compression::None);
                let is_compressed = self.output.of_file(&path) != plain;
                (OutputStream::AppendedFile(path), is_compressed)
            }
            OutputPath::Stream(output) => (output, self.output.of_stream() != Compression::None),
        };
        if is_compressed {
            return Err(Error::usage(
                "records that are followed, or come from a topic, are written as they come, and not compressed; leave --compress out, or name a file without .gz or .zst",
            ));
        }
        let inputs: Vec<_> = inputs.map(Path::to_owned).collect();
        #[cfg(feature = "kafka")]
        if reads_topic {
            let topic = inputs.into_iter().next().unwrap_or_default();
            if let OutputStream::Topic(path) = &output
                && let (Some(from), Some(to)) = (Topic::of(&topic), Topic::of(path))
                && from.may_be(to)
            {
                return Err(Error::usage(
                    "the topic is also the input, so the results would be read again; name another topic with -o",
                ));
            }
            return Ok(Plan::Consume { topic, output });
        }
        #[cfg(not(feature = "kafka"))]
        debug_assert!(!reads_topic, "every topic was refused");
        Ok(Plan::Follow {
            inputs,
            in_folders: self.growth.watch,
            output,
        })
    }

    /// Makes the plan for inputs that are read to their current ends.
    fn once(&self, inputs: &[Source], stores: &Stores) -> Result<Plan, Error> {
        let mut path = self.output.resolve(true)?;
        if !matches!(path, OutputPath::Stream(OutputStream::Topic(_))) {
            // A store is asked after the options were checked.
            let is_one = inputs.len() == 1 && !is_folder(&inputs[0], stores)?;
            path = self.output.resolve(is_one)?;
        }
        if let OutputPath::Folder(folder) = path {
            if inputs.contains(&Source::Stdin) {
                return Err(Error::usage(
                    "standard input has no name for a file in a folder; name a file with -o FILE",
                ));
            }
            let inputs = inputs.iter().filter_map(Source::path);
            let inputs = inputs.map(Path::to_owned).collect();
            return Ok(Plan::Folder { inputs, folder });
        }
        if let Some(option) = self.folder_option() {
            return Err(Error::usage(format!(
                "{option} needs an output folder; name one with -o FOLDER/"
            )));
        }
        match path {
            OutputPath::Stream(output) => Ok(Plan::Stream {
                inputs: inputs.to_vec(),
                output,
            }),
            OutputPath::File(file) | OutputPath::Folder(file) => {
                if is_address(&file) && inputs[0].path() == Some(&file) {
                    return Err(Error::usage(format!(
                        "{} is read, and -o would overwrite it; name another object",
                        escape::path(&file)
                    )));
                }
                let input = inputs[0].clone();
                Ok(Plan::File { input, file })
            }
        }
    }

    /// Returns the first given option that is for the files of a folder.
    fn folder_option(&self) -> Option<&'static str> {
        let given = [
            ("--state", self.state.is_some()),
            ("--shard", self.shard.is_some()),
            ("--min-age", self.min_age.is_some()),
            ("--since", self.since.is_some()),
            ("--until", self.until.is_some()),
            ("--follow-links", self.follow_links),
        ];
        let found = given.iter().find(|(_, is_given)| *is_given);
        found.map(|(option, _)| *option)
    }

    /// Returns the selection of files among the inputs.
    pub(super) const fn selection(&self) -> Selection {
        Selection {
            follow_links: self.follow_links,
            min_age: self.min_age,
            since: self.since,
            until: self.until,
            shard: self.shard,
        }
    }

    /// Returns the file with the settings of the Kafka client.
    pub(super) const fn kafka_config(&self) -> Option<&Source> {
        #[cfg(feature = "kafka")]
        let config = self.kafka_config.as_ref();
        #[cfg(not(feature = "kafka"))]
        let config = None;
        config
    }

    /// Returns how long a request over the network is retried.
    pub(super) const fn retry(&self) -> std::time::Duration {
        #[cfg(any(feature = "stores", feature = "kafka"))]
        let retry = self.retry_max_time;
        #[cfg(not(any(feature = "stores", feature = "kafka")))]
        let retry = std::time::Duration::ZERO;
        retry
    }
}

/// Checks that this build supports object stores if a path is the address of an object, and that
/// the address names a bucket.
fn check_address(path: &Path) -> Result<(), Error> {
    let shown = escape::path(path);
    match Address::of(path) {
        Some(_) if cfg!(not(feature = "stores")) => Err(Error::usage(format!(
            "{shown} is in an object store, which this build does not support; {}",
            build_with("stores")
        ))),
        Some(address) if address.bucket.is_empty() => Err(Error::usage(format!(
            "{shown} names no bucket; an address has the form s3://BUCKET/KEY"
        ))),
        _ => Ok(()),
    }
}

/// Reports whether an input has several files, or several objects below it.
fn is_folder(input: &Source, stores: &Stores) -> Result<bool, Error> {
    let Some(path) = input.path() else {
        return Ok(false);
    };
    if Address::of(path).is_some_and(|address| address.names_folder()) {
        return Ok(true);
    }
    match stores.object(path) {
        None => Ok(path.is_dir()),
        Some(Ok(_)) => Ok(false),
        // The objects below it will be listed.
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Some(Err(error)) => Err(input.unreadable(&error)),
    }
}

impl Outputs {
    /// Refuses to overwrite a key.
    ///
    /// # Errors
    /// If an output is one of `keys`, or a file that holds a key and would be replaced.
    pub(super) fn protect(&self, keys: &[Source]) -> Result<(), Error> {
        self.targets.iter().try_for_each(|(option, target)| {
            keyfile::protect_from(option, APPENDED.contains(option), target, keys)
        })
    }
}

impl Plan {
    /// Returns the output besides a folder, with its name in errors.
    fn target(&self) -> Option<(&'static str, Target)> {
        let path = match (self, self.output()) {
            (Self::File { file, .. }, _) => file,
            (_, None) => return None,
            (_, Some(OutputStream::Stdout)) => return Some(("standard output", Target::Stdout)),
            (
                _,
                Some(
                    OutputStream::Device(path)
                    | OutputStream::AppendedFile(path)
                    | OutputStream::Topic(path),
                ),
            ) => path,
        };
        Some(("-o", Target::File(path.clone())))
    }

    fn output(&self) -> Option<&OutputStream> {
        match self {
            Self::Folder { .. } | Self::File { .. } => None,
            Self::Stream { output, .. } | Self::Follow { output, .. } => Some(output),
            #[cfg(feature = "kafka")]
            Self::Consume { output, .. } => Some(output),
        }
    }

    /// Reports whether a signal is the normal end of the run.
    pub(super) const fn is_endless(&self) -> bool {
        !matches!(
            self,
            Self::Folder { .. } | Self::File { .. } | Self::Stream { .. }
        )
    }

    /// Reports whether records go to a screen as they come.
    pub(super) fn is_to_screen(&self) -> bool {
        self.output() == Some(&OutputStream::Stdout) && io::IsTerminal::is_terminal(&io::stdout())
    }
}

impl RecordArgs {
    /// Returns the framing and the limits. On a screen each record is written as soon as it is
    /// read. The records of a topic are its messages, and lines become messages.
    ///
    /// # Errors
    /// If the framing does not fit the plan.
    pub(super) fn framing(&self, plan: &Plan) -> Result<(Framing, Limits), Error> {
        let framing = match (self.input_format, self.delimiter) {
            (InputFormat::Auto | InputFormat::Csv, Some(delimiter)) => Framing::Rows(delimiter),
            (InputFormat::Tsv, _) => Framing::TSV,
            (_, Some(_)) => {
                return Err(Error::usage(
                    "--delimiter is only for CSV; leave --delimiter or --input-format out",
                ));
            }
            (InputFormat::Auto, None) => Framing::Auto,
            (InputFormat::Ndjson, None) => Framing::Lines,
            (InputFormat::Json, None) => Framing::Json,
            (InputFormat::Csv, None) => Framing::CSV,
            (InputFormat::Parquet, None) => Framing::Parquet,
        };
        let framing = match plan {
            #[cfg(feature = "kafka")]
            Plan::Consume { .. } => of_messages(framing, &[])?,
            Plan::Stream {
                inputs,
                output: OutputStream::Topic(_),
            } => {
                let paths: Vec<_> = inputs.iter().filter_map(Source::path).collect();
                of_messages(framing, &paths)?
            }
            Plan::Follow {
                inputs,
                output: OutputStream::Topic(_),
                ..
            } => {
                let paths: Vec<_> = inputs.iter().map(PathBuf::as_path).collect();
                of_messages(framing, &paths)?
            }
            Plan::Follow { .. } if !matches!(framing, Framing::Auto | Framing::Lines) => {
                return Err(Error::usage(
                    "files that grow are followed as lines (NDJSON); leave --input-format out",
                ));
            }
            _ => framing,
        };
        Ok((
            framing,
            Limits {
                record: self.max_line,
                prompt: self.line_buffered || plan.is_to_screen(),
                ..Limits::default()
            },
        ))
    }

    /// Returns the number of threads to start; 0 for one per core. It is at most four per core,
    /// because more would only take memory.
    pub(super) fn threads(&self) -> usize {
        let most = 4 * thread::available_parallelism().map_or(4, NonZeroUsize::get);
        if self.jobs > most {
            let message = format!(
                "-j {} is more than this machine can use; continuing with {most}",
                self.jobs
            );
            warn("threads", message);
        }
        self.jobs.min(most)
    }
}

/// Returns the framing of messages, which are lines of the files that they come from.
fn of_messages(framing: Framing, paths: &[&Path]) -> Result<Framing, Error> {
    let mut tables =
        (paths.iter()).filter(|path| matches!(Framing::Auto.of(path), Framing::Rows(_)));
    match (framing, tables.next()) {
        (Framing::Lines, _) | (Framing::Auto, None) => Ok(Framing::Lines),
        (Framing::Auto, Some(table)) => Err(Error::usage(format!(
            "{} has the name of a table, whose rows cannot become messages; convert it to NDJSON, or add --input-format ndjson if it is NDJSON",
            escape::path(table)
        ))),
        _ => Err(Error::usage(
            "a message of a topic is one JSON document, and a line of a file becomes one; leave --input-format and --delimiter out",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_do_not_become_messages() {
        for (framing, name, messages) in [
            (Framing::Auto, "a.csv", None),
            (Framing::Auto, "a.tsv.gz", None),
            (Framing::Auto, "s3://b/a.CSV.zst", None),
            (Framing::Lines, "a.csv", Some(Framing::Lines)),
            (Framing::Lines, "a.tsv.gz", Some(Framing::Lines)),
            (Framing::Lines, "s3://b/a.CSV.zst", Some(Framing::Lines)),
            (Framing::Auto, "a.ndjson", Some(Framing::Lines)),
            (Framing::CSV, "a", None),
        ] {
            let found = of_messages(framing, &[Path::new(name)]).ok();
            assert_eq!(found, messages, "{name}");
        }
    }
}
