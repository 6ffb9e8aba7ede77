// node wasm-pack.mjs FOLDER WHERE: what wasm-pack made in web/, bundler/ and nodejs/ of that folder
// seals and opens, in Node or, through Vite, in Chromium; and its types compile.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [folder, where] = [resolve(process.argv[2]), process.argv[3]];
const page = createRequire(new URL("../../web-ui/package.json", import.meta.url));

/** A round trip of each KEM, HPKE and matched data. Runs in the page too. */
function roundTrip({ Suite, generateKeyPair, open, seal }) {
    const utf8 = (text) => new TextEncoder().encode(text);
    const same = (bytes) => {
        if (new TextDecoder().decode(bytes) !== "hello") throw new Error("another plaintext");
    };
    for (const kem of ["x25519", "X-Wing"]) {
        const suite = new Suite(kem, "HKDF-SHA256", "ChaCha20Poly1305");
        const { privateKey, publicKey } = suite.generateKeyPair();
        const { enc, ct } = suite.seal(publicKey, utf8("hello"), { info: utf8("info") });
        same(suite.open(enc, privateKey, ct, { info: utf8("info") }));
        const pair = generateKeyPair(kem);
        same(open(seal(pair.publicKey, utf8("hello")), pair.privateKey));
    }
    return "ok";
}

const ways = { node: inNode, vite: inChromium, types: compile };
console.log(await ways[where]());

function inNode() {
    return roundTrip(createRequire(import.meta.url)(join(folder, "nodejs/pqseal_wasm.js")));
}

async function inChromium() {
    const { build, preview } = await import(page.resolve("vite"));
    const { chromium } = page("@playwright/test");
    const root = join(folder, "app");
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "index.html"), "<script type=\"module\" src=\"main.js\"></script>");
    const entries = {
        web: "import init, * as pqseal from \"../web/pqseal_wasm.js\"; await init();",
        bundler: "import * as pqseal from \"../bundler/pqseal_wasm.js\";",
    };
    for (const [target, imports] of Object.entries(entries)) {
        const program = `${imports}\ndocument.title = (${roundTrip})(pqseal);`;
        writeFileSync(join(root, "main.js"), program);
        const settings = { root, configFile: false, logLevel: "warn" };
        await build({ ...settings, build: { target: "esnext" } });
        const server = await preview({ ...settings, preview: { host: "127.0.0.1", port: 4176 } });
        const browser = await chromium.launch({
            executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
            args: ["--disable-gpu", "--disable-dev-shm-usage",
                ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
        });
        try {
            const tab = await browser.newPage();
            tab.on("pageerror", (error) => console.error(`${target}: ${error.stack}`));
            await tab.goto(server.resolvedUrls.local[0]);
            await tab.waitForFunction(() => document.title === "ok", null, { timeout: 30_000 });
            console.log(`${target} through Vite: ok`);
        } finally {
            await browser.close();
            await server.close();
        }
    }
    return "ok";
}

function compile() {
    const program = join(folder, "use.ts");
    writeFileSync(program, "import init, { Suite, type Sealed } from \"./web/pqseal_wasm.js\";\n"
        + "export const sealed = async (key: Uint8Array): Promise<Sealed> => {\n"
        + "    await init();\n    return new Suite(\"X-Wing\", 1, 3).seal(key, key);\n};\n");
    const tsc = fileURLToPath(new URL("../../web-ui/node_modules/.bin/tsc", import.meta.url));
    execFileSync(tsc, ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext",
        program], { stdio: "inherit" });
    return "ok";
}
