// Seals a message to a public key, for tests and for developers of programs that seal.
import type { OpenOptions } from "pqseal";
import { type Failure, call } from "./client.ts";
import { button, byId, bytesOf, copy, input, onClick, onSubmit } from "./dom.ts";

/** The key that the worker took for a private one. The user may press Seal again. */
let doubted = "";

export function startSeal(): void {
    onSubmit("seal-form", "seal-error", async () => {
        show("");
        const [publicKey, plaintext] = [input("seal-key").value.trim(),
            bytesOf(input("seal-text").value)];
        try {
            show(
                await call("seal", {
                    publicKey,
                    plaintext,
                    options: boundTo("seal"),
                    sure: publicKey === doubted,
                }),
            );
        } catch (failure) {
            doubted = (failure as Failure).code === "perhaps_private" ? publicKey : "";
            throw failure;
        }
    });
    onClick("copy-sealed", "seal-error", () => copy(button("copy-sealed"), input("sealed").value));
}

export function clearSeal(): void {
    doubted = "";
    byId("seal-error").textContent = "";
    show("");
}

/**
 * Returns the `info` and `aad` of a panel, if given. Kyber's draft is allowed here too, since the
 * user has chosen the key.
 */
export function boundTo(panel: "open" | "seal"): OpenOptions {
    const given = (name: "info" | "aad") => {
        const text = input(`${panel}-${name}`).value;
        return text === "" ? {} : { [name]: bytesOf(text) };
    };
    return { policy: "experimental", ...given("info"), ...given("aad") };
}

function show(sealed: string): void {
    input("sealed").value = sealed;
    button("copy-sealed").disabled = sealed === "";
}
