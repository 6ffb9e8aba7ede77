// node errors.mjs core.js: gives a code to the errors that wasm-bindgen's own JavaScript throws,
// and lets `free` be called twice. It offers no way to do that, so its output is changed; anything
// but the expected number of places fails the build.
import { readFileSync, writeFileSync } from "node:fs";

const file = process.argv[2];
let code = readFileSync(file, "utf8");

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
const classes = [...code.matchAll(/^export class /gm)].length;

// An argument that is not a PrivateKey.
const keys = [...code.matchAll(/^ +_assertClass\(/gm)].length;
replace(/^( +)_assertClass\((\w+), PrivateKey\);/gm, "$1assertKey($2, \"$2\");", keys);
replace(/^function _assertClass\(instance, klass\) \{.*?^\}/gms,
    () =>
        `function assertKey(value, name) {
    if (!(value instanceof PrivateKey)) throw coded("bad_argument", name + " must be a PrivateKey (after load(), one that was read after it)");
}`, keys > 0 ? 1 : 0);

// What the WebAssembly throws on its own: it was called with a pointer of 0.
replace(/throw new Error\(getStringFromWasm0\(arg0, arg1\)\);/g,
    "throw thrown(getStringFromWasm0(arg0, arg1));", 1);

// A second `free` does nothing, as `using` demands.
replace(/^( +)(wasm\.__wbg_\w+_free\(ptr, 0\);)/gm, "$1if (ptr) $2", classes);

// Where an object is in wasm memory must not be shown: neither in console.log nor in JSON.
replace(/\b(obj|this)\.__wbg_ptr = (ptr|ret(?:\[0\])?);/g,
    "Object.defineProperty($1, \"__wbg_ptr\", { value: $2, writable: true });", pointers);

// A call before the start.
replace(/\bwasm !== undefined\b/g, "wasm !== notLoaded", 2);
replace(/^let wasmModule, wasmInstance, wasm;$/gm, () =>
    `function coded(code, message) {
    const error = new Error(message);
    error.name = "PqsealError";
    error.code = code;
    return error;
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
