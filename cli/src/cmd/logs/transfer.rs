//! The inputs and outputs of `pqseal logs open` and `pqseal logs seal`, and the way inputs are
//! read.

use clap::Args;
use pqseal_pipeline::{Framing, Limits, Pipeline, Transform};
use pqseal_records::Rules;

use super::{
    destination::To,
    fields::{Frame, Inputs},
    files::Files,
    growing::Growing,
    kafka, not_started,
    report::{Counting, Report, Run},
    route::Route,
    sources, topic_options,
};
use crate::{error::Error, input::Source, output::Target};

/// Inputs and outputs.
#[derive(Args)]
pub(super) struct Transfer {
    #[command(flatten)]
    pub(super) to: To,
    #[command(flatten)]
    pub(super) files: Files,
    #[command(flatten)]
    pub(super) kafka: kafka::Options,
    #[command(flatten)]
    pub(super) growing: Growing,
    #[command(flatten)]
    inputs: Inputs,
}

/// The resolved options.
pub(super) struct Way {
    pub(super) route: Route,
    pub(super) framing: Framing,
    pub(super) limits: Limits,
    pub(super) manner: Manner,
}

/// The way inputs are read.
#[derive(Clone, Copy)]
pub(super) enum Manner {
    /// Inputs are read to their current ends.
    Once,
    /// Inputs are followed as they grow.
    Growing,
    /// The input is a topic.
    #[cfg(feature = "kafka")]
    Topic,
}

impl Transfer {
    /// Returns the inputs as they were named.
    pub(super) fn sources(&self) -> Vec<Source> {
        sources(&self.inputs.inputs)
    }

    /// Checks the options. `others` are the other outputs, by the names of their options.
    ///
    /// # Errors
    /// If options do not fit together, or two outputs, or an output and an input, are the same
    /// file.
    pub(super) fn way(
        &self,
        frame: &Frame,
        others: impl IntoIterator<Item = (&'static str, Option<Target>)>,
    ) -> Result<Way, Error> {
        let inputs = self.sources();
        let reads_topic = topic_options::reads_topic(&inputs, &self.kafka, &self.files, &self.to)?;
        let manner = self.manner(&inputs, reads_topic)?;
        let route = match manner {
            Manner::Once => Route::new(inputs, &self.to, &self.files, others),
            _ => Route::growing(inputs, &self.to, &self.files, others),
        }?;
        route.protect_input(self.kafka.config())?;
        let (framing, limits) = frame.framing(route.is_to_screen())?;
        let with_topic = reads_topic || self.to.is_topic();
        let framing = topic_options::framing(framing, &route.inputs, with_topic)?;
        self.growing.check_framing(framing)?;
        Ok(Way {
            route,
            framing,
            limits,
            manner,
        })
    }

    fn manner(&self, inputs: &[Source], reads_topic: bool) -> Result<Manner, Error> {
        if self.growing.is_asked(reads_topic)? {
            self.growing.check(inputs)?;
            return Ok(Manner::Growing);
        }
        match reads_topic {
            #[cfg(feature = "kafka")]
            true => Ok(Manner::Topic),
            _ => Ok(Manner::Once),
        }
    }
}

impl Way {
    /// Creates a pipeline with the framing and the limits of these inputs.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub(super) fn pipeline<T: Transform>(
        &self,
        transform: T,
        rules: Rules,
        frame: &Frame,
    ) -> Result<Pipeline<T>, Error> {
        let pipeline = Pipeline::new(transform, rules, frame.threads()).map_err(not_started)?;
        Ok(pipeline.framed(self.framing, self.limits))
    }

    /// Creates the report of the run. If the inputs are read once, a signal interrupts it;
    /// otherwise a signal is its normal end.
    ///
    /// # Errors
    /// If its files cannot be written, or signals cannot be waited for.
    pub(super) fn report(&self, counting: &Counting, run: Run) -> Result<Report, Error> {
        match self.manner {
            Manner::Once => Report::start(counting, run),
            _ => Report::new(counting, run),
        }
    }
}
