// A description of a blob without a key.
import type { Inspected } from "pqseal";
import type { SealedDescription, SealedKind } from "pqseal/sealed";
import { call } from "./client.ts";
import { byId, fields, fill, h, input, onSubmit } from "./dom.ts";
import { unwrapped } from "./unwrap.ts";

export function startInspect(): void {
    onSubmit("inspect-form", "inspect-error", async () => {
        byId("facts").replaceChildren();
        const found = await call("inspect", {
            blob: unwrapped(input("inspect-blob").value),
            fields: fields(),
        });
        const facts = "kind" in found ? linesOfOther(found) : lines(found);
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

const kinds: Record<SealedKind, string> = {
    "ai-gateway": "object of AI Gateway",
    "agent-receipt": "envelope of an agent receipt",
    jwe: "JWE",
    age: "age file",
};

function linesOfOther(
    { kind, algorithm, rsaBits, kid, plaintextLength }: SealedDescription,
): [string, string][] {
    const all: [string, string | undefined][] = [
        ["Kind", kinds[kind]],
        [kind === "age" ? "Recipients" : "Algorithm", algorithm],
        ["RSA key", rsaBits === undefined ? undefined : `${rsaBits} bits`],
        ["Key that it names, a hint", kid],
        ["Data in it", plaintextLength === undefined ? undefined : `${plaintextLength} bytes`],
    ];
    return all.filter((line): line is [string, string] => !!line[1]);
}

const hex = (bytes: Uint8Array) =>
    Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
