// The package as users get it (npm pack), in every runtime that it is for.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, copyFileSync, existsSync, readFileSync, readdirSync, rmSync,
    writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as published from "./published.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const bin = (name) => join(here, "../node_modules/.bin", name);
const project = mkdtempSync(join(tmpdir(), "pqseal-"));
const pqseal = join(project, "node_modules/pqseal");
const data = JSON.stringify({ ...published });
const jose = `[${
    ["jose-hpke", "jose-hpke-pq"].map((set) =>
        readFileSync(join(here, `../../test-vectors/data/${set}.json`), "utf8")
    )
}]`;

/** Runs a program in the project; it has to say ok. */
function run(command, args, { file, program }) {
    writeFileSync(join(project, file), program);
    const options = {
        cwd: project,
        encoding: "utf8",
        env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    };
    assert.equal(execFileSync(command, [...args, file], options).trim(), "ok");
}
const imports = {
    file: "import.mjs",
    program: `
    import * as pqseal from "pqseal"; import * as jwe from "pqseal/jwe"; import * as files from "pqseal/files";
    import * as hpke from "pqseal/hpke-js"; import { check, checkAdapter, checkHpke } from "./check.mjs";
    console.log(await check(pqseal, jwe, files, ${data}) && checkHpke(await import("pqseal/hpke")) && await checkAdapter(hpke));`,
};
const requires = {
    file: "require.cjs",
    program: `
    const pqseal = require("pqseal"); const jwe = require("pqseal/jwe"); const files = require("pqseal/files");
    const { check, checkAdapter, checkHpke } = require("./check.mjs");
    checkHpke(require("pqseal/hpke"));
    checkAdapter(require("pqseal/hpke-js")).then(() => check(pqseal, jwe, files, ${data})).then((said) => console.log(said));`,
};

before(() => {
    const [{ filename }] = JSON.parse(
        execFileSync("npm", ["pack", "--json", "--pack-destination", project, join(here, "../pkg")],
            { encoding: "utf8" }),
    );
    mkdirSync(pqseal, { recursive: true });
    execFileSync("tar", ["-xzf", join(project, filename), "--strip-components", "1", "-C", pqseal]);
    for (const file of ["check.mjs", "jose.mjs"])
        copyFileSync(join(here, file), join(project, file));
});
// A browser's child processes outlive it by a moment and still write into its profile.
after(() => eventually(() => rmSync(project, { recursive: true, force: true })));

test("Node: import", () => run("node", [], imports));
test("Node: require", () => run("node", [], requires));
test("Node: a worker thread", () =>
    run("node", [], {
        file: "threads.mjs",
        program: `
    import { Worker } from "node:worker_threads";
    new Worker(new URL("./import.mjs", import.meta.url)).on("error", (error) => { throw error; });`,
    }));
test("Node: the slim entries, with the wasm loaded by the user", () =>
    run("node", [], {
        file: "slim.mjs",
        program: `
    import { readFileSync } from "node:fs"; import { createRequire } from "node:module";
    import * as pqseal from "pqseal/slim"; import * as jwe from "pqseal/jwe/slim"; import * as files from "pqseal/files/slim";
    import * as hpke from "pqseal/hpke-js/slim"; import * as small from "pqseal/hpke/slim"; import { check, checkAdapter, checkHpke } from "./check.mjs";
    const wasm = (name) => readFileSync(createRequire(import.meta.url).resolve(name));
    pqseal.startSync(wasm("pqseal/core_bg.wasm"));
    hpke.startSync(wasm("pqseal/full/core_bg.wasm"));
    small.startSync(wasm("pqseal/hpke/core_bg.wasm"));
    checkHpke(small);
    jwe.startSync(wasm("pqseal/jwe/core_bg.wasm"));
    files.startSync(wasm("pqseal/files/core_bg.wasm"));
    console.log(await check(pqseal, jwe, files, ${data}) && await checkAdapter(hpke));`,
    }));
test("the programs of the README", () => {
    const programs = [
        ...readFileSync(join(pqseal, "README.md"), "utf8").matchAll(/^```js\n(.*?)^```$/gms),
    ];
    assert.equal(programs.length, 9);
    programs.forEach(([, program], n) =>
        run("node", [], {
            file: `readme-${n}.mjs`,
            program: `console.log = () => {};${program}process.stdout.write("ok");`,
        })
    );
});
test("Deno: import", () =>
    run(bin("deno"), ["run", "--quiet", "--node-modules-dir=manual"], {
        ...imports,
        file: "deno.mjs",
    }));
test("Bun: import", () => run(bin("bun"), ["run"], imports));
test("Bun: require", () => run(bin("bun"), ["run"], requires));

