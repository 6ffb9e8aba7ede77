//! Tests of members and producers on librdkafka's mock cluster of one broker.

use std::{io::Write, time::Duration};

use pqseal_pipeline::Limits;
use rdkafka::{
    Offset,
    mocking::MockCluster,
    producer::DefaultProducerContext,
    types::{RDKafkaApiKey as Request, RDKafkaRespErr as Answer},
};

use super::{Batch, Failure, Member, Patience, Producer, Settings, Start, lines::Lines};
use crate::cmd::logs::topic::Topic;

type Cluster = MockCluster<'static, DefaultProducerContext>;

/// Creates a cluster with a topic of one partition.
fn cluster() -> Cluster {
    let cluster = MockCluster::new(1).unwrap();
    cluster.create_topic("t", 1, 1).unwrap();
    cluster
}

fn settings() -> Settings {
    Settings::read(None, Patience::without_end(Duration::from_secs(60))).unwrap()
}

fn join(cluster: &Cluster, start: Start) -> Member {
    let brokers = cluster.bootstrap_servers();
    let (brokers, name) = (brokers.as_str(), "t");
    Member::join(&settings(), Topic { brokers, name }, Some("g"), start).unwrap()
}

fn producer(cluster: &Cluster) -> Producer {
    let brokers = cluster.bootstrap_servers();
    let (brokers, name) = (brokers.as_str(), "t");
    Producer::start(&settings(), Topic { brokers, name }).unwrap()
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
fn next(member: &mut Member) -> Result<Option<Batch>, Failure> {
    loop {
        let batch = member.take(Limits::default())?;
        match batch.is_empty() {
            false => return Ok(Some(batch)),
            true if member.is_at_end() => return Ok(None),
            true => {}
        }
    }
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
    let mut member = join(&cluster, Start::End);
    let failure = next(&mut member).err();
    assert!(matches!(failure, Some(Failure::Refused(_))), "{failure:?}");
    cluster.clear_request_errors(Request::OffsetFetch);
    assert_eq!(member.committed(0), Offset::Invalid);
}

#[test]
fn a_message_that_cannot_be_read_ends_the_run() {
    let cluster = cluster();
    fill(&cluster, &["1"]);
    let damaged = Answer::RD_KAFKA_RESP_ERR_INVALID_MSG;
    cluster.request_errors(Request::Fetch, &[damaged]);
    let mut member = join(&cluster, Start::First);
    let failure = next(&mut member).err();
    assert!(
        matches!(failure, Some(Failure::Unreadable(_))),
        "{failure:?}"
    );
}

#[test]
fn a_commit_is_repeated_while_the_group_shares_its_partitions_again() {
    let cluster = cluster();
    fill(&cluster, &["1"]);
    let mut member = join(&cluster, Start::First);
    let batch = next(&mut member).unwrap().unwrap();
    let refused = Answer::RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS;
    cluster.request_errors(Request::OffsetCommit, &[refused]);
    member.commit(&batch).unwrap();
    assert_eq!(member.committed(0), Offset::Offset(1));
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
    let mut member = join(&cluster, Start::First);
    let batch = next(&mut member).unwrap().unwrap();
    let brokers = cluster.bootstrap_servers();
    let (brokers, name) = (brokers.as_str(), "t");
    let ended = Patience::at_its_end(Duration::from_secs(3600));
    let settings = Settings::read(None, ended.clone()).unwrap();
    let producer = Producer::start(&settings, Topic { brokers, name }).unwrap();
    cluster.broker_down(1).unwrap();
    member.end(ended);
    producer.send_value(b"2").unwrap();
    for failure in [member.commit(&batch), producer.settle()] {
        let failure = failure.unwrap_err();
        assert!(matches!(failure, Failure::CutShort(_)), "{failure:?}");
    }
}
