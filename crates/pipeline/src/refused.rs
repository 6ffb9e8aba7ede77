//! Records that are sealed as a whole because their fields cannot be sealed.

use serde_json::json;

use pqseal_records::{json, rules::audit_log::WHOLE, splice::write_name};

use crate::{
    batch::{Failure, Outcome, Transform},
    reason::Reason,
};

/// Returns the text of the blob for a record that failed for this reason. It is bound to nothing,
/// since the record may lack the value to bind it to.
///
/// # Errors
/// The failure, if the record cannot be sealed.
pub(crate) fn seal(
    record: &[u8],
    reason: &Reason,
    transform: &impl Transform,
) -> Result<Vec<u8>, Failure> {
    match transform.whole(record) {
        Outcome::Opened { plaintext, .. } => Ok(plaintext),
        Outcome::Failed(failure) => Err(failure),
        _ => Err(Failure::new(reason.clone())),
    }
}

/// Writes the object that replaces a record.
pub(crate) fn write_object(name: &str, blob: &[u8], out: &mut Vec<u8>) {
    out.push(b'{');
    write_name(name, out);
    json::write_string(blob, out);
    out.push(b'}');
}

/// Returns a line of a file of refused records: the source of the record, the reason, and its blob.
pub(crate) fn letter(source: &str, number: u64, reason: &Reason, blob: &[u8]) -> Vec<u8> {
    let head = json!({ "source": source, "line": number, "code": reason.code() }).to_string();
    let mut letter = head.trim_end_matches('}').as_bytes().to_vec();
    letter.push(b',');
    write_name(WHOLE, &mut letter);
    json::write_string(blob, &mut letter);
    letter.extend_from_slice(b"}\n");
    letter
}
