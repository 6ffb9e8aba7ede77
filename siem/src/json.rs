//! JSON as bytes with places in them: what a record is, without building it.

mod locate;
mod node;
mod scan;
mod text;

pub(crate) use locate::values;
pub use locate::{Located, Place, locate};
pub(crate) use node::{Node, same_key};
pub use scan::{Bad, Event, MAX_DEPTH, Scanner, validate};
pub use text::{decode_string, embed, encode_string};
