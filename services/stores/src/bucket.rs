//! A bucket: the connection to it, and the names of its objects.

use std::{
    env, fmt,
    future::Future,
    io,
    path::Path as FilePath,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures_util::TryStreamExt;
use object_store::{
    ClientConfigKey, ClientOptions, HeaderMap, HeaderValue, ObjectMeta, ObjectStore,
    ObjectStoreExt, RetryConfig, aws::AmazonS3Builder, azure::MicrosoftAzureBuilder,
    gcp::GoogleCloudStorageBuilder, path::Path,
};
use pqseal_pipeline::files::Stamp;
use tokio::runtime::{Handle, Runtime};

use crate::{failure::failed, other};
use pqseal_pipeline::files::{Address, StoreKind};

/// A bucket of a store.
pub(crate) struct Bucket {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The common beginning of its addresses: `s3://BUCKET`.
    root: String,
    runtime: Arc<Runtime>,
}

impl Bucket {
    /// Connects to a bucket. Credentials, endpoints and regions come from the environment, or from
    /// the metadata service of this machine, as `object_store` reads them.
    pub(crate) fn connect(
        address: &Address<'_>,
        retry: Duration,
        runtime: Arc<Runtime>,
    ) -> io::Result<Self> {
        let retry = RetryConfig {
            retry_timeout: retry,
            // Only the time limits retries. Ten of them would be over in three seconds.
            max_retries: usize::MAX,
            ..RetryConfig::default()
        };
        let store = connected(address, retry).map_err(|error| failed(&error))?;
        Ok(Self {
            store,
            root: address.root.to_owned(),
            runtime,
        })
    }

    /// Runs `work` to its end.
    pub(crate) fn wait<F: Future>(&self, work: F) -> F::Output {
        self.runtime.block_on(work)
    }

    /// Returns the runtime's handle, for tasks in the background.
    pub(crate) fn handle(&self) -> &Handle {
        self.runtime.handle()
    }

    /// Returns the key in the address `path`.
    pub(crate) fn key(&self, path: &FilePath) -> io::Result<Path> {
        let text = path.to_str().unwrap_or_default();
        // Paths on Windows have backslashes.
        let text = if cfg!(windows) {
            text.replace('\\', "/")
        } else {
            text.to_owned()
        };
        let key = text.strip_prefix(&self.root).filter(|_| !text.is_empty());
        let key = key.ok_or_else(|| other("its name is not UTF-8, as names of objects are"))?;
        Path::parse(key).map_err(|error| other(error.to_string()))
    }

    /// Returns the address of an object.
    pub(crate) fn address(&self, key: &Path) -> String {
        format!("{}/{key}", self.root)
    }

    /// Lists all objects below `prefix`.
    pub(crate) fn list(&self, prefix: &Path) -> io::Result<Vec<ObjectMeta>> {
        let found = self.wait(self.store.list(Some(prefix)).try_collect());
        found.map_err(|error| failed(&error))
    }

    /// Returns the current metadata of the object at `path`.
    pub(crate) fn found(&self, path: &FilePath) -> io::Result<ObjectMeta> {
        let found = self.wait(self.store.head(&self.key(path)?));
        found.map_err(|error| failed(&error))
    }
}

/// Returns a stamp that distinguishes an object from a changed one.
pub(crate) fn stamp(found: &ObjectMeta) -> Stamp {
    let tag = found.e_tag.as_deref().map(bare);
    // Answers about one object have whole seconds, and some listings are less precise.
    let modified = SystemTime::from(found.last_modified).duration_since(UNIX_EPOCH);
    let modified = UNIX_EPOCH + Duration::from_secs(modified.unwrap_or_default().as_secs());
    Stamp::of_object(found.size, modified, tag)
}

/// Returns an entity tag without its quotes, which some stores leave out in listings, and without
/// the mark of a weak one. The mark is only removed before quotes, since a base64 tag may begin
/// like it.
fn bare(tag: &str) -> &str {
    let weak = tag.strip_prefix("W/").filter(|tag| tag.starts_with('"'));
    weak.unwrap_or(tag).trim_matches('"')
}

fn connected(
    address: &Address<'_>,
    retry: RetryConfig,
) -> object_store::Result<Arc<dyn ObjectStore>> {
    let bucket = address.bucket;
    Ok(match address.kind {
        StoreKind::S3 => Arc::new(
            AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retry)
                .build()?,
        ),
        StoreKind::Gcs => Arc::new(
            GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_client_options(as_stored())
                .with_retry(retry)
                .build()?,
        ),
        StoreKind::Azure => Arc::new(
            MicrosoftAzureBuilder::from_env()
                .with_container_name(bucket)
                .with_retry(retry)
                .build()?,
        ),
    })
}

/// Returns client options that keep objects as they are stored. Google Cloud Storage decompresses
/// objects with `Content-Encoding: gzip` for clients that do not accept it, and then knows neither
/// sizes nor ranges.
fn as_stored() -> ClientOptions {
    let mut options = ClientOptions::new();
    for (name, value) in env::vars_os() {
        let (name, value) = (
            name.to_str().map(str::to_ascii_lowercase),
            value.into_string(),
        );
        let key = name.and_then(|name| {
            name.strip_prefix("google_")?
                .parse::<ClientConfigKey>()
                .ok()
        });
        if let (Some(key), Ok(value)) = (key, value) {
            options = options.with_config(key, value);
        }
    }
    let accepted = [("accept-encoding", "gzip")];
    let accepted = accepted.map(|(name, value)| (name.parse(), HeaderValue::from_static(value)));
    let headers = accepted
        .into_iter()
        .filter_map(|(name, value)| Some((name.ok()?, value)));
    options.with_default_headers(HeaderMap::from_iter(headers))
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.root).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn a_tag_is_the_same_with_and_without_quotes() {
        for tag in ["\"abc\"", "abc", "W/\"abc\""] {
            assert_eq!(bare(tag), "abc");
        }
        for tag in ["\"W/bc==\"", "W/bc=="] {
            assert_eq!(bare(tag), "W/bc==");
        }
    }
}
