//! An object that is written in parts, which become an object when it is published. A small object
//! is sent in one request.

use std::{
    io::{self, Write},
    mem,
    sync::Arc,
    time::Duration,
};

use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, path::Path};
use pqseal_pipeline::files::{Draft, Publishing};
use tokio::{task::JoinSet, time::timeout};

use crate::{bucket::Bucket, failure::failed, other};

/// The size of a part, in bytes. All except the last one have it, as Cloudflare R2 requires. S3
/// allows 10,000 parts, so that an object has 80 GB at most.
const PART: usize = 8 << 20;
/// The number of parts that are sent at once.
const PARTS: usize = 2;
/// The largest size of an object that is held in memory and sent in one request.
const SMALL: usize = 256 << 10;
/// The longest wait for a store to discard parts.
const DISCARD: Duration = Duration::from_secs(10);

/// An object that is not published yet.
pub(crate) struct Upload {
    bucket: Arc<Bucket>,
    key: Path,
    bytes: Vec<u8>,
    parts: Option<Parts>,
}

/// The parts that were sent.
struct Parts {
    upload: Box<dyn MultipartUpload>,
    sending: JoinSet<object_store::Result<()>>,
}

impl Upload {
    pub(crate) fn new(bucket: Arc<Bucket>, key: Path) -> Self {
        let (bytes, parts) = (Vec::new(), None);
        Self {
            bucket,
            key,
            bytes,
            parts,
        }
    }

    fn send(&mut self) -> io::Result<()> {
        let part = PutPayload::from(mem::take(&mut self.bytes));
        let parts = match &mut self.parts {
            Some(parts) => parts,
            None => self.parts.insert(Parts::begin(&self.bucket, &self.key)?),
        };
        self.bucket.wait(parts.until_fewer_than(PARTS))?;
        let sent = parts.upload.put_part(part);
        parts.sending.spawn_on(sent, self.bucket.handle());
        Ok(())
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len().min(PART - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..length]);
        if self.bytes.len() == PART {
            self.send()?;
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for Upload {
    fn finish(&mut self) -> io::Result<()> {
        let is_last = self.parts.is_some() && !self.bytes.is_empty();
        if is_last || self.bytes.len() > SMALL {
            self.send()?;
        }
        match &mut self.parts {
            Some(parts) => self.bucket.wait(parts.until_fewer_than(1)),
            None => Ok(()),
        }
    }

    fn publish(mut self: Box<Self>) -> Publishing {
        let bucket = self.bucket.clone();
        let (store, key) = (bucket.store.clone(), self.key.clone());
        let (bytes, parts) = (mem::take(&mut self.bytes), self.parts.take());
        let named = bucket.handle().spawn(async move {
            match parts {
                None => put(&*store, &key, bytes).await,
                Some(parts) => parts.complete().await,
            }
        });
        Box::new(move || {
            let named = bucket.wait(named);
            named.unwrap_or_else(|error| Err(other(error.to_string())))
        })
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(parts) = self.parts.take() {
            // Parts that cannot be discarded are never visible; the store's rules remove them in
            // time.
            let _ = self
                .bucket
                .wait(async { timeout(DISCARD, parts.discard()).await });
        }
    }
}

impl Parts {
    fn begin(bucket: &Bucket, key: &Path) -> io::Result<Self> {
        let begun = bucket.wait(bucket.store.put_multipart(key));
        Ok(Self {
            upload: begun.map_err(|error| failed(&error))?,
            sending: JoinSet::new(),
        })
    }

    async fn until_fewer_than(&mut self, count: usize) -> io::Result<()> {
        while self.sending.len() >= count
            && let Some(sent) = self.sending.join_next().await
        {
            sent.map_err(io::Error::other)?
                .map_err(|error| failed(&error))?;
        }
        Ok(())
    }

    async fn complete(mut self) -> io::Result<()> {
        match self.upload.complete().await {
            Ok(_) => Ok(()),
            Err(error) => {
                let _ = timeout(DISCARD, self.discard()).await;
                Err(failed(&error))
            }
        }
    }

    async fn discard(mut self) {
        self.sending.shutdown().await;
        let _ = self.upload.abort().await;
    }
}

/// Stores a small object in one request.
pub(crate) async fn put(store: &dyn ObjectStore, key: &Path, bytes: Vec<u8>) -> io::Result<()> {
    let put = store.put(key, PutPayload::from(bytes)).await;
    put.map(drop).map_err(|error| failed(&error))
}
