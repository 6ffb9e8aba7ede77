//! The number of files that are open at once.

use std::fs;

use super::*;

/// Returns the files in `folder` that this process has open.
#[cfg(target_os = "linux")]
fn open_in(folder: &Path) -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let targets = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    let files = targets.filter(|target| target.starts_with(folder) && target != folder);
    files.count()
}

#[cfg(not(target_os = "linux"))]
fn open_in(_folder: &Path) -> usize {
    0
}

struct Counting<'p> {
    hearing: Hearing<'p>,
    most: usize,
}

impl Observer for Counting<'_> {
    fn batch(&mut self, stats: &Stats) {
        self.count();
        self.hearing.batch(stats);
    }
}

impl Counting<'_> {
    fn count(&mut self) {
        let logs = self.hearing.place.path("logs");
        self.most = self.most.max(open_in(&logs));
    }
}

impl Follower for Counting<'_> {
    fn event(&mut self, path: &Path, event: Event) {
        self.hearing.event(path, event);
    }

    fn tick(&mut self) {
        self.count();
        self.hearing.tick();
    }
}

#[test]
fn few_files_are_open_and_all_are_read() {
    for folders in [true, false] {
        let place = Place::new();
        fs::create_dir(place.path("logs")).unwrap();
        let mut what = place.what(folders);
        let names: Vec<_> = (0..100)
            .map(|number| format!("logs/{number}.log"))
            .collect();
        let write = |text: &str| names.iter().for_each(|name| place.add(name, text));
        write("1\n");
        if !folders {
            what.inputs = names.iter().map(|name| place.path(name)).collect();
        }
        place.is_over.store(false, Ordering::Relaxed);
        let most = thread::scope(|scope| {
            let run = scope.spawn(|| {
                let hearing = Hearing {
                    place: &place,
                    is_once: false,
                };
                let mut counting = Counting { hearing, most: 0 };
                place
                    .follow(&what, "out", &mut counting)
                    .map(|()| counting.most)
            });
            let end = End(&place.is_over);
            place.wait_for(100);
            // One that is not open is found by its number.
            for name in &names {
                place.rename(name, &format!("{name}.1"));
                place.add(&format!("{name}.1"), "2\n");
            }
            write("3\n");
            place.wait_for(300);
            drop(end);
            run.join().unwrap().unwrap()
        });
        // Those that stay open, the one that is read, and the one that this test writes to at the
        // same time.
        assert!(most <= what.keep_open + 2, "{most}");
        let out = place.read("out");
        for line in ["1", "2", "3"] {
            assert_eq!(
                out.lines().filter(|found| *found == line).count(),
                100,
                "{line}"
            );
        }
        let told = place.events();
        assert!(
            told.iter().all(|event| event.ends_with(" Missing")),
            "{told:?}"
        );
    }
}

/// Without a state, the end of the run ends a line, in closed files too.
#[test]
fn unfinished_lines_of_closed_files_are_written() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    place.add("logs/a.log", "1");
    let mut what = place.what(true);
    (what.state, what.keep_open) = (None, 0);
    place.once(&what, "out").unwrap();
    assert_eq!(place.read("out"), "1");
}
