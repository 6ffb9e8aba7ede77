// Node's HTTPS server: server.mjs CERTIFICATE KEY GROUPS prints its address. Node does not tell a
// server which group was negotiated (getEphemeralKeyInfo gives null), so GROUPS should be one.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const [certificate, key, ecdhCurve] = process.argv.slice(2);
const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key), ecdhCurve },
    (_, response) => response.end("hello\n"));
server.listen(0, "127.0.0.1", () => console.log(`127.0.0.1:${server.address().port}`));
