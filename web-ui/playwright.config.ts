import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { type Engine, heavy, lacking, runs } from "./tests/engines/lacking.ts";

/** The program of that path, or the one that the variable names. */
function installed(variable: string, path: string, packages: string): string {
    const program = process.env[variable] ?? path;
    if (!existsSync(program))
        throw new Error(
            `no ${program}: apt-get install ${packages}, or name another by ${variable}`,
        );
    return program;
}

const executablePath = installed("CHROMIUM", "/usr/bin/chromium", "chromium");
/** `npm run test:main` needs no other engine. */
const isMain = process.env.ONLY_MAIN !== undefined;
if (!isMain) {
    installed("FIREFOX", "/usr/bin/firefox-esr", "firefox-esr");
    installed("WEBKIT_DRIVER", "/usr/bin/WebKitWebDriver", "webkit2gtk-driver");
    installed("XVFB", "/usr/bin/Xvfb", "xvfb");
}

/**
 * Debian's browser, behind a program with what Playwright needs added to it. Playwright takes each
 * for a Firefox, whose protocol is the standard one, WebDriver BiDi.
 */
const standard = (name: Engine) => ({
    name,
    testMatch: runs[name],
    grepInvert: new RegExp(`(${[...Object.keys(lacking[name]), ...heavy].join("|")})\\b`),
    use: {
        browserName: "firefox" as const,
        channel: "moz-firefox",
        launchOptions: {
            executablePath: fileURLToPath(new URL(`tests/engines/${name}.mjs`, import.meta.url)),
        },
    },
});

/** No traffic of the browser's own beside the page's. */
const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage"];

export default defineConfig({
    testDir: "tests",
    // Two files at a time, each with its own browser: the tests of a file may share a port.
    workers: 2,
    timeout: 120_000,
    ...(isMain && { grep: /@main\b/ }),
    expect: { timeout: 20_000 },
    reporter: [["list"], ["./tests/summary.ts"]],
    use: { baseURL: "http://127.0.0.1:4173/" },
    projects: [
        // Chromium's sandbox does not start as root, as which containers run.
        {
            name: "chromium",
            use: {
                launchOptions: {
                    executablePath,
                    args: process.getuid?.() === 0 ? ["--no-sandbox", ...quiet] : quiet,
                },
            },
        },
        ...(isMain ? [] : [standard("firefox"), standard("webkit")]),
    ],
    webServer: {
        command: "node_modules/.bin/vite preview --host 127.0.0.1 --port 4173 --strictPort",
        url: "http://127.0.0.1:4173/",
        gracefulShutdown: { signal: "SIGTERM", timeout: 5000 },
    },
});
