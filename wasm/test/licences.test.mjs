// The licences of third-party code: every crate is named, with a text.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { npmPackage, sections } from "../npm/licences.mjs";

const folder = mkdtempSync(join(tmpdir(), "licences-"));
after(() => rmSync(folder, { recursive: true }));

test("the package has the licences of its crates, and none is without text", () => {
    const [about, ...rest] = readFileSync(new URL("../pkg/licences.txt", import.meta.url), "utf8")
        .split(`${"=".repeat(80)}\n`);
    assert.match(about, /^Third-party code/);
    const all = rest.map((section) => section.match(/^(.*?)\n\n(.*)$/s).slice(1));
    for (const [titles, text] of all) assert.ok(text.trim().length > 500, titles);
    const named = all.flatMap(([titles]) => titles.split("\n")).map((title) =>
        title.match(/^(.*) (\d\S*) \(.+\), https:/)?.[1] ?? title
    );
    assert.equal(new Set(named).size, named.length);
    for (
        const name of ["libcrux-ml-kem", "pkcs5", "subtle", "wasm-bindgen",
            "the standard library of Rust, with the crates in it"]
    )
        assert.ok(named.includes(name), name);
    // Of other programs of the workspace, and of what only runs while these are compiled.
    for (const name of ["aws-lc-rs", "clap", "syn", "pqseal-hpke"])
        assert.ok(!named.includes(name), name);
});

test("one licence is taken of several, and notices always", () => {
    const of = (license, ...files) => {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        writeFileSync(join(folder, "package.json"),
            JSON.stringify({ name: "x", version: "1.0.0", license }));
        for (const file of files) writeFileSync(join(folder, file), `text of ${file}\r\n`);
        return npmPackage(folder).text;
    };
    assert.equal(of("MIT OR Apache-2.0", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE", "README"),
        "text of LICENSE-MIT\n\ntext of NOTICE");
    assert.equal(of("MIT/Apache-2.0", "LICENSE-APACHE", "LICENSE-MIT"), "text of LICENSE-MIT");
    assert.equal(
        of("(MIT OR Apache-2.0) AND Unicode-3.0", "LICENSE-APACHE", "LICENSE-MIT",
            "LICENSE-UNICODE").split("\n\n").length,
        3,
    );
    assert.equal(of("BSD-3-Clause", "licence.txt"), "text of licence.txt");
    assert.match(of("Apache-2.0"), /^Apache License/);
    assert.throws(() => of("MIT"), /x 1.0.0 \(MIT\) has no licence file/);
});

test("packages with the same text are together", () => {
    const [a, b, c] = ["one", "one", "two"].map((text, i) => ({
        name: `n${i}`,
        version: "1",
        licence: "MIT",
        link: "",
        text,
    }));
    assert.equal(sections([a, c, b]).replaceAll("=", ""),
        "\nn0 1 (MIT)\nn1 1 (MIT)\n\none\n\n\nn2 1 (MIT)\n\ntwo\n\n");
});
