//! The tests of this crate in one program, since each program links openmls again.

mod groups;
mod vectors;
