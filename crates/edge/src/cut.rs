//! Long fields are cut around what matched.

use std::ops::Range;

/// The longest text that is logged whole, and the longest match that is logged, in bytes.
pub(crate) const WHOLE: usize = 1024;
/// The length of the context that is logged on each side of a match, in bytes.
const CONTEXT: usize = 75;

/// The part of a text that is logged for one match.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece<'t> {
    pub(crate) before: &'t [u8],
    pub(crate) content: &'t [u8],
    pub(crate) after: &'t [u8],
}

/// Returns the pieces of a long text that are logged: one for each place, in order, or the
/// beginning if there is no place. Places whose contexts would overlap are merged, unless the
/// result would be longer than [`WHOLE`]. No byte is in two pieces.
pub(crate) fn pieces(text: &[u8], mut places: Vec<Range<usize>>) -> Vec<Piece<'_>> {
    // A rule compares bytes, so it may match part of a character.
    for place in &mut places {
        let start = floor(text, place.start.min(text.len()));
        *place = match Range::is_empty(place) {
            true => start..start,
            false => start..ceil(text, place.end).max(start),
        };
    }
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup_by(|next, place| {
        let end = place.end.max(next.end);
        let is_near = next.start <= place.end.saturating_add(2 * CONTEXT);
        let is_one = is_near && end - place.start <= WHOLE;
        if is_one {
            place.end = end;
        }
        is_one
    });
    if places.is_empty() {
        places.push(0..0);
    }
    let mut from = 0;
    let mut pieces = Vec::with_capacity(places.len());
    for (index, place) in places.iter().enumerate() {
        // The previous piece contains this place.
        if !place.is_empty() && place.end <= from {
            continue;
        }
        let next = places.get(index + 1).map_or(text.len(), |next| next.start);
        let (piece, end) = piece(text, from..next, place);
        from = end;
        pieces.push(piece);
    }
    pieces
}

/// Returns the piece for one place, and its end. The piece lies within `room`.
fn piece<'t>(text: &'t [u8], room: Range<usize>, place: &Range<usize>) -> (Piece<'t>, usize) {
    let start = place.start.min(text.len()).max(room.start);
    // If there is no match, or an empty one, the text that follows it is logged.
    let most = floor(text, (start + WHOLE).min(text.len()));
    let end = match place.is_empty() {
        true => most.min(room.end).max(start),
        false => place.end.min(most),
    };
    let first = ceil(text, start.saturating_sub(CONTEXT).max(room.start)).min(start);
    let last = match place.is_empty() {
        true => end,
        false => floor(text, (end + CONTEXT).min(room.end).min(text.len())).max(end),
    };
    let piece = Piece {
        before: &text[first..start],
        content: &text[start..end],
        after: &text[end..last],
    };
    (piece, last)
}

/// Returns the start of the character that contains this byte, if the text is UTF-8.
fn floor(text: &[u8], at: usize) -> usize {
    let mut earlier = (at.saturating_sub(3)..=at).rev();
    earlier.find(|at| is_boundary(text, *at)).unwrap_or(at)
}

/// Returns this index if a character starts there, or else the start of the next character.
fn ceil(text: &[u8], at: usize) -> usize {
    let at = at.min(text.len());
    let mut later = at..=at + 3;
    later.find(|at| is_boundary(text, *at)).unwrap_or(at)
}

/// Reports whether a character begins at this index, or the text ends there.
fn is_boundary(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one place")]
    fn what_matched_has_its_context() {
        let text = [b"a".repeat(2000), b"<script>".to_vec(), b"b".repeat(2000)].concat();
        let found = pieces(&text, Vec::from([2000..2008]));
        let expected = Piece {
            before: &[b'a'; 75],
            content: b"<script>",
            after: &[b'b'; 75],
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one place")]
    fn places_that_are_near_are_one_piece() {
        let text = b"x".repeat(4000);
        let lengths = |places: &[Range<usize>]| -> Vec<_> {
            let pieces = pieces(&text, places.to_vec());
            let lengths =
                |piece: &Piece<'_>| [piece.before, piece.content, piece.after].map(<[u8]>::len);
            pieces.iter().map(lengths).collect()
        };
        assert_eq!(lengths(&[10..20, 170..180]), [[10, 170, 75]]);
        assert_eq!(lengths(&[10..20, 171..181]), [[10, 10, 75], [75, 10, 75]]);
        assert_eq!(lengths(&[171..181, 10..20]), [[10, 10, 75], [75, 10, 75]]);
        assert_eq!(lengths(&[0..4000]), [[0, WHOLE, 75]]);
        // A match within or after a long one is not truncated with it.
        let within = [[0, WHOLE, 75], [75, 7, 75]];
        assert_eq!(lengths(&[0..4000, 3000..3007]), within);
        assert_eq!(lengths(&[0..4000, 5..7]), [[0, WHOLE, 0]]);
        assert_eq!(lengths(&[0..1000, 990..1030]), [[0, 1000, 0], [0, 30, 75]]);
        let many: Vec<_> = (0..10).map(|at| at * 160..at * 160 + 10).collect();
        assert_eq!(lengths(&many), [[0, 970, 75], [75, 330, 75]]);
        assert_eq!(lengths(&[3999..4000]), [[75, 1, 0]]);
        assert_eq!(lengths(&[]), [[0, WHOLE, 0]]);
    }

    /// Only U+3084 has `0x84`, the last of its three bytes.
    #[test]
    fn parts_of_characters_have_context_of_their_own() {
        let text = [
            "\u{20ac}",
            &"\u{3042}".repeat(49),
            "\u{3084}",
            &"\u{3042}".repeat(400),
        ]
        .concat();
        let at = |byte| text.bytes().position(|other| other == byte).unwrap();
        let places = [0xe2, 0x84].map(|byte| at(byte)..at(byte) + 1);
        let pieces = pieces(text.as_bytes(), places.to_vec());
        let all = |piece: &Piece<'_>| [piece.before, piece.content, piece.after].concat();
        let logged: Vec<u8> = pieces.iter().flat_map(all).collect();
        assert!(
            text.as_bytes().starts_with(&logged),
            "bytes are logged twice"
        );
    }

    proptest! {
        #[test]
        fn no_cut_breaks_a_character(text in "[a\u{e9}\u{20ac}\u{1f600}]{0,900}", places in proptest::collection::vec((0_usize..2000, 0_usize..1500), 0..5)) {
            let places = places.into_iter().map(|(start, length)| start..start + length).collect();
            let pieces = pieces(text.as_bytes(), places);
            let all: usize = pieces.iter().map(|piece| piece.before.len() + piece.content.len() + piece.after.len()).sum();
            prop_assert!(all <= text.len(), "bytes are logged twice");
            for piece in pieces {
                for part in [piece.before, piece.content, piece.after] {
                    prop_assert!(str::from_utf8(part).is_ok());
                }
                prop_assert!(piece.content.len() <= WHOLE);
            }
        }

        #[test]
        fn no_bytes_and_places_panic(text in proptest::collection::vec(any::<u8>(), 0..300), places in proptest::collection::vec((0_usize..400, 0_usize..400), 0..5)) {
            let places: Vec<_> = places.into_iter().map(|(start, length)| start..start + length).collect();
            prop_assert!(pieces(&text, places).iter().all(|piece| piece.before.len() <= CONTEXT + 3));
        }
    }
}
