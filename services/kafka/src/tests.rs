//! Tests of members and producers on librdkafka's mock cluster of one broker.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    time::Duration,
};

use pqseal_pipeline::{
    FieldValue, Limits, Observer, Outcome, Pipeline, Stats, Transform, files::follow::Sink,
};
use rdkafka::{
    Offset,
    mocking::MockCluster,
    producer::DefaultProducerContext,
    types::{RDKafkaApiKey as Request, RDKafkaRespErr as Answer},
};

use super::{
    Config, Consumer, Error, Events, Failure, Lines, Output, Patience, Producer, Properties, Start,
    Topic, consumer::Batch,
};

type Cluster = MockCluster<'static, DefaultProducerContext>;

struct Quiet;

impl Observer for Quiet {
    fn batch(&mut self, _stats: &Stats) {}
}

impl Events for Quiet {
    fn warn(&mut self, _code: &'static str, _message: String) {}

    fn tick(&mut self) {}
}

/// Finds nothing to open, so values pass unchanged.
struct Unchanged;

impl Transform for Unchanged {
    fn chunk(&self, records: &[FieldValue<'_>]) -> Vec<Outcome> {
        vec![Outcome::Absent; records.len()]
    }
}

/// Takes lines, and cannot store them.
#[derive(Default)]
struct Unsettled(Vec<u8>);

impl Write for Unsettled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Unsettled {
    fn settle(&mut self) -> io::Result<()> {
        Err(io::Error::other("the disk is full"))
    }

    fn file(&mut self) -> Option<(&Path, &File)> {
        None
    }

    fn end_line(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn cut(&mut self, _size: u64) -> io::Result<()> {
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Creates a cluster with a topic of one partition.
fn cluster() -> Cluster {
    let cluster = MockCluster::new(1).unwrap();
    cluster.create_topic("t", 1, 1).unwrap();
    cluster
}

fn config(cluster: &Cluster, retry: u64) -> Config {
    Config {
        topic: Topic {
            brokers: cluster.bootstrap_servers(),
            name: "t".to_owned(),
        },
        properties: Properties::default(),
        patience: Patience::without_end(Duration::from_secs(retry)),
    }
}

fn join(cluster: &Cluster, start: Start) -> Consumer {
    Consumer::join(&config(cluster, 60), Some("g"), start).unwrap()
}

fn producer(cluster: &Cluster) -> Producer {
    Producer::start(&config(cluster, 60)).unwrap()
}

/// Sends messages with these values.
fn fill(cluster: &Cluster, values: &[&str]) {
    let producer = producer(cluster);
    for value in values {
        producer.send_value(value.as_bytes()).unwrap();
    }
    producer.settle().unwrap();
}

/// Returns the next messages or failure, whichever comes first; `None` if all are read.
fn next(consumer: &mut Consumer) -> Result<Option<Batch>, Failure> {
    loop {
        let batch = consumer.take(Limits::default(), &mut Quiet)?;
        match batch.count {
            1.. => return Ok(Some(batch)),
            0 if consumer.is_at_end() => return Ok(None),
            0 => {}
        }
    }
}

/// Runs a new member to the end of the topic, and returns the error and the group's offset.
fn run(cluster: &Cluster, mut output: Output<'_>) -> (Option<Error>, Offset) {
    let mut consumer = join(cluster, Start::First);
    let pipeline = Pipeline::new(Unchanged, Default::default(), 1).unwrap();
    let ended = consumer.run(&pipeline, &mut output, true, &mut Quiet);
    (ended.err(), consumer.committed(0))
}

#[test]
fn a_place_that_could_not_be_asked_for_is_not_set() {
    let cluster = cluster();
    // In this version the answer has an error for each partition, and none for all.
    cluster
        .apiversion(Request::OffsetFetch, Some(1), Some(1))
        .unwrap();
    let refused = Answer::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    cluster.request_errors(Request::OffsetFetch, &[refused]);
    let mut consumer = join(&cluster, Start::End);
    let failure = next(&mut consumer).err();
    assert!(matches!(failure, Some(Failure::Refused(_))), "{failure:?}");
    cluster.clear_request_errors(Request::OffsetFetch);
    assert_eq!(consumer.committed(0), Offset::Invalid);
}

#[test]
fn a_message_that_cannot_be_read_ends_the_run() {
    let cluster = cluster();
    fill(&cluster, &["1"]);
    let damaged = Answer::RD_KAFKA_RESP_ERR_INVALID_MSG;
    cluster.request_errors(Request::Fetch, &[damaged]);
    let mut consumer = join(&cluster, Start::First);
    let failure = next(&mut consumer).err();
    assert!(
        matches!(failure, Some(Failure::Unreadable(_))),
        "{failure:?}"
    );
}

#[test]
fn a_commit_is_repeated_while_the_group_shares_its_partitions_again() {
    let cluster = cluster();
    fill(&cluster, &["1"]);
    let mut consumer = join(&cluster, Start::First);
    let batch = next(&mut consumer).unwrap().unwrap();
    let refused = Answer::RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS;
    cluster.request_errors(Request::OffsetCommit, &[refused]);
    consumer.commit(&batch, &mut Quiet).unwrap();
    assert_eq!(consumer.committed(0), Offset::Offset(1));
}

#[test]
fn lines_that_are_not_on_the_disk_are_not_committed() {
    let cluster = cluster();
    fill(&cluster, &["1"]);
    let mut lines = Unsettled::default();
    let (error, offset) = run(&cluster, Output::Lines(&mut lines));
    assert!(matches!(error, Some(Error::Lines(_))), "{error:?}");
    assert_eq!(
        (lines.0.as_slice(), offset),
        (&b"1\n"[..], Offset::Offset(0))
    );
}

#[test]
fn messages_that_are_not_acknowledged_are_not_committed() {
    let cluster = cluster();
    fill(&cluster, &["1"]);
    let refused = Answer::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    cluster.request_errors(Request::Produce, &[refused]);
    // The topic is its own output, to which nothing is added.
    let (error, offset) = run(&cluster, Output::Topic(producer(&cluster)));
    assert!(
        matches!(error, Some(Error::Topic("write", Failure::Refused(_)))),
        "{error:?}"
    );
    assert_eq!(offset, Offset::Offset(0));
}

#[test]
fn the_beginning_of_a_line_is_not_kept_without_limit() {
    let cluster = cluster();
    let mut lines = Lines::new(producer(&cluster));
    let half = vec![b'x'; 16 << 20];
    lines.write_all(&half).unwrap();
    lines.write_all(&half).unwrap();
    let error = lines.write_all(b"x").unwrap_err();
    assert!(error.to_string().contains("message.max.bytes"));
}

/// No answer to a commit comes for a minute, and a signal has come. Neither the member nor a
/// producer waits for it.
#[test]
fn a_signal_does_not_wait_for_brokers_that_do_not_answer() {
    let cluster = cluster();
    fill(&cluster, &["1"]);
    let config = config(&cluster, 3600);
    let mut consumer = Consumer::join(&config, Some("g"), Start::First).unwrap();
    let batch = next(&mut consumer).unwrap().unwrap();
    let producer = Producer::start(&config).unwrap();
    cluster.broker_down(1).unwrap();
    config.patience.end();
    producer.send_value(b"2").unwrap();
    for failure in [consumer.commit(&batch, &mut Quiet), producer.settle()] {
        let failure = failure.unwrap_err();
        assert!(matches!(failure, Failure::CutShort(_)), "{failure:?}");
    }
}
