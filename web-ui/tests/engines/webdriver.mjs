// WebKitGTK's own driver on a display of its own. It and the browser end with this process.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";

const browser = process.env.MINIBROWSER ?? "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

/** @returns {Promise<number>} */
const freePort = () =>
    new Promise((resolve) => {
        const server = createServer().listen(0, "127.0.0.1", () => {
            const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
            server.close(() => resolve(port));
        });
    });

function start(/** @type {string} */ program, /** @type {string[]} */ args,
    /** @type {NodeJS.ProcessEnv} */ env = process.env)
{
    const child = spawn(program, args, { stdio: "ignore", env });
    child.on("error",
        (error) =>
            console.error(`${program}: ${error.message}; apt-get install webkit2gtk-driver xvfb`));
    child.on("exit", () => process.exit());
    return child;
}

/** @param {() => unknown} ready */
async function until(ready) {
    for (let i = 0; i < 300; i++) {
        if (await ready()) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("WebKitWebDriver or Xvfb did not start in 15 s");
}

/**
 * A session. What it returns sends one command and waits for its answer.
 * @param {NodeJS.ProcessEnv} env
 */
export async function session(env) {
    const display = `:${100 + (process.pid % 30_000)}`;
    const screen = start(process.env.XVFB ?? "/usr/bin/Xvfb", [display, "-screen", "0",
        "2200x1400x24", "-nolisten", "tcp"]);
    await until(() => existsSync(`/tmp/.X11-unix/X${display.slice(1)}`));
    const port = await freePort();
    const driver = start(process.env.WEBKIT_DRIVER ?? "/usr/bin/WebKitWebDriver", [
        `--port=${port}`,
    ], { ...process.env, ...env, DISPLAY: display });
    const send = async (/** @type {string} */ method, /** @type {string} */ path,
        body = /** @type {object | undefined} */ (undefined)) =>
    {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
            method,
            ...(body && { body: JSON.stringify(body) }),
        });
        const { value } = /** @type {{ value: any }} */ (await response.json());
        if (!response.ok) throw new Error(`${value?.error}: ${value?.message}`);
        return value;
    };
    await until(() => send("GET", "/status").catch(() => undefined));
    const { sessionId, capabilities } = await send("POST", "/session", {
        capabilities: {
            alwaysMatch: {
                unhandledPromptBehavior: "ignore",
                "webkitgtk:browserOptions": { binary: browser, args: ["--automation"] },
            },
        },
    });
    return {
        version: capabilities.browserVersion,
        send: (/** @type {string} */ method, /** @type {string} */ path,
            body = /** @type {object | undefined} */ (undefined)) =>
            send(method, `/session/${sessionId}${path}`, body),
        end: async () => {
            await send("DELETE", `/session/${sessionId}`).catch(() => undefined);
            driver.kill();
            screen.kill();
        },
    };
}
