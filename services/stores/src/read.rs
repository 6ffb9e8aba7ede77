//! An object that is read in ranges. Each range must still be of the object that was listed.

use std::{
    io::{self, Read},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::{Buf, Bytes};
use object_store::{GetOptions, GetRange, ObjectStore, path::Path};
use pqseal_pipeline::files::{Job, Object, Stamp, StoreError, StoreFailure};
use tokio::task::JoinHandle;

use crate::{
    bucket::{Bucket, stamp},
    failure::failure,
};

/// The size of a range, in bytes. The next one is fetched while one is used.
const RANGE: u64 = 4 << 20;

type Answer = Result<Bytes, StoreError>;

/// An object.
pub(crate) struct Remote {
    bucket: Arc<Bucket>,
    from: Source,
    /// The first range, which is requested before it is waited for.
    head: Mutex<Head>,
}

/// The parameters of requests for an object.
#[derive(Clone)]
struct Source {
    store: Arc<dyn ObjectStore>,
    key: Result<Path, StoreError>,
    stamp: Stamp,
}

enum Head {
    Asked(JoinHandle<Answer>),
    Here(Answer),
}

impl Remote {
    pub(crate) fn begin(bucket: Arc<Bucket>, job: &Job) -> Self {
        let key = bucket.key(&job.input).map_err(|error| StoreError {
            kind: StoreFailure::Other,
            message: error.to_string(),
        });
        let from = Source {
            store: bucket.store.clone(),
            key,
            stamp: job.stamp.clone().unwrap_or_default(),
        };
        let head = bucket.handle().spawn(from.clone().range(from.next(0)));
        let head = Mutex::new(Head::Asked(head));
        Self { bucket, from, head }
    }

    fn head(&self) -> Answer {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        if let Head::Asked(asked) = &mut *head {
            let answer = self.bucket.wait(asked);
            *head = Head::Here(answer.unwrap_or_else(|error| Err(ended(&error))));
        }
        match &*head {
            Head::Here(answer) => answer.clone(),
            Head::Asked(_) => unreachable!("it was waited for"),
        }
    }
}

impl Object for Remote {
    fn stamp(&self) -> Stamp {
        self.from.stamp.clone()
    }

    fn read_at(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let end = start.saturating_add(length as u64);
        if end <= self.from.next(0).end {
            let (start, head) = (usize::try_from(start), self.head()?);
            let start = start.map_err(io::Error::other)?;
            return Ok(head.slice(start..start + length).into());
        }
        let bytes = self.bucket.wait(self.from.clone().range(start..end))?;
        Ok(bytes.into())
    }

    fn reader(&self) -> Box<dyn Read + Send + '_> {
        Box::new(Sequence {
            object: self,
            bytes: Bytes::new(),
            at: 0,
            next: None,
        })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let head = self.head.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Head::Asked(asked) = head {
            asked.abort();
        }
    }
}

impl Source {
    /// Returns the range that follows the first `start` bytes.
    fn next(&self, start: u64) -> Range<u64> {
        start..self.stamp.size.min(start + RANGE)
    }

    async fn range(self, range: Range<u64>) -> Answer {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            ..GetOptions::default()
        };
        let answer = self.store.get_opts(&self.key?, options).await;
        let answer = answer.map_err(|error| match error {
            // The object became shorter.
            object_store::Error::Generic { .. } if is_beyond(&error) => changed(),
            error => failure(&error),
        })?;
        if !is_same(&self.stamp, &stamp(&answer.meta)) {
            return Err(changed());
        }
        let bytes = answer.bytes().await.map_err(|error| failure(&error))?;
        match bytes.len() as u64 == range.end - range.start {
            true => Ok(bytes),
            false => Err(StoreError {
                kind: StoreFailure::Other,
                message: format!(
                    "the store returned {} of the {} bytes that were requested",
                    bytes.len(),
                    range.end - range.start
                ),
            }),
        }
    }
}

/// Compares entity tags; where a store has none, size and time.
fn is_same(listed: &Stamp, found: &Stamp) -> bool {
    match (listed.tag(), found.tag()) {
        (Some(listed_tag), Some(found_tag)) => listed_tag == found_tag && listed.size == found.size,
        _ => listed == found,
    }
}

/// Reports HTTP status 416, for a range that an object does not have.
fn is_beyond(error: &object_store::Error) -> bool {
    error.to_string().contains("status code: 416")
}

fn changed() -> StoreError {
    StoreError {
        kind: StoreFailure::Changed,
        message: "it was replaced after it was listed".to_owned(),
    }
}

fn ended(error: &tokio::task::JoinError) -> StoreError {
    StoreError {
        kind: StoreFailure::Other,
        message: error.to_string(),
    }
}

/// A reader of a whole object, range after range.
struct Sequence<'o> {
    object: &'o Remote,
    bytes: Bytes,
    /// The number of bytes that were returned or are in `bytes`.
    at: u64,
    next: Option<JoinHandle<Answer>>,
}

impl Sequence<'_> {
    fn refill(&mut self) -> io::Result<()> {
        let bucket = &self.object.bucket;
        self.bytes = match self.next.take() {
            _ if self.at == 0 => self.object.head(),
            Some(asked) => bucket
                .wait(asked)
                .unwrap_or_else(|error| Err(ended(&error))),
            None => Ok(Bytes::new()),
        }?;
        self.at += self.bytes.len() as u64;
        let from = &self.object.from;
        if self.at < from.stamp.size {
            let range = from.clone().range(from.next(self.at));
            self.next = Some(bucket.handle().spawn(range));
        }
        Ok(())
    }
}

impl Read for Sequence<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() && self.at < self.object.from.stamp.size {
            self.refill()?;
        }
        let length = self.bytes.len().min(buffer.len());
        self.bytes.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}

impl Drop for Sequence<'_> {
    fn drop(&mut self) {
        if let Some(asked) = &self.next {
            asked.abort();
        }
    }
}
