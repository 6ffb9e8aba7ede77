// The use that a JWK names, checked as by @hpke/core. Its reader refuses keys for signatures.
import { failure } from "./attempt.js";
import { fromJwk } from "./keys.js";

/** The operations of KEMs other than DHKEM, by the names of WebCrypto; deriveBits is of @hpke/core. */
const ENCAPSULATION = {
    public: ["encapsulateBits", "encapsulateKey"],
    private: ["deriveBits", "decapsulateBits", "decapsulateKey"],
};

export function importJwk(kem, jwk, isPublic) {
    const problem = typeof jwk === "object" && jwk !== null && misuse(kem, jwk, isPublic);
    if (problem) throw failure("bad_key", `the JWK is not for this use: ${problem}`);
    return fromJwk(kem, jwk, isPublic);
}

function misuse({ auth: isDhkem }, { use, key_ops: operations, ext }, isPublic) {
    if (isDhkem && ext === false) return "ext is false, and keys here can be extracted";
    if (isDhkem && !isPublic && use !== undefined && use !== "enc") return "use is not enc";
    // The reader refuses anything but a list.
    if (!Array.isArray(operations)) return undefined;
    if (new Set(operations).size < operations.length) return "key_ops names an operation twice";
    if (isDhkem)
        return isPublic || operations.includes("deriveBits")
            ? undefined
            : "key_ops lacks deriveBits";
    const allowed = ENCAPSULATION[isPublic ? "public" : "private"];
    return operations.every((operation) => allowed.includes(operation))
            && (isPublic || operations.length > 0)
        ? undefined
        : `key_ops has other operations than ${allowed.join(", ")}`;
}
