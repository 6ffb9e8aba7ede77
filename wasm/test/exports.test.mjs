// index, slim and workerd have the same exports, and their types name them all.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as core from "../pkg/dist/core.js";

const read = (file) => readFileSync(new URL(`../pkg/dist/${file}`, import.meta.url), "utf8");
const exported = (file) => {
    const [, names] = read(file).match(/^export \{([^}]*)\}/m);
    return names.split(",").map((name) => name.trim()).filter((name) => name && !/ as start/.test(name)).sort();
};

test("each entry exports what the wasm has", () => {
    const all = Object.keys(core).filter((name) => !["default", "initSync"].includes(name)).sort();
    for (const file of ["index.js", "slim.js", "workerd.js", "index.d.ts", "slim.d.ts"]) assert.deepEqual(exported(file), all, file);
});

test("every error code is in the types", () => {
    const files = ["../src/error.rs", "../npm/errors.mjs", "../../envelope/src/error.rs"];
    const source = files.map((file) => readFileSync(new URL(file, import.meta.url), "utf8")).join("\n");
    const codes = [...source.matchAll(/(?:=>|code:|return|coded\() ?"([a-z_]+)"/g)].map(([, code]) => code);
    assert.ok(codes.length > 20);
    for (const code of codes) assert.ok(read("core.d.ts").includes(`| "${code}"`), code);
});
