//! Which parts of a command line are for topics, in every build.

use siem::Framing;

use super::Options;
use crate::{
    cmd::logs::{destination::To, files::Files, topic::Topic},
    error::Error,
    input::Source,
};

/// Whether the input is a topic.
///
/// # Errors
/// If it is one of several inputs, or an option does not fit.
pub(in crate::cmd::logs) fn reads_topic(
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

/// How records are separated: in a topic they are messages, and lines become some.
///
/// # Errors
/// If something else is asked for.
pub(in crate::cmd::logs) fn framing(asked: Framing, with_topic: bool) -> Result<Framing, Error> {
    match asked {
        asked if !with_topic => Ok(asked),
        Framing::Auto | Framing::Lines => Ok(Framing::Lines),
        _ => Err(Error::usage(
            "a message of a topic is one JSON document, and a line of a file becomes one; leave --input-format and --delimiter out",
        )),
    }
}
