//! The file of events. The thread that writes it also seals, since it is faster to seal several
//! waiting requests together.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use pqseal_edge::{Match, Matched};
use pqseal_server::{
    Error, append::can_append, commit::Place, current::Current, rotated::Rotated, spool::Lines,
};
use pqseal_text::escape;

use crate::{counters::Counters, sealer::EventSealer};

/// The matches of one request, in the clear.
pub(crate) struct RequestMatches {
    pub(crate) matches: Vec<Match>,
    pub(crate) at: SystemTime,
}

impl RequestMatches {
    pub(crate) fn count(&self) -> u64 {
        self.matches.len() as u64
    }
}

/// The file of events, and the number of events that are not on the disk yet.
pub(crate) struct EventLog {
    sealer: Arc<Current<EventSealer>>,
    file: Rotated,
    waiting: u64,
    delay: Duration,
    counters: Arc<Counters>,
}

impl EventLog {
    /// Opens or creates the file. Events may wait for the disk for `delay`.
    ///
    /// # Errors
    /// If the system refuses, another process writes to it, or it contains something other than
    /// events.
    pub(crate) fn open(
        path: &Path,
        sealer: Arc<Current<EventSealer>>,
        delay: Duration,
        counters: Arc<Counters>,
    ) -> Result<Self, Error> {
        let file = has_events(path).and_then(|()| Rotated::open(path));
        let file = file.map_err(|error| unwritable(path, error))?;
        Ok(Self {
            sealer,
            file,
            waiting: 0,
            delay,
            counters,
        })
    }

    /// Adds the lines of these requests; `counts` are their numbers of events. All are added in one
    /// write or, if that fails, request by request.
    fn add_all(
        &mut self,
        lines: &[Vec<u8>],
        counts: impl Iterator<Item = u64>,
    ) -> Vec<io::Result<()>> {
        let is_added = lines.len() > 1 && self.write(lines.concat()).is_ok();
        let each = lines.iter().zip(counts).map(|(lines, count)| {
            let added = match is_added {
                true => Ok(()),
                false => self.write(lines.clone()),
            };
            match added {
                Ok(()) => self.waiting += count,
                Err(_) => self.counters.lost.add(count),
            }
            added
        });
        each.collect()
    }

    fn write(&mut self, lines: Vec<u8>) -> io::Result<()> {
        self.file.add(&mut Lines::from(lines), |is_synced| {
            settle(&mut self.waiting, &self.counters, is_synced);
        })
    }
}

/// Checks that events can be added to a file, without changing or creating anything.
///
/// # Errors
/// As [`EventLog::open`].
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    has_events(path)
        .and_then(|()| can_append(path))
        .map_err(|error| unwritable(path, error))
}

/// Checks that a file, if there is one, begins as events do. A partial last line will be cut off,
/// which must not be done to another file.
fn has_events(path: &Path) -> io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let mut first = Vec::new();
    File::open(path)?.take(1).read_to_end(&mut first)?;
    match *first {
        [] | [b'{'] => Ok(()),
        _ => Err(io::Error::other(
            "it contains something other than events; name another file",
        )),
    }
}

/// Makes the error for a file that cannot be written.
fn unwritable(path: &Path, error: io::Error) -> Error {
    Error::system(format_args!("write {}", escape::path(path)), error)
}

/// Counts events that waited for the disk.
fn settle(waiting: &mut u64, counters: &Counters, is_synced: bool) {
    let counter = match is_synced {
        true => &counters.written,
        false => &counters.lost,
    };
    counter.add(std::mem::take(waiting));
}

impl Place for EventLog {
    type Item = RequestMatches;

