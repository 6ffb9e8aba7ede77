//! Objects of a store, which are read and written like files.
//!
//! Tasks take a [`Store`] ([`Task::from`](super::Task::from), [`Task::to`](super::Task::to)). The
//! network code is outside this crate.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use super::{Job, Object};

/// A store of objects.
pub trait Store: fmt::Debug + Send + Sync {
    /// Starts to read the object at [`Job::input`] as it was when it was listed. Does not wait for
    /// it, so its errors are returned by the first read.
    fn open(&self, job: &Job) -> Arc<dyn Object>;

    /// Creates an object at `output`, which appears when it is published.
    ///
    /// # Errors
    /// An error if `output` cannot be the name of an object.
    fn create(&self, output: &Path) -> io::Result<Box<dyn Draft>>;

    /// Reports whether an object existed at `output` when the run began.
    fn holds(&self, output: &Path) -> bool;
}

/// An object that is being written and is invisible until it is published. Dropping it discards it.
pub trait Draft: Write + Send {
    /// Completes the object after all data is written. Waits until at most a small remainder is in
    /// memory.
    ///
    /// # Errors
    /// An error if the store refuses the data.
    fn finish(&mut self) -> io::Result<()>;

    /// Starts to publish the object under its name, replacing an existing one. The returned
    /// function waits for completion.
    fn publish(self: Box<Self>) -> Publishing;
}

/// A function that waits until an object has appeared.
pub type Publishing = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// The kind of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreKind {
    /// Amazon S3 and stores that speak its protocol.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
}

/// The address of an object, or of all objects below a key: `s3://BUCKET/KEY`, `gs://BUCKET/KEY`,
/// `az://CONTAINER/KEY`. The key is used as it is typed, without decoding, as the stores' own
/// programs do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address<'a> {
    /// The kind of its store.
    pub kind: StoreKind,
    /// The scheme and the bucket.
    pub root: &'a str,
    /// The bucket or container.
    pub bucket: &'a str,
    /// The rest, which may be empty.
    pub key: &'a str,
}

const SCHEMES: [(&str, StoreKind); 3] = [
    ("s3://", StoreKind::S3),
    ("gs://", StoreKind::Gcs),
    ("az://", StoreKind::Azure),
];

impl<'a> Address<'a> {
    /// Parses an address; `None` if `path` is the path of a file.
    pub fn of(path: &'a Path) -> Option<Self> {
        let text = path.to_str()?;
        let (scheme, kind) = SCHEMES
            .into_iter()
            .find(|(scheme, _)| text.starts_with(scheme))?;
        let (bucket, key) = text[scheme.len()..]
            .split_once('/')
            .unwrap_or((&text[scheme.len()..], ""));
        Some(Self {
            kind,
            root: &text[..scheme.len() + bucket.len()],
            bucket,
            key,
        })
    }

    /// Reports whether it can only be the address of all objects below a key.
    pub fn names_folder(&self) -> bool {
        self.key.is_empty() || self.key.ends_with('/')
    }
}

/// Reports whether this is the address of an object, and not the path of a file.
pub fn is_address(path: &Path) -> bool {
    Address::of(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_bucket_and_a_key() {
        for (text, kind, root, bucket, key) in [
            ("s3://logs", StoreKind::S3, "s3://logs", "logs", ""),
            ("s3://logs/", StoreKind::S3, "s3://logs", "logs", ""),
            (
                "gs://a/b c%20/d?#",
                StoreKind::Gcs,
                "gs://a",
                "a",
                "b c%20/d?#",
            ),
            ("az://a/b/", StoreKind::Azure, "az://a", "a", "b/"),
        ] {
            let address = Address::of(Path::new(text)).unwrap();
            let found = (address.kind, address.root, address.bucket, address.key);
            assert_eq!(found, (kind, root, bucket, key));
        }
        for path in ["logs", "./s3://logs", "s3:/logs", "https://logs", "S3"] {
            assert!(!is_address(Path::new(path)), "{path}");
        }
    }
}
