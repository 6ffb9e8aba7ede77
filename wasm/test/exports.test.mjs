// The files of each entry have the same exports, and their types name them all.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const dist = new URL("../pkg/dist/", import.meta.url);
const read = (file) => readFileSync(new URL(file, dist), "utf8");
const exported = (file) => {
    const [, names] = read(file).match(/^export \{([^}]*)\}/m);
    return names.split(",").map((name) => name.trim()).filter((name) =>
        name && !/ as start/.test(name)
    ).sort();
};

for (const folder of ["", "full/", "sealed/", "hpke/", "jwe/", "files/"]) {
    test(`each file of dist/${folder} exports what the wasm has`, async () => {
        const core = await import(new URL(`${folder}core.js`, dist));
        const all = Object.keys(core).filter((name) => !["default", "initSync"].includes(name))
            .sort();
        assert.ok(all.length > 5);
        for (const file of ["index.js", "slim.js", "workerd.js", "index.d.ts", "slim.d.ts"])
            assert.deepEqual(exported(folder + file), all, file);
    });
}

for (const [folder, module] of Object.entries({ files: "streams", sealed: "sealed" }))
    test(`each file of dist/${folder}/ exports what ${module}.js has`, async () => {
        const names = Object.keys(await import(new URL(`${folder}/${module}.js`, dist)));
        const line = `export { ${names.join(", ")} } from "./${module}.js";`;
        for (const file of ["index.js", "slim.js", "workerd.js", "index.d.ts", "slim.d.ts"])
            assert.ok(read(`${folder}/${file}`).includes(line), file);
        for (const name of names)
            assert.match(read(`${folder}/${module}.d.ts`),
                new RegExp(`^export (class|function) ${name}\\b`, "m"));
    });

test("every error code is in the types", () => {
    const all = ["../shared/src/error.rs", "../npm/errors.mjs"];
    for (
        const [types, files] of Object.entries({
            "core.d.ts": [...all, "../../crates/matched-data/src/error.rs",
                "../../crates/sealed/src/error.rs", "../src/sealed.rs", "../sealed/sealed.js"],
            "jwe/core.d.ts": [...all, "../../crates/formats/src/error.rs"],
            "files/core.d.ts": [...all, "../../crates/age/src/error.rs",
                "../../crates/keys/src/pbes2/error.rs"],
        })
    ) {
        const source = files.map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
            .join("\n");
        const codes = [...source.matchAll(/(?:=>|code:|return|coded\() ?"([a-z_]+)"/g)].map((
            [, code],
        ) => code);
        assert.ok(codes.length > 10);
        // Those of Oblivious HTTP are of no JWE, and here are no plugins and no input that may
        // fail.
        const absent = {
            // RSA is WebCrypto's.
            "core.d.ts": ["not_built"],
            "jwe/core.d.ts": ["no_key_with_id", "truncated"],
            "files/core.d.ts": ["hpke", "io", "plugin"],
        }[types] ?? [];
        for (const code of codes.filter((code) => !absent.includes(code)))
            assert.ok(read(types).includes(`| "${code}"`), `${types}: ${code}`);
    }
});

test("pqseal and pqseal/slim load full only with load(), and nothing of another entry, nor these of them", () => {
    const imports = (folder) =>
        readdirSync(new URL(folder, dist)).filter((file) => file.endsWith(".js"))
            .flatMap((file) =>
                [...read(folder + file).matchAll(/(?:from |import |import\()"([^"]*)"/g)].map((
                    [, name],
                ) => name)
            );
    for (const folder of ["./", "./full/", "./sealed/", "./hpke/", "./jwe/", "./files/"]) {
        const found = imports(folder);
        assert.ok(found.includes("./core.js"));
        const others = found.filter((name) => !/^\.\/[^/]*$/.test(name)).sort();
        assert.deepEqual(others,
            folder === "./" ? ["./full/index.js", "./full/slim.js", "./full/workerd.js"] : [],
            folder);
    }
    for (const file of ["index.js", "slim.js", "workerd.js"])
        assert.match(read(file), /await import\("\.\/full\//);
});

test("pqseal/hpke-js exports what its types say, and loads only pqseal/full", async () => {
    const exports = Object.keys(await import(new URL("hpke-js/index.js", dist))).sort();
    const declared = [
        ...read("hpke-js/index.d.ts").matchAll(/^export declare (?:const|class) (\w+)/gm),
    ].map(([, name]) => name).sort();
    assert.deepEqual(exports, declared);
    const loaded = readdirSync(new URL("hpke-js", dist)).filter((file) => file.endsWith(".js"))
        .flatMap((file) =>
            [...read(`hpke-js/${file}`).matchAll(/(?:from |import )"([^"]*)"/g)].map(([, name]) =>
                name
            )
        );
    assert.ok(loaded.includes("../full/core.js"));
    for (const name of loaded)
        assert.match(name, /^\.\/[^/]*$|^\.\.\/full\/(core|index|slim|workerd)\.js$/, name);
});
