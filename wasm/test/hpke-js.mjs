// The same classes twice: of @hpke/core with its modules, and of pqseal/hpke-js. Programs of either
// run with the other.
import { createRequire } from "node:module";
import * as adapter from "../pkg/dist/hpke-js/index.js";

const installed = createRequire(new URL("../../dev/interop/hpke-js/package.json", import.meta.url));
const MODULES = ["@hpke/core", "@hpke/chacha20poly1305", "@hpke/dhkem-x25519", "@hpke/dhkem-x448",
    "@hpke/hybridkem-x-wing", "@hpke/ml-kem"];

const load = (name) => {
    try {
        return installed(name);
    } catch (error) {
        throw new Error(`${name} is not installed: dev/interop/setup.sh hpke-js`, { cause: error });
    }
};

export const theirs = Object.assign({}, ...MODULES.map(load).reverse());
export const ours = adapter;
export const both = Object.entries({ "@hpke/core": theirs, "pqseal/hpke-js": ours });

export const DHKEMS = ["DhkemP256HkdfSha256", "DhkemP384HkdfSha384", "DhkemP521HkdfSha512",
    "DhkemX25519HkdfSha256", "DhkemX448HkdfSha512"];
export const POST_QUANTUM = ["MlKem512", "MlKem768", "MlKem1024", "XWing"];
export const KDFS = ["HkdfSha256", "HkdfSha384", "HkdfSha512"];
export const AEADS = ["Aes128Gcm", "Aes256Gcm", "Chacha20Poly1305", "ExportOnly"];

/** The suite of these classes. */
export const suiteOf = (hpke, kem, kdf = "HkdfSha256", aead = "Aes128Gcm") =>
    new hpke.CipherSuite({ kem: new hpke[kem](), kdf: new hpke[kdf](), aead: new hpke[aead]() });

export const utf8 = (text) => new TextEncoder().encode(text);
export const text = (bytes) => new TextDecoder().decode(bytes);
export const hex = (bytes) => {
    if (!(bytes instanceof ArrayBuffer)) throw new Error(`not an ArrayBuffer: ${bytes}`);
    return Buffer.from(bytes).toString("hex");
};
