//! Paths to fields.

use pqseal_records::FieldPath;

/// Checks that the text of a path parses to the same path.
pub(crate) fn run(text: &[u8]) {
    let Ok(text) = str::from_utf8(text) else {
        return;
    };
    match text.parse::<FieldPath>() {
        Ok(path) => assert_eq!(path.to_string().parse(), Ok(path)),
        Err(error) => assert!(error.offset <= text.len()),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "/a/b.c/0/d",
        r#".a."b.c"[1].d"#,
        r#"a."b\"c"[].d"#,
        "/a//x~1y~0",
        ".a2.p[].p",
        "Metadata.encrypted_matched_data",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
