//! Examples of `pqseal calendar`.

use super::Example;

/// `pqseal calendar`
pub const CALENDAR: [Example; 3] = [
    (
        "Two years of days",
        "pqseal calendar new --from 2026-12-01 --days 730 -o logs.calendar > logs.calendar.pub",
    ),
    (
        "Shred everything before December 2027",
        "pqseal calendar shred logs.calendar --before 2027-12-01",
    ),
    (
        "Check that two files fit",
        "pqseal calendar check logs.calendar logs.calendar.pub",
    ),
];

/// `pqseal calendar new`
pub const CALENDAR_NEW: [Example; 3] = [
    (
        "Two years of days",
        "pqseal calendar new --from 2026-12-01 --days 730 -o logs.calendar > logs.calendar.pub",
    ),
    (
        "A year of weeks under a passphrase",
        "pqseal calendar new --from 2026-12-07 --days 364 --period week --encrypt -o logs.age > logs.pub",
    ),
    (
        "The private calendar sealed to an age recipient",
        "pqseal calendar new --from 2026-12-01 --days 365 -r age1... -o logs.age > logs.pub",
    ),
];

/// `pqseal calendar shred`
pub const CALENDAR_SHRED: [Example; 3] = [
    (
        "Everything before December 2027",
        "pqseal calendar shred logs.calendar --before 2027-12-01",
    ),
    (
        "With a new passphrase, which makes old copies useless",
        "pqseal calendar shred logs.age --before 2027-12-01 --passphrase-file old --new-passphrase-file new",
    ),
    ("What is left", "pqseal calendar show logs.calendar"),
];

/// `pqseal calendar lend`
pub const CALENDAR_LEND: [Example; 3] = [
    (
        "Three days to a responder, sealed to their age recipient",
        "pqseal calendar lend logs.calendar --from 2026-12-03 --to 2026-12-05 -r age1... -o lent.age",
    ),
    (
        "The responder opens the logs",
        "pqseal file decrypt -i identity.txt lent.age | pqseal logs open -k - events.ndjson",
    ),
    (
        "A week for the receiver",
        "pqseal calendar lend logs.calendar --from 2026-12-07 --to 2026-12-13 -o week.calendar",
    ),
];
