// node errors.mjs core.js: makes errors of the class PqsealError, with a code where wasm-bindgen's own
// JavaScript throws, and lets `free` be called twice. A handle says what it is in logs, and cannot be
// cloned. wasm-bindgen offers no way to do that, so its output is changed; anything but the expected
// number of places fails the build.
import { readFileSync, writeFileSync } from "node:fs";

const file = process.argv[2];
let code = readFileSync(file, "utf8");
const typesFile = file.replace(/js$/, "d.ts");
const types = readFileSync(typesFile, "utf8");
const DECLARED = "export interface PqsealError extends Error {";
const CLASS = "export class PqsealError extends Error {\n    private constructor();";

/** Replaces all that match `place`: `count` of them. */
function replace(place, by, count) {
    const found = [...code.matchAll(place)].length;
    if (found !== count)
        throw new Error(
            `${file}: ${place} is there ${found} times and not ${count}: wasm-bindgen has changed`,
        );
    code = code.replace(place, by);
}

const pointers = [...code.matchAll(/\.__wbg_ptr = (?!0;)/g)].length;
const names = [...code.matchAll(/^export class (\w+)/gm)].map(([, name]) => name);

// An argument that is not a PrivateKey, a KeyRing or a Calendar.
const keys = [...code.matchAll(/^ +_assertClass\(/gm)].length;
replace(/^( +)_assertClass\((\w+), (PrivateKey|KeyRing|Calendar)\);/gm,
    "$1assertMade($2, $3, \"$2\", \"$3\");", keys);
replace(/^function _assertClass\(instance, klass\) \{.*?^\}/gms,
    () =>
        `function assertMade(value, type, name, typeName) {
    if (!(value instanceof type)) throw coded("bad_argument", name + " must be a " + typeName + " (after load(), one that was read after it)");
}`, keys > 0 ? 1 : 0);

// What the WebAssembly throws on its own: it was called with a pointer of 0.
replace(/throw new Error\(getStringFromWasm0\(arg0, arg1\)\);/g,
    "throw thrown(getStringFromWasm0(arg0, arg1));", 1);

// A second `free` does nothing, as `using` demands.
replace(/^( +)(wasm\.__wbg_\w+_free\(ptr, 0\);)/gm, "$1if (ptr) $2", names.length);

// Where an object is in wasm memory must not be shown: neither in console.log nor in JSON.
replace(/\b(obj|this)\.__wbg_ptr = (ptr|ret(?:\[0\])?);/g, "asHandle($1, $2);", pointers);
for (const name of names) code += `describe(${name}, "${name}");\n`;

// The error that Rust makes, except in `records`.
replace(/const ret = new Error\(getStringFromWasm0\(arg0, arg1\)\);/g,
    "const ret = new PqsealError(getStringFromWasm0(arg0, arg1));",
    types.includes(DECLARED) ? 1 : 0);

// A call before the start.
replace(/\bwasm !== undefined\b/g, "wasm !== notLoaded", 2);
replace(/^let wasmModule, wasmInstance, wasm;$/gm, () =>
    `export class PqsealError extends Error {
    // The errors of every module of the package.
    static [Symbol.hasInstance](value) {
        return value instanceof Error && value.name === "PqsealError";
    }
}

function coded(code, message) {
    const error = new PqsealError(message);
    error.name = "PqsealError";
    error.code = code;
    return error;
}

// structuredClone, which postMessage calls, reads this member, and would otherwise make an empty object.
const uncloned = {
    enumerable: true,
    get() {
        throw coded("bad_argument", "a handle to wasm memory cannot be cloned or sent to a worker: send its bytes, and read them there");
    },
};

function asHandle(object, pointer) {
    Object.defineProperties(object, {
        __wbg_ptr: { value: pointer, writable: true },
        "cannot be cloned": uncloned,
    });
}

// For JSON and for console.log of Node, Deno and Bun: a key names its KEM.
function describe({ prototype }, name) {
    const members = (handle) => handle.__wbg_ptr && "kem" in prototype ? { kem: handle.kem } : {};
    Object.defineProperties(prototype, {
        toJSON: { value() { return members(this); } },
        [Symbol.for("nodejs.util.inspect.custom")]: {
            value() { return name + " " + (this.__wbg_ptr ? JSON.stringify(this) : "(freed)"); },
        },
    });
}

function thrown(message) {
    return message.startsWith("null pointer") ? coded("freed", "this object was freed, or was not made by the library")
        : coded("failed", message);
}

const notLoaded = /* @__PURE__ */ new Proxy({}, {
    get() {
        throw coded("not_loaded", "the WebAssembly is not loaded yet: await start(), or call startSync(), first");
    },
});

let wasmModule, wasmInstance, wasm = notLoaded;`, 1);

writeFileSync(file, code);

// wasm-bindgen cannot declare a class that only JavaScript has.
writeFileSync(typesFile, types.replace(DECLARED, CLASS));
