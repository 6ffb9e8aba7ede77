//! The place of a request in work.

use tokio::sync::OwnedSemaphorePermit;

use crate::server::gauge::Counting;

/// The place of a request in work. Its thread and its events share it, since they may outlast a
/// client that gives up.
pub(super) struct InWork {
    pub(super) _permit: OwnedSemaphorePermit,
    pub(super) _counting: Counting,
}
