// Seals a message to a public key: for tests, and for those who build what seals.
import type { OpenOptions } from "pqseal";
import { call } from "./client.ts";
import { button, bytesOf, copy, input, onClick, onSubmit } from "./dom.ts";

export function startSeal(): void {
    onSubmit("seal-form", "seal-error", async () => {
        show("");
        const plaintext = bytesOf(input("seal-text").value);
        show(await call("seal", { publicKey: input("seal-key").value.trim(), plaintext, options: boundTo("seal") }));
    });
    onClick("copy-sealed", "seal-error", () => copy(button("copy-sealed"), input("sealed").value));
}

export function clearSeal(): void {
    input("seal-text").value = "";
    show("");
}

/** The `info` and `aad` of a panel, where they are given. Kyber's draft is read and written here as well: the user has chosen the key. */
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
