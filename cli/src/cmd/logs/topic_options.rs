//! The options that are for topics, in every build.

use pqseal_pipeline::Framing;

use super::{
    destination::To,
    files::Files,
    kafka::Options,
    topic::{Topic, is_topic},
};
use crate::{error::Error, input::Source};

/// Reports whether the input is a topic.
///
/// # Errors
/// If it is one of several inputs, or an option does not fit.
pub(super) fn reads_topic(
    inputs: &[Source],
    options: &Options,
    files: &Files,
    to: &To,
) -> Result<bool, Error> {
    let topics = inputs.iter().filter_map(|input| Topic::of(input.path()?));
    let topics: Vec<_> = topics.collect();
    topics.iter().try_for_each(|topic| topic.check())?;
    match (topics.len(), inputs.len()) {
        (0, _) if options.is_for_reading() => Err(Error::usage(
            "--group and --until-end are for topics that are read; leave them out, or name kafka://BROKER/TOPIC as the input",
        )),
        (0, _) if options.config().is_some() && !to.is_topic() => Err(Error::usage(
            "--kafka-config is for topics; leave it out, or name kafka://BROKER/TOPIC as the input or with -o",
        )),
        (0, _) => Ok(false),
        (1, 1) => files.expect_none_of_topics().map(|()| true),
        _ => Err(Error::usage(
            "a topic is read on its own; start a run for each input",
        )),
    }
}

/// Returns the framing of records. Those of a topic are its messages, and lines become
/// messages.
///
/// # Errors
/// If another format is asked for, or the name of a file says that it is a table.
pub(super) fn framing(
    asked: Framing,
    inputs: &[Source],
    with_topic: bool,
) -> Result<Framing, Error> {
    match asked {
        asked if !with_topic => Ok(asked),
        Framing::Lines => Ok(Framing::Lines),
        Framing::Auto => match inputs.iter().find(|input| is_table(input)) {
            None => Ok(Framing::Lines),
            Some(table) => Err(Error::usage(format!(
                "{table} has the name of a table, whose rows cannot become messages; convert it to NDJSON, or add --input-format ndjson if it is NDJSON"
            ))),
        },
        _ => Err(Error::usage(
            "a message of a topic is one JSON document, and a line of a file becomes one; leave --input-format and --delimiter out",
        )),
    }
}

fn is_table(input: &Source) -> bool {
    let path = input.path().filter(|path| !is_topic(path));
    path.is_some_and(|path| matches!(Framing::Auto.of(path), Framing::Rows(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_do_not_become_messages() {
        let of = |asked, name: &str| framing(asked, &[Source::File(name.into())], true).ok();
        for table in ["a.csv", "a.tsv.gz", "s3://b/a.CSV.zst"] {
            assert_eq!(of(Framing::Auto, table), None, "{table}");
            assert_eq!(of(Framing::Lines, table), Some(Framing::Lines), "{table}");
        }
        for lines in ["a.ndjson", "kafka://b/t.csv"] {
            assert_eq!(of(Framing::Auto, lines), Some(Framing::Lines), "{lines}");
        }
        assert_eq!(of(Framing::CSV, "a"), None);
        let file = [Source::File("a.csv".into())];
        assert_eq!(
            framing(Framing::Auto, &file, false).ok(),
            Some(Framing::Auto)
        );
    }
}
