// The configurations of headers/, run by the real servers: the page works, and page, worker and
// errors have every header.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { type Page, expect, test } from "@playwright/test";
import { cached, headers } from "../build/headers.ts";
import { addKey, open, path, published } from "./page.ts";

const nginx = process.env.PQSEAL_NGINX ?? "/usr/sbin/nginx";
const caddy = process.env.PQSEAL_CADDY ?? "/usr/bin/caddy";
const runs = (program: string, flag: string) => spawnSync(program, [flag]).status === 0;

let server: ChildProcess | undefined;
test.afterEach(async () => {
    server?.kill();
    if (server && server.exitCode === null)
        await new Promise((resolve) => server?.on("exit", resolve));
    server = undefined;
});

test("nginx", async ({ page }, info) => {
    expect(runs(nginx, "-v"), `no ${nginx}: apt-get install nginx, or name another by PQSEAL_NGINX`)
        .toBe(true);
    const folder = info.outputPath("nginx");
    mkdirSync(folder, { recursive: true });
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
        `${name}_temp_path ${folder}/${name};`
    );
    const types = "types { text/html html; text/css css; text/javascript js; }";
    writeFileSync(`${folder}/conf`,
        `daemon off; pid ${folder}/pid; error_log stderr; ${
            process.getuid?.() === 0 ? "user root;" : ""
        } events {}
        http { access_log off; ${temporary.join(" ")} ${types} ${local("nginx.conf")} }`);
    await check(page, nginx, ["-p", folder, "-e", "stderr", "-c", `${folder}/conf`], folder, [
        "gzip",
    ]);
});

test("Caddy", async ({ page }, info) => {
    expect(runs(caddy, "version"),
        `no ${caddy}: apt-get install caddy, or name another by PQSEAL_CADDY`).toBe(true);
    const file = info.outputPath("Caddyfile");
    // Its own storage and the port by which it is told things are no part of what is tested.
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${local("Caddyfile")}`);
    await check(page, caddy, ["run", "--adapter", "caddyfile", "--config", file],
        info.outputPath("home"), ["gzip", "br"]);
});

/** The configuration as it is, with this site's folder in it. */
const local = (name: string) =>
    readFileSync(path(`headers/${name}`), "utf8").replace("/srv/pqseal", path("dist"));

/**
 * `home` is where a server may write, and `encodings` are those in which it sends what the build
 * has packed.
 */
async function check(page: Page, program: string, args: string[], home: string,
    encodings: string[]): Promise<void>
{
    server = spawn(program, args, { stdio: "ignore", env: { HOME: home } });
    const url = "http://127.0.0.1:8443/";
    await expect.poll(() => fetch(url).then(({ status }) => status, () => 0)).toBe(200);
    await page.goto(url);
    await addKey(page);
    await open(page, published.blob);
    await expect(page.locator("#rows pre")).toContainText(published.uri);
    for (const encoding of encodings)
        for (
            const name of readdirSync(path("dist/assets")).filter((name) =>
                /\.(js|css)$/.test(name)
            )
        ) {
            const packed =
                statSync(path(`dist/assets/${name}.${encoding === "br" ? "br" : "gz"}`)).size;
            expect(await sent(`${url}assets/${name}`, encoding), `${name} ${encoding}`).toEqual([
                encoding,
                packed,
            ]);
        }
    const loaded = await page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => name)
    );
    const files = loaded.filter((name) => /[/](worker|index)-[^/]+[.]js$/.test(name));
    expect(files).toHaveLength(2);
    for (
        const [file, status] of [...[url, ...files].map((file) => [file, 200] as const),
            [`${url}missing`, 404] as const, [`${url}assets/missing.js`, 404] as const]
    ) {
        const response = await page.request.get(file);
        expect(response.status(), file).toBe(status);
        const expected = {
            ...headers,
            ...(files.includes(file) && { "Cache-Control": cached }),
        };
        for (const [name, value] of Object.entries(expected))
            expect(response.headers()[name.toLowerCase()], `${file} ${name}`).toBe(value);
    }
}

/** How a file comes to a browser that takes only this encoding, and in how many bytes. */
const sent = (url: string, encoding: string) =>
    new Promise((resolve, reject) => {
        get(url, { headers: { "accept-encoding": encoding } }, (response) => {
            let length = 0;
            response.on("data", (chunk: Buffer) => (length += chunk.length));
            response.on("end", () => resolve([response.headers["content-encoding"], length]));
        }).on("error", reject);
    });
