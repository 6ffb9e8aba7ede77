// The tests of memory.test.mjs with the module `core`, which is compiled in another way.
globalThis.moduleFolder = "";
await import("./memory.test.mjs");
