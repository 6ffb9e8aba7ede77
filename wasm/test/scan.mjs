// Searches the whole memory of WebAssembly modules, used and free, for what secrets leave behind.
// What is not seen: parts and transformed values of a secret. Import it before a module starts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/**
 * The package's, and after the first X25519 that of its module for relaxed SIMD, each with what was
 * in its memory at first.
 */
export const instances = [];
WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(module, imports) {
        super(module, imports);
        instances.push({
            exports: this.exports,
            atFirst: Buffer.from(this.exports.memory.buffer.slice()),
        });
    }
};

/**
 * Starts a module of the package, of the folder of its entry; gives its functions and its memory.
 */
export async function load(folder) {
    const core = await import(`../pkg/dist/${folder}core.js`);
    const { memory } = core.initSync({
        module: readFileSync(new URL(`../pkg/dist/${folder}core_bg.wasm`, import.meta.url)),
    });
    return { core, memory };
}

/**
 * In 16-byte pieces, so that a copy that was overwritten in part is still found; backwards too, as
 * P-curves keep numbers.
 */
const pieces = (bytes) => {
    const forwards = Array.from({ length: Math.floor(bytes.length / 16) },
        (_, n) => Buffer.from(bytes.subarray(16 * n, 16 * n + 16)));
    return forwards.concat(forwards.map((piece) => Buffer.from(piece).reverse()));
};
const memories = () => instances.map(({ exports }) => Buffer.from(exports.memory.buffer));
const places = (secret) =>
    pieces(secret).flatMap((piece) => memories().map((each) => each.indexOf(piece))).filter((
        place,
    ) => place >= 0);
export const absent = (secret, what) =>
    assert.deepEqual(places(secret), [], `${what} is left at these addresses`);
export const present = (secret, what) =>
    assert.ok(places(secret).length > 0, `${what} is not where it has to be`);

/** Rust's linker puts the stack first, from this address down; between calls all of it is free. */
const STACK_TOP = 1024 * 1024;

/**
 * Checks that no call that `calls` makes goes deeper into the stack than is overwritten after it.
 * The last call must handle a secret.
 */
export function checkStack(memory, name, calls) {
    const stack = () => Buffer.from(memory.buffer).subarray(0, STACK_TOP);
    stack().fill(0xa5);
    calls();
    // From below: untouched bytes, then the zeros of the overwriting, which a call that went deeper
    // would have left otherwise.
    const deepest = stack().findIndex((byte) => byte !== 0xa5);
    const firstUse = stack().findIndex((byte, at) => at >= deepest && byte !== 0);
    assert.ok(deepest > 0, "the stack has an end");
    assert.ok(firstUse - deepest > 56 * 1024,
        `${name}: ${firstUse - deepest} bytes of zeros above the deepest use`);
}