test("workerd: a worker's module", async () => {
    const port = 20000 + (process.pid % 10000);
    writeFileSync(join(project, "worker.mjs"), `
        import * as pqseal from "pqseal"; import * as jwe from "pqseal/jwe"; import * as files from "pqseal/files";
        import * as hpke from "pqseal/hpke-js"; import * as small from "pqseal/hpke";
        import { check, checkAdapter, checkHpke } from "./check.mjs";
        export default { async fetch() { return new Response(await check(pqseal, jwe, files, ${data}) && checkHpke(small) && await checkAdapter(hpke)); } };`);
    // What wrangler's bundler does: it resolves "pqseal" and its entries by the condition workerd.
    const kinds = [["workerd.js", "esModule"], ["core.js", "esModule"], ["core_bg.wasm", "wasm"]];
    const modules = Object.entries({
        "": [...kinds, ["current.js", "esModule"]],
        "full/": kinds,
        "hpke/": kinds,
        "jwe/": kinds,
        "files/": [...kinds, ["streams.js", "esModule"]],
    }).flatMap(([folder, files]) =>
        files
            .map(([file, kind]) =>
                `(name = "pqseal/dist/${folder}${file}", ${kind} = embed "node_modules/pqseal/dist/${folder}${file}")`
            )
    );
    for (
        const file of readdirSync(join(pqseal, "dist/hpke-js")).filter((file) =>
            /^(?!index|slim).*\.js$/.test(file)
        )
    )
        modules.push(
            `(name = "pqseal/dist/hpke-js/${file}", esModule = embed "node_modules/pqseal/dist/hpke-js/${file}")`,
        );
    writeFileSync(join(project, "hpke-js.mjs"), "export * from \"./dist/hpke-js/workerd.js\";");
    writeFileSync(join(project, "hpke.mjs"), "export * from \"./dist/hpke/workerd.js\";");
    writeFileSync(join(project, "pqseal.mjs"), "export * from \"./pqseal/dist/workerd.js\";");
    writeFileSync(join(project, "jwe.mjs"), "export * from \"./dist/jwe/workerd.js\";");
    writeFileSync(join(project, "files.mjs"), "export * from \"./dist/files/workerd.js\";");
    writeFileSync(join(project, "config.capnp"), `using Workerd = import "/workerd/workerd.capnp";
        const config :Workerd.Config = (
            services = [(name = "main", worker = (compatibilityDate = "2026-06-01", modules = [
                (name = "worker.mjs", esModule = embed "worker.mjs"), (name = "check.mjs", esModule = embed "check.mjs"),
                (name = "pqseal", esModule = embed "pqseal.mjs"), (name = "pqseal/jwe", esModule = embed "jwe.mjs"),
                (name = "pqseal/files", esModule = embed "files.mjs"), (name = "pqseal/hpke", esModule = embed "hpke.mjs"),
                (name = "pqseal/hpke-js", esModule = embed "hpke-js.mjs"), ${modules}]))],
            sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);`);
    const workerd = spawn(bin("workerd"), ["serve", "config.capnp"], {
        cwd: project,
        stdio: "ignore",
    });
    try {
        assert.equal(await eventually(async () => (await fetch(`http://127.0.0.1:${port}`)).text()),
            "ok");
    } finally {
        workerd.kill();
    }
});

test("Chromium: a page and a worker, with the examples of JOSE-HPKE", async () => {
    assert.ok(chromium() !== undefined, "chromium is not installed: apt-get install chromium");
    const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html" };
    const program = (where) => `
        import * as pqseal from "/node_modules/pqseal/dist/index.js"; import * as jwe from "/node_modules/pqseal/dist/jwe/index.js";
        import * as files from "/node_modules/pqseal/dist/files/index.js"; import * as hpke from "/node_modules/pqseal/dist/hpke-js/index.js";
        import * as small from "/node_modules/pqseal/dist/hpke/index.js";
        import { check, checkAdapter, checkHpke } from "/check.mjs"; import { checkJose } from "/jose.mjs";
        let said;
        try { said = (await check(pqseal, jwe, files, ${data})) + checkJose(jwe, ${jose}); checkHpke(small); await checkAdapter(hpke); } catch (error) { said = String(error.stack); }
        fetch("/${where}", { method: "POST", body: said });`;
    writeFileSync(join(project, "in-page.js"),
        program("page") + "new Worker(\"/in-worker.js\", { type: \"module\" });");
    writeFileSync(join(project, "in-worker.js"), program("worker"));
    writeFileSync(join(project, "index.html"),
        "<!doctype html><script type=\"module\" src=\"/in-page.js\"></script>");
    const heard = new Map();
    const server = createServer(async (request, response) => {
        if (request.method === "POST") {
            heard.set(request.url, Buffer.concat(await request.toArray()).toString());
            return response.end();
        }
        const file = join(project, request.url === "/" ? "index.html" : request.url);
        if (!existsSync(file)) return response.writeHead(404).end();
        response.writeHead(200, {
            "content-type": types[extname(file)] ?? "application/octet-stream",
        }).end(readFileSync(file));
    });
    await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
    const browser = spawn(chromium(), ["--headless", "--no-sandbox", "--disable-gpu",
        "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
        `--user-data-dir=${join(project, "profile")}`,
        `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
    const gone = new Promise((exit) => browser.on("exit", exit));
    try {
        const both = () =>
            ["/page", "/worker"].map((where) =>
                heard.get(where) ?? assert.fail(`nothing from ${where}`)
            );
        assert.deepEqual(await eventually(both), ["ok78", "ok78"]);
    } finally {
        browser.kill();
        await gone;
        server.close();
        server.closeAllConnections();
    }
});

/** The first result that is no error, within 30 seconds. */
async function eventually(attempt) {
    const end = Date.now() + 30_000;
    for (;;) {
        try {
            return await attempt();
        } catch (error) {
            if (Date.now() > end) throw error;
            await new Promise((later) => setTimeout(later, 100));
        }
    }
}

function chromium() {
    const folders = process.env.PATH.split(delimiter);
    return folders.map((folder) => join(folder, "chromium")).find(existsSync);
}
