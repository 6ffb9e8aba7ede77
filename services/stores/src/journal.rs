//! The state of runs in a store. Objects cannot be appended to, so each addition is a separate
//! object below `.pqseal-logs/` in the output. They are numbered, and read in order. Concurrent
//! runs do not collide, because a random part follows each number.

use std::{
    io::{self, BufRead, BufReader, Cursor, Read},
    path::{Path as FilePath, PathBuf},
    sync::Arc,
    vec::IntoIter,
};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, future, stream};
use object_store::{ObjectStore, ObjectStoreExt, path::Path};
use pqseal_pipeline::files::{Draft as _, Journal};

use crate::{
    bucket::Bucket,
    failure::failed,
    write::{Upload, put},
};

/// The number of objects above which a run merges them before it begins.
const MANY: usize = 256;
/// The number of objects that are read at a time.
const TOGETHER: usize = 16;

/// The number of attempts at reading, if objects are merged meanwhile.
const BEGINNINGS: usize = 4;
/// The largest object of a journal, in bytes: enough for some five million files.
const LARGEST: u64 = 1 << 30;

/// A journal in a store.
#[derive(Debug)]
pub(crate) struct StoredJournal {
    bucket: Arc<Bucket>,
    /// Its address, for messages.
    name: PathBuf,
    folder: Path,
    /// The objects that existed at the start, in order.
    there: Vec<Path>,
    next: u64,
}

impl StoredJournal {
    /// Opens the journal of the output `folder`.
    pub(crate) fn open(bucket: Arc<Bucket>, folder: &FilePath, warn: fn(&str)) -> io::Result<Self> {
        let name = folder.join(".pqseal-logs");
        let folder = bucket.key(&name)?;
        let there = listed(&bucket, &folder)?;
        let next = there.last().and_then(number).unwrap_or(0);
        let next = next.saturating_add(1);
        let mut journal = Self {
            bucket,
            name,
            folder,
            there,
            next,
        };
        if journal.there.len() > MANY {
            journal.merge(warn)?;
        }
        Ok(journal)
    }

    fn key(&self) -> io::Result<Path> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let random = u64::from_ne_bytes(random);
        Ok(self
            .folder
            .clone()
            .join(format!("{:012}-{random:016x}.ndjson", self.next)))
    }

    /// Merges all objects into one, if they can be deleted.
    fn merge(&mut self, warn: fn(&str)) -> io::Result<()> {
        if let Err(error) = self.try_deletion() {
            warn(&format!(
                "the state has {} objects, which cannot be merged since none can be deleted: {error}; allow deletion below {}, or name a file with --state",
                self.there.len(),
                self.name.display()
            ));
            return Ok(());
        }
        let merged = self.key()?;
        let mut upload = Upload::new(self.bucket.clone(), merged.clone());
        io::copy(&mut self.read()?, &mut upload)?;
        upload.finish()?;
        Box::new(upload).publish()()?;
        self.next += 1;
        let old = std::mem::replace(&mut self.there, vec![merged]);
        self.delete(old)
    }

    fn try_deletion(&self) -> io::Result<()> {
        let key = self.folder.clone().join("deletion");
        self.bucket
            .wait(put(&*self.bucket.store, &key, Vec::new()))?;
        self.delete(vec![key])
    }

    fn delete(&self, keys: Vec<Path>) -> io::Result<()> {
        let keys = stream::iter(keys.into_iter().map(Ok)).boxed();
        let deleted = self.bucket.store.delete_stream(keys);
        // Another run may have merged them too.
        let deleted = deleted.filter(|deleted| {
            future::ready(!matches!(
                deleted,
                Err(object_store::Error::NotFound { .. })
            ))
        });
        let deleted = self.bucket.wait(deleted.try_for_each(|_| async { Ok(()) }));
        deleted.map_err(|error| failed(&error))
    }
}

impl Journal for StoredJournal {
    fn name(&self) -> &FilePath {
        &self.name
    }

    fn read(&self) -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(BufReader::new(Lines {
            bucket: self.bucket.clone(),
            folder: self.folder.clone(),
            keys: self.there.clone().into_iter(),
            some: Cursor::default(),
            begun: 1,
        })))
    }

    fn add(&mut self, lines: &str) -> io::Result<()> {
        let key = self.key()?;
        self.next += 1;
        let lines = lines.as_bytes().to_vec();
        self.bucket.wait(put(&*self.bucket.store, &key, lines))
    }
}

/// Lists the objects of a journal, in order. Other objects are skipped.
fn listed(bucket: &Bucket, folder: &Path) -> io::Result<Vec<Path>> {
    let there = bucket.list(folder)?.into_iter().map(|found| found.location);
    let mut there: Vec<_> = there.filter(|key| number(key).is_some()).collect();
    there.sort_by_cached_key(|key| (number(key), key.clone()));
    Ok(there)
}

/// Returns the number in the name of an object.
fn number(key: &Path) -> Option<u64> {
    let name = key.filename()?.strip_suffix(".ndjson")?;
    name.split_once('-')?.0.parse().ok()
}

/// A reader of consecutive objects, some at a time.
struct Lines {
    bucket: Arc<Bucket>,
    folder: Path,
    keys: IntoIter<Path>,
    some: Cursor<Vec<u8>>,
    /// The number of times that reading began.
    begun: usize,
}

impl Lines {
    fn next(&mut self) -> io::Result<Vec<u8>> {
        let keys: Vec<_> = self.keys.by_ref().take(TOGETHER).collect();
        let store = &*self.bucket.store;
        let texts = stream::iter(keys.iter().map(|key| text(store, key)))
            .buffered(TOGETHER)
            .try_collect::<Vec<_>>();
        match self.bucket.wait(texts) {
            // An object that does not end with a line break must not join the next.
            Ok(texts) => Ok(texts.join(&b'\n')),
            // Another run has merged them: the same lines are in an object that was not listed.
            Err(object_store::Error::NotFound { .. }) if self.begun < BEGINNINGS => {
                self.begun += 1;
                self.keys = listed(&self.bucket, &self.folder)?.into_iter();
                Ok(Vec::new())
            }
            Err(error) => Err(failed(&error)),
        }
    }
}

async fn text(store: &dyn ObjectStore, key: &Path) -> object_store::Result<Bytes> {
    let found = store.get(key).await?;
    if found.meta.size > LARGEST {
        return Err(object_store::Error::Generic {
            store: "state",
            source: format!(
                "{key} has {} bytes, which is too large for a state; name a file with --state",
                found.meta.size
            )
            .into(),
        });
    }
    found.bytes().await
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.some.read(buffer)?;
            if read > 0 || buffer.is_empty() || self.keys.as_slice().is_empty() {
                return Ok(read);
            }
            let mut some = self.next()?;
            some.push(b'\n');
            self.some = Cursor::new(some);
        }
    }
}
