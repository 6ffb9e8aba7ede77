//! JSON as bytes and positions in them. Records are read without building a tree.

mod around;
mod containers;
mod events;
mod inside;
mod locate;
mod located;
mod members;
mod missed;
mod node;
mod objects;
mod otlp;
mod scan;
mod strings;
mod text;

#[cfg(test)]
mod tests;

pub use crate::path::MAX_STRINGS;
pub use around::{Around, Scope};
pub use events::{event_of, events};
pub(crate) use inside::{Positions, write_content};
pub use locate::{locate, value};
pub use located::{Container, Fields, Located, Missed, NewAttribute, OtlpPlace, Text};
pub use members::{MAX_MEMBERS, Members, Visitor, members};
pub use missed::missed;
pub use node::{Node, same_key};
pub use objects::{Notes, objects};
pub(crate) use otlp::{KINDS, locate as locate_otlp};
#[cfg(test)]
pub(crate) use scan::looked_at;
pub use scan::{Bad, Unfinished, Whole, Why, validate, whole};
pub(crate) use scan::{Event, Scanner};
pub use strings::{Place, strings};
pub use text::{
    decode_bytes, decode_string, embed, embed_exact, encode_string, has_surrogate, on_one_line,
    write_string,
};
