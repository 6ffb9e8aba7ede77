//! The listing of objects: the named one, or all below a key.

use std::{
    io,
    path::{Path as FilePath, PathBuf},
};

use object_store::{ObjectMeta, ObjectStoreExt, path::Path};
use pqseal_pipeline::files::{self, Job, LeftOut, Plan, Selection, StoreError, StoreFailure};

use crate::{
    bucket::{Bucket, stamp},
    failure::failed,
    objects::job,
    other,
};
use pqseal_pipeline::files::Address;

/// Adds the object at `path` to `plan`, or all objects below it.
///
/// # Errors
/// If they cannot be listed, or there are none.
pub(crate) fn list(
    bucket: &Bucket,
    path: &FilePath,
    address: &Address<'_>,
    selection: &Selection,
    plan: &mut Plan,
) -> io::Result<()> {
    if !address.names_folder() {
        match bucket.found(path) {
            Ok(found) => {
                let job = job(path, &found);
                match selection.takes(&job.name, Some(found.last_modified.into())) {
                    Ok(true) => plan.jobs.push(job),
                    Ok(false) => {}
                    Err(why) => plan.left_out.push((job.input, why)),
                }
                return Ok(());
            }
            Err(error) if !is_missing(&error) => return Err(error),
            Err(_) => {}
        }
    }
    let prefix = Path::parse(address.key).map_err(|error| other(error.to_string()))?;
    let mut found = bucket.list(&prefix)?;
    if found.is_empty() {
        return Err(other("there is no object at or below this address"));
    }
    // An object may have the same name as an empty folder marker. The marker is sorted second, and
    // removed.
    found.sort_by(|a, b| (&a.location, b.size).cmp(&(&b.location, a.size)));
    found.dedup_by(|b, a| a.location == b.location && b.size == 0);
    for object in found {
        take(bucket, &prefix, &object, selection, plan)?;
    }
    Ok(())
}

fn take(
    bucket: &Bucket,
    prefix: &Path,
    object: &ObjectMeta,
    selection: &Selection,
    plan: &mut Plan,
) -> io::Result<()> {
    let input = PathBuf::from(bucket.address(&object.location));
    let Some(parts) = object.location.prefix_match(prefix) else {
        return Ok(());
    };
    let name: PathBuf = parts.map(|part| part.as_ref().to_owned()).collect();
    let taken = match name.iter().any(files::is_hidden) {
        true => Err(LeftOut::Hidden),
        false => selection.takes(&name, Some(object.last_modified.into())),
    };
    match taken {
        Ok(true) if name.as_os_str().is_empty() || is_marker(bucket, object)? => {
            plan.left_out.push((input, LeftOut::FolderMarker));
        }
        Ok(true) => plan.jobs.push(Job {
            input,
            name,
            stamp: Some(stamp(object)),
        }),
        Ok(false) => {}
        Err(why) => plan.left_out.push((input, why)),
    }
    Ok(())
}

/// Reports whether the object is a folder marker: an empty object whose name ends in `/`, made by
/// consoles. Listings omit that ending, and no object has the name without it.
fn is_marker(bucket: &Bucket, object: &ObjectMeta) -> io::Result<bool> {
    if object.size > 0 {
        return Ok(false);
    }
    match bucket.wait(bucket.store.head(&object.location)) {
        Ok(_) => Ok(false),
        Err(object_store::Error::NotFound { .. }) => Ok(true),
        Err(error) => Err(failed(&error)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    StoreError::of(error).is_some_and(|error| error.kind == StoreFailure::Missing)
}
