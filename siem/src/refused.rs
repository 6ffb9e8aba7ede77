//! Records whose fields cannot be sealed, sealed as a whole.

use serde_json::json;

use crate::{
    batch::{Failure, Outcome, Record, Transform},
    json,
    reason::Reason,
    rules::audit_log::WHOLE,
    splice::write_name,
};

/// The text of the blob that a record becomes, which failed for this reason. It is bound to nothing:
/// what it could be bound to may be what it lacks.
///
/// # Errors
/// If it cannot be sealed.
pub(crate) fn seal(
    record: &[u8],
    reason: &Reason,
    transform: &impl Transform,
) -> Result<Vec<u8>, Failure> {
    let record = Record {
        text: Some(record),
        ..Record::default()
    };
    match transform.chunk(&[record]).pop() {
        Some(Outcome::Opened { plaintext, .. }) => Ok(plaintext),
        Some(Outcome::Failed(failure)) => Err(failure),
        _ => Err(Failure::new(reason.clone())),
    }
}

/// The object that stands for a record in its place.
pub(crate) fn write_object(name: &str, blob: &[u8], out: &mut Vec<u8>) {
    out.push(b'{');
    write_name(name, out);
    json::write_string(blob, out);
    out.push(b'}');
}

/// A line of a file of refused records: where the record came from, what is wrong, and its blob.
pub(crate) fn letter(source: &str, number: u64, reason: &Reason, blob: &[u8]) -> Vec<u8> {
    let head = json!({ "source": source, "line": number, "code": reason.code() }).to_string();
    let mut letter = head.trim_end_matches('}').as_bytes().to_vec();
    letter.push(b',');
    write_name(WHOLE, &mut letter);
    json::write_string(blob, &mut letter);
    letter.extend_from_slice(b"}\n");
    letter
}
