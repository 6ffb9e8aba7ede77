// What every response carries, pages of errors too. headers/ says the same for real servers, and a
// test compares them.
import { existsSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * The worker's code is a response of its own, with a policy of its own: therefore a header and not
 * only the page's meta tag.
 */
export const policy = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src data:",
    "connect-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types worker",
].join("; ");

export const headers = {
    "Content-Security-Policy": policy,
    // Stops what no content policy does: navigation, pop-ups, WebRTC. Chromium knows it, others
    // ignore it.
    "Connection-Allowlist": "(response-origin)",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy":
        "bluetooth=(), camera=(), clipboard-read=(), display-capture=(), geolocation=(), hid=(), "
        + "microphone=(), midi=(), payment=(), serial=(), usb=()",
    "X-DNS-Prefetch-Control": "off",
    // Browsers heed it over HTTPS only.
    "Strict-Transport-Security": "max-age=63072000",
    // No copy of a page that shows opened data is kept, and no frozen one comes back by the back
    // button.
    "Cache-Control": "no-store",
};

/** What `assets/` has instead: the names of these files have hashes of what is in them. */
export const cached = "public, max-age=31536000, immutable";

/** Serves the built page with these headers. */
export const served = (): Plugin => ({
    name: "served",
    config: () => ({ preview: { headers } }),
    configurePreviewServer: ({ middlewares, config }) =>
        void middlewares.use(({ url = "" }, response, next) => {
            const [name = ""] = url.split("?");
            const isHashed = name.startsWith("/assets/")
                && existsSync(join(config.root, config.build.outDir, name));
            if (isHashed) {
                const write = response.writeHead.bind(response) as (
                    status: number,
                    fields: OutgoingHttpHeaders,
                ) => typeof response;
                response.writeHead = ((status: number, fields: OutgoingHttpHeaders) =>
                    write(status, { ...fields, "Cache-Control": cached })) as never;
            }
            next();
        }),
});
