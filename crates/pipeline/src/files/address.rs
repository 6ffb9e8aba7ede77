//! Addresses of objects: `s3://BUCKET/KEY`, `gs://BUCKET/KEY`, `az://CONTAINER/KEY`. The key is
//! used as it is typed, without decoding, as the stores' own programs do.

use std::path::Path;

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

/// The address of an object, or of all objects below a key.
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
