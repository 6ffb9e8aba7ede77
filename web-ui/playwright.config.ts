import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) throw new Error(`no ${executablePath}: apt-get install chromium, or name another by CHROMIUM`);

/** No traffic of the browser's own beside the page's. */
const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage"];

export default defineConfig({
    testDir: "tests",
    workers: 1,
    timeout: 120_000,
    reporter: [["list"], ["./tests/summary.ts"]],
    use: {
        baseURL: "http://127.0.0.1:4173/",
        // Chromium's sandbox does not start as root, as which containers run.
        launchOptions: { executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox", ...quiet] : quiet },
    },
    webServer: {
        command: "node_modules/.bin/vite preview --host 127.0.0.1 --port 4173 --strictPort",
        url: "http://127.0.0.1:4173/",
        gracefulShutdown: { signal: "SIGTERM", timeout: 5000 },
    },
});
