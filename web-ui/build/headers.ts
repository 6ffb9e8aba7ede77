// What every response carries, pages of errors too. headers/ says the same for real servers, and a
// test compares them.

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
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-DNS-Prefetch-Control": "off",
    // No copy of a page that shows opened data is kept, and no frozen one comes back by the back
    // button.
    "Cache-Control": "no-store",
};