    fn add(&mut self, items: Vec<RequestMatches>) -> Vec<io::Result<()>> {
        let requests = items.iter().map(|item| Matched {
            matches: &item.matches,
            at: item.at,
        });
        let requests: Vec<_> = requests.collect();
        let counts = items.iter().map(RequestMatches::count);
        match self.sealer.get().lines_of_all(&requests) {
            Ok(lines) => self.add_all(&lines, counts),
            Err(error) => {
                self.counters.lost.add(counts.sum());
                let failed = items
                    .iter()
                    .map(|_| Err(io::Error::other(error.to_string())));
                failed.collect()
            }
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        let (is_synced, result) = self.file.sync();
        settle(&mut self.waiting, &self.counters, is_synced);
        result
    }

    fn delay(&self) -> Duration {
        self.delay
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pqseal_server::failing::Failing;

    use super::*;

    fn sealer() -> Arc<Current<EventSealer>> {
        Arc::new(Arc::new(EventSealer::example()).into())
    }

    fn add(log: &mut EventLog, text: &str) -> io::Result<()> {
        let line = format!("{text}\n").into_bytes();
        log.add_all(&[line], [1].into_iter()).remove(0)
    }

    #[test]
    fn what_does_not_fit_as_a_whole_is_added_in_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let counters = Arc::new(Counters::default());
        let mut log =
            EventLog::open(&path, sealer(), Duration::ZERO, Arc::clone(&counters)).unwrap();
        let lines = ["1\n", "22\n", "3\n"].map(|line| line.as_bytes().to_vec());
        log.file.file.disk = Failing::disk(&path, |disk| disk.longest = 2);
        let added = log.add_all(&lines, [1, 5, 1].into_iter());
        assert_eq!(
            added.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, false, true]
        );
        log.sync().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n3\n");
        assert_eq!((counters.lost.get(), counters.written.get()), (5, 2));
    }

    #[test]
    fn an_event_that_was_lost_before_a_rename_is_not_reported_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let (path, renamed) = (folder.path().join("log"), folder.path().join("log.1"));
        let counters = Arc::new(Counters::default());
        let mut log =
            EventLog::open(&path, sealer(), Duration::ZERO, Arc::clone(&counters)).unwrap();
        add(&mut log, "a").unwrap();
        log.file.file.disk = Failing::sync(&path);
        fs::rename(&path, &renamed).unwrap();
        assert!(add(&mut log, "b").is_err());
        add(&mut log, "c").unwrap();
        assert!(log.sync().is_err(), "it would say that `a` is on the disk");
        assert_eq!(fs::read_to_string(&renamed).unwrap(), "");
        assert_eq!(fs::read_to_string(&path).unwrap(), "c\n");
        assert_eq!((counters.lost.get(), counters.written.get()), (2, 1));
        add(&mut log, "d").unwrap();
        log.sync().unwrap();
        assert_eq!((counters.lost.get(), counters.written.get()), (2, 2));
    }

    #[test]
    fn an_event_without_a_period_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let counters = Arc::new(Counters::default());
        let ended = Arc::new(Arc::new(EventSealer::ended()).into());
        let mut log = EventLog::open(&path, ended, Duration::ZERO, Arc::clone(&counters)).unwrap();
        let rule = pqseal_edge::Rule {
            id: "r".to_owned(),
            description: String::new(),
            action: pqseal_edge::Action::Log,
            expression: "not ssl".to_owned(),
        };
        let rules = pqseal_edge::Rules::new(vec![rule]).unwrap();
        let request = hyper::Request::get("/")
            .header("host", "h")
            .body(())
            .unwrap();
        let from = pqseal_edge::Connection {
            address: [192, 0, 2, 1].into(),
            is_tls: false,
        };
        let matches = rules.matches(&request, pqseal_edge::Body::default(), from);
        let at = SystemTime::now();
        let added = log.add(vec![RequestMatches { matches, at }]);
        let error = added.into_iter().next().unwrap().unwrap_err().to_string();
        assert!(error.contains("nothing is sealed"), "{error}");
        log.sync().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
        assert_eq!((counters.lost.get(), counters.written.get()), (1, 0));
    }

    #[test]
    fn a_file_of_something_else_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (text, is_taken) in [
            ("", true),
            ("{\"a\"", true),
            ("a", false),
            ("key = 1\n", false),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(check(&path).is_ok(), is_taken, "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            let log = EventLog::open(&path, sealer(), Duration::ZERO, Arc::default());
            assert_eq!(log.is_ok(), is_taken, "{text}");
            if !is_taken {
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
            }
        }
    }
}
