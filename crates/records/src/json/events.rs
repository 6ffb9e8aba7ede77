//! The events of a document, such as the answer of an API: the items of the arrays in which its
//! fields are. An array inside a string has no events, since clients choose the text of some
//! fields, such as the user agent, and must not be able to make events.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Container, Event, Fields, Located, Scanner};
use crate::order::sort_by_key;

/// An open object or array.
struct Open {
    is_array: bool,
    /// Set if the items are events.
    has_events: bool,
    items: Vec<Range<usize>>,
    /// The number of events before it.
    before: usize,
}

/// Returns the events of a valid record, in order: the objects and arrays in each array with a
/// field inside one of them. Of several arrays around a field the innermost counts. If arrays with
/// events are nested, the outer one counts. Without such an array, or with a field that is in no
/// event and would be lost, the record itself is the only event, and the result is empty. The events
/// of OTLP are its log records and spans.
pub fn events(record: &[u8], fields: &Fields) -> Vec<Range<usize>> {
    if fields.is_otlp {
        return fields.records.clone();
    }
    let places = fields.found.iter().map(|located| place(located, fields));
    let mut places: Vec<_> = places.collect();
    sort_by_key(&mut places, |place| *place);
    let mut places = places.into_iter().peekable();
    let (mut open, mut events): (Vec<Open>, Vec<_>) = (Vec::new(), Vec::new());
    for event in Scanner::new(record).map_while(Result::ok) {
        let start = match &event {
            Event::Begin(start) => *start,
            Event::Scalar(value) => value.start,
            Event::Key(_) => continue,
            Event::End(value) => {
                if let Some(ended) = open.pop().filter(|ended| ended.has_events) {
                    events.truncate(ended.before);
                    events.extend(ended.items);
                }
                if let Some(array) = open.last_mut().filter(|outer| outer.is_array) {
                    array.items.push(value.clone());
                }
                continue;
            }
        };
        while let Some((_, levels)) = places.next_if(|(place, _)| *place == start) {
            mark(&mut open, levels);
        }
        if let Event::Begin(_) = event {
            open.push(Open {
                is_array: record[start] == b'[',
                has_events: false,
                items: Vec::new(),
                before: events.len(),
            });
        }
    }
    let mut positions = fields.found.iter().map(|field| fields.position(field));
    match positions.all(|at| event_of(&events, at).is_some()) {
        true => events,
        false => Vec::new(),
    }
}

/// Returns the index of the event with a position.
pub fn event_of(events: &[Range<usize>], at: usize) -> Option<usize> {
    let event = events.partition_point(|event| event.end <= at);
    events.get(event)?.contains(&at).then_some(event)
}

/// Returns the position of a field in the record, and the number of containers around it that are
/// only its pair of key and value.
fn place(located: &Located, fields: &Fields) -> (usize, usize) {
    let levels = match located.place {
        Container::Pair(_) if located.text.is_none() => 2,
        _ => 0,
    };
    (fields.position(located), levels)
}

/// Marks the array with the innermost item around a field.
fn mark(open: &mut [Open], levels: usize) {
    let around = open.len().saturating_sub(levels);
    // The innermost container is not one that contains an item.
    let outer = open[..around].split_last_mut().map(|(_, outer)| outer);
    let mut arrays = outer
        .into_iter()
        .flatten()
        .rev()
        .filter(|outer| outer.is_array);
    if let Some(array) = arrays.next() {
        array.has_events = true;
    }
}
