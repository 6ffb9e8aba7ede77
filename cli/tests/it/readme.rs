//! The commands of the project's README, as they stand there and in their order.

use crate::common::Dir;

const README: &str = include_str!("../../../README.md");
/// The beginning of a block of commands. Those that need a server or a checkout begin with
/// ```` ```sh no-run ````.
const BLOCK: &str = "\n```sh\n";

#[test]
fn the_blocks_run_in_order_in_an_empty_folder() {
    let dir = Dir::new();
    let blocks = README.split(BLOCK).skip(1);
    let blocks: Vec<_> = blocks
        .filter_map(|rest| rest.split_once("\n```\n"))
        .collect();
    assert_eq!(blocks.len(), 3);
    let script: String = blocks
        .iter()
        .map(|(block, _)| format!("{block}\n"))
        .collect();
    let ran = dir.shell(&format!("set -e; mkdir new; cd new\n{script}"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The blob, the range of the report, and the JWE.
    for text in ["{\"path\": \"/admin\"}", "report\n", "hello\n"] {
        assert!(
            ran.out().contains(text),
            "{text} is missing in {}",
            ran.out()
        );
    }
    for count in ["\"records\":10000", "\"failed\":0", "\"complete\":true"] {
        assert!(ran.err.contains(count), "{count} is missing in {}", ran.err);
    }
}
