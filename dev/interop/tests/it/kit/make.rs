//! Makes the files of the kit, which are the same in every run.

use std::collections::BTreeMap;

use super::{
    cases::{decrypt_groups, encap_group, matched_data_group, sequence_group},
    schema::{File, Group, Note},
    suites::{SUITES, is_first, suite},
};

/// The meaning of the flags.
const NOTES: [(&str, &str, &str); 10] = [
    ("Valid", "BASIC", "opens, or seals"),
    (
        "ModifiedCiphertext",
        "AUTH_BYPASS",
        "ct is not what was sealed",
    ),
    (
        "ModifiedContext",
        "AUTH_BYPASS",
        "info, aad, PSK, sender or recipient is another one",
    ),
    (
        "ModifiedEnc",
        "AUTH_BYPASS",
        "enc is not what was sent, and still well formed or rejected implicitly",
    ),
    (
        "InvalidLength",
        "MISSING_STEP",
        "enc or pkRm has another length than Nenc or Npk",
    ),
    (
        "LowOrder",
        "MISSING_STEP",
        "the Diffie-Hellman result is zero (RFC 9180, section 7.1.4)",
    ),
    (
        "InvalidPoint",
        "MISSING_STEP",
        "not an uncompressed point of the curve (RFC 9180, sections 7.1.1 and 7.1.4)",
    ),
    (
        "InvalidCoefficient",
        "MISSING_STEP",
        "fails the check of encapsulation keys of FIPS 203, section 7.2",
    ),
    (
        "Sequence",
        "FUNCTIONALITY",
        "several messages of one context (RFC 9180, section 5.2)",
    ),
    (
        "MatchedData",
        "FUNCTIONALITY",
        "matched data of version 4, a format of pqseal",
    ),
];

/// Returns every file by its name.
pub(crate) fn files() -> BTreeMap<String, File> {
    let mut files = BTreeMap::new();
    for [kem, ..] in SUITES.into_iter().filter(|ids| is_first(*ids)) {
        let suites = || SUITES.into_iter().filter(move |ids| ids[0] == kem);
        let name = suite(suites().next().expect("a first one"))
            .kem()
            .info()
            .short_name;
        let decrypt = suites().flat_map(decrypt_groups).collect();
        let encap = suites().take(1).map(encap_group).collect();
        files.insert(
            format!("hpke_{name}_decrypt_test.json"),
            file("hpke_decrypt_test_schema.json", decrypt),
        );
        files.insert(
            format!("hpke_{name}_encap_test.json"),
            file("hpke_encap_test_schema.json", encap),
        );
    }
    let chosen = |keep: fn([u16; 3]) -> bool| SUITES.into_iter().filter(move |ids| keep(*ids));
    let sequences = chosen(|ids| is_first(ids) && ids[0] < 0xff00)
        .map(sequence_group)
        .collect();
    files.insert(
        "hpke_sequence_test.json".into(),
        file("hpke_sequence_test_schema.json", sequences),
    );
    let blobs = chosen(is_first).map(matched_data_group).collect();
    files.insert(
        "matched_data_v4_test.json".into(),
        file("matched_data_v4_test_schema.json", blobs),
    );
    files
}

fn file(schema: &str, mut groups: Vec<Group>) -> File {
    let cases = groups.iter_mut().flat_map(|group| &mut group.tests);
    let mut number_of_tests = 0;
    for case in cases {
        number_of_tests += 1;
        case.tc_id = number_of_tests;
    }
    let used = |flag: &str| {
        groups
            .iter()
            .flat_map(|group| &group.tests)
            .any(|case| case.flags == [flag])
    };
    let notes =
        NOTES
            .into_iter()
            .filter(|(flag, ..)| used(flag))
            .map(|(flag, bug_type, description)| {
                (
                    flag.into(),
                    Note {
                        bug_type: bug_type.into(),
                        description: description.into(),
                    },
                )
            });
    File {
        algorithm: "HPKE".into(),
        schema: schema.into(),
        number_of_tests,
        header: vec!["Vectors of pqseal in the schema of C2SP/wycheproof#273; README.md says what was added to it".into()],
        notes: notes.collect(),
        test_groups: groups,
    }
}
