//! The examples of `pqseal file`.

use super::Example;

/// `pqseal file`
pub const FILE: [Example; 3] = [
    ("Make an identity", "pqseal file keygen --pq -o key.txt"),
    (
        "Encrypt a file to a recipient",
        "pqseal file encrypt -R recipients.txt -o report.age report.txt",
    ),
    (
        "Decrypt it",
        "pqseal file decrypt -i key.txt -o report.txt report.age",
    ),
];

/// `pqseal file encrypt`
pub const FILE_ENCRYPT: [Example; 3] = [
    (
        "To the recipients in a file",
        "pqseal file encrypt -R recipients.txt -o report.age report.txt",
    ),
    (
        "All files of a folder, into another",
        "pqseal file encrypt -R recipients.txt -o encrypted/ reports",
    ),
    (
        "From a pipe, under a passphrase",
        "tar c reports | pqseal file encrypt -p -o reports.tar.age",
    ),
];

/// `pqseal file decrypt`
pub const FILE_DECRYPT: [Example; 3] = [
    (
        "A file",
        "pqseal file decrypt -i key.txt -o report.txt report.age",
    ),
    (
        "All files of a folder, into another",
        "pqseal file decrypt -i key.txt -o reports/ encrypted",
    ),
    (
        "The first 1000 bytes of a large file",
        "pqseal file decrypt -i key.txt --range 0-999 disk.age",
    ),
];

/// `pqseal file inspect`
pub const FILE_INSPECT: [Example; 3] = [
    ("A file", "pqseal file inspect report.age"),
    (
        "Several, as JSON, one per line",
        "pqseal --json file inspect report.age disk.age",
    ),
    ("From a pipe", "cat report.age | pqseal file inspect -"),
];

/// `pqseal file rekey`
pub const FILE_REKEY: [Example; 3] = [
    (
        "Other recipients",
        "pqseal file rekey -i key.txt -R recipients.txt report.age",
    ),
    (
        "In a new file, the old one stays",
        "pqseal file rekey -i key.txt -R recipients.txt -o new.age report.age",
    ),
    (
        "With room in the header for later changes in place",
        "pqseal file rekey -i key.txt -R recipients.txt --reserve disk.age",
    ),
];

/// `pqseal file keygen`
pub const FILE_KEYGEN: [Example; 3] = [
    (
        "A post-quantum identity",
        "pqseal file keygen --pq -o key.txt",
    ),
    (
        "One that every age program can use",
        "pqseal file keygen -o key.txt",
    ),
    (
        "The recipients of identities",
        "pqseal file keygen -y key.txt > recipients.txt",
    ),
];
