// A description of a blob without a key.
import type { Inspected } from "pqseal";
import { call } from "./client.ts";
import { byId, fields, fill, h, input, onSubmit } from "./dom.ts";
import { unwrapped } from "./unwrap.ts";

export function startInspect(): void {
    onSubmit("inspect-form", "inspect-error", async () => {
        byId("facts").replaceChildren();
        const facts = lines(
            await call("inspect", {
                blob: unwrapped(input("inspect-blob").value),
                fields: fields(),
            }),
        );
        fill(byId("facts"), facts.map(([name, value]) => [h("dt", "", name), h("dd", "", value)]));
    });
}

export function clearInspect(): void {
    byId("inspect-error").textContent = "";
    byId("facts").replaceChildren();
}

function lines(blob: Inspected): [string, string][] {
    const name = (algorithm: { name: string } | number) =>
        typeof algorithm === "number"
            ? `0x${algorithm.toString(16).padStart(4, "0")}, unknown`
            : algorithm.name;
    return [
        ["Version", `${blob.version} (${blob.specification})`],
        ["KEM", name(blob.kem)],
        ["KDF", name(blob.kdf)],
        ["AEAD", name(blob.aead)],
        ...(blob.keyId === undefined ? [] : [["Sealed to key", blob.keyId] as [string, string]]),
        ["Length", `${blob.blobLength} bytes`],
        ["Data in it", `${blob.plaintextLength} bytes`],
        ...(blob.trailingLength
            ? [["After its end", `${blob.trailingLength} bytes: it does not open`] as [
                string,
                string,
            ]]
            : []),
        ["Encapsulated key", hex(blob.enc)],
    ];
}

const hex = (bytes: Uint8Array) =>
    Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
