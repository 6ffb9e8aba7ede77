//! The inputs and outputs of a run, checked not to overwrite each other.

use std::io;

use pqseal_pipeline::{
    Compression,
    files::{Address, OutputCompression, is_address},
};

use super::{
    destination::{Destination, To},
    files::Files,
    stores::{self, Stores},
    topic::Topic,
};
use crate::{error::Error, escape, input::Source, keyfile, output::Target, places::Places};

/// Inputs and outputs that do not overwrite each other.
pub(super) struct Route {
    pub(super) inputs: Vec<Source>,
    pub(super) destination: Destination,
    pub(super) stores: Stores,
    /// The outputs besides a folder, by the names of their options.
    outputs: Vec<(&'static str, Target)>,
    pub(super) places: Places,
}

/// The options whose files are appended to.
const ADDED_TO: [&str; 3] = ["--dead-letter", "--on-refused", "--state"];

impl Route {
    /// Resolves the outputs for `inputs`. `others` are the other outputs, by the names of
    /// their options.
    ///
    /// # Errors
    /// If two outputs, or an output and an input, are in one place.
    pub(super) fn new(
        inputs: Vec<Source>,
        to: &To,
        files: &Files,
        others: impl IntoIterator<Item = (&'static str, Option<Target>)>,
    ) -> Result<Self, Error> {
        let stores = files.stores();
        let places = inputs.iter().filter_map(Source::path).chain(to.path());
        stores::check(places)?;
        if let Destination::Topic(path) = to.destination(true)? {
            files.expect_none()?;
            return Self::to(Destination::Topic(path), inputs, stores, files, others);
        }
        let is_one = inputs.len() == 1 && !is_folder(&inputs[0], &stores)?;
        let destination = to.destination(is_one)?;
        match &destination {
            Destination::Folder(_) if inputs.contains(&Source::Stdin) => {
                return Err(Error::usage(NO_NAME));
            }
            Destination::Folder(_) => {}
            _ => files.expect_none()?,
        }
        Self::to(destination, inputs, stores, files, others)
    }

    /// Like [`Self::new`], for inputs that are followed, and for a topic: all go to one
    /// output.
    ///
    /// # Errors
    /// Also if a folder is named, or the output would be compressed.
    pub(super) fn growing(
        inputs: Vec<Source>,
        to: &To,
        files: &Files,
        others: impl IntoIterator<Item = (&'static str, Option<Target>)>,
    ) -> Result<Self, Error> {
        let stores = files.stores();
        let places = || inputs.iter().filter_map(Source::path).chain(to.path());
        stores::check(places())?;
        if let Some(address) = places().find(|path| is_address(path)) {
            return Err(Error::usage(format!(
                "{} is in an object store, which cannot be combined with --follow, --watch or a topic as input; open it in a separate run",
                escape::path(address)
            )));
        }
        let destination = to.destination(true)?;
        let is_compressed = match &destination {
            Destination::Folder(_) => return Err(Error::usage(ONE_OUTPUT)),
            Destination::File(path) => to.in_file(path) != OutputCompression::As(Compression::None),
            _ => to.in_stream() != Compression::None,
        };
        if is_compressed {
            return Err(Error::usage(NOT_COMPRESSED));
        }
        Self::to(destination, inputs, stores, files, others)
    }

    fn to(
        destination: Destination,
        inputs: Vec<Source>,
        stores: Stores,
        files: &Files,
        others: impl IntoIterator<Item = (&'static str, Option<Target>)>,
    ) -> Result<Self, Error> {
        check_apart(&destination, &inputs)?;
        let to = match &destination {
            Destination::Folder(_) => None,
            Destination::Stdout => Some(("standard output", Target::Stdout)),
            Destination::Device(path) | Destination::File(path) | Destination::Topic(path) => {
                Some(("-o", Target::File(path.clone())))
            }
        };
        let ours = [
            ("--failed-list", files.failed_list.clone()),
            ("--state", files.state_file()),
        ];
        let named = ours.into_iter().chain(others);
        let named = named.filter_map(|(option, target)| Some((option, target?)));
        let outputs: Vec<_> = to.into_iter().chain(named).collect();
        let mut places = Places::default();
        for (option, target) in &outputs {
            places.add(option, target)?;
        }
        inputs
            .iter()
            .try_for_each(|input| places.check_input(input))?;
        Ok(Self {
            inputs,
            destination,
            stores,
            outputs,
            places,
        })
    }

    /// Refuses to overwrite a key.
    ///
    /// # Errors
    /// If an output is one of `keys`, or a file that holds a key and would be replaced.
    pub(super) fn protect(&self, keys: &[Source]) -> Result<(), Error> {
        self.outputs.iter().try_for_each(|(option, target)| {
            keyfile::protect_from(option, ADDED_TO.contains(option), target, keys)
        })
    }

    /// Refuses to overwrite an input other than keys and records, if there is one.
    ///
    /// # Errors
    /// If an output is in its place.
    pub(super) fn protect_input(&self, read: Option<&Source>) -> Result<(), Error> {
        read.map_or(Ok(()), |read| self.places.check_input(read))
    }

    /// Reports whether records go to a screen as they come.
    pub(super) fn is_to_screen(&self) -> bool {
        self.destination == Destination::Stdout && io::IsTerminal::is_terminal(&io::stdout())
    }
}

/// Refuses an output that is also the input object or topic.
fn check_apart(destination: &Destination, inputs: &[Source]) -> Result<(), Error> {
    if let Destination::File(path) = destination
        && is_address(path)
        && inputs.iter().any(|input| input.path() == Some(path))
    {
        let path = escape::path(path);
        return Err(Error::usage(format!(
            "{path} is read, and -o would overwrite it; name another object"
        )));
    }
    if let Some(to) = to_topic(destination)
        && inputs
            .iter()
            .filter_map(Source::path)
            .any(|from| Topic::of(from).is_some_and(|from| from.may_be(to)))
    {
        return Err(Error::usage(
            "the topic is also the input, so the results would be read again; name another topic with -o",
        ));
    }
    Ok(())
}

/// Returns the topic that is written to, if the destination is one.
fn to_topic(destination: &Destination) -> Option<Topic<'_>> {
    match destination {
        Destination::Topic(path) => Topic::of(path),
        _ => None,
    }
}

const NO_NAME: &str = "standard input has no name for a file in a folder; name a file with -o FILE";

const ONE_OUTPUT: &str =
    "records that are followed, or come from a topic, go to one output; name a file with -o FILE";
const NOT_COMPRESSED: &str = "records that are followed, or come from a topic, are written as they come, and not compressed; leave --compress out, or name a file without .gz or .zst";

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
