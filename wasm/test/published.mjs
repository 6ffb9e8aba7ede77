// The blob of the vendor's documentation, from the vectors of the native tests.
import { readFileSync } from "node:fs";

const { entries } = JSON.parse(
    readFileSync(new URL("../../test-vectors/data/matched-data.json", import.meta.url)),
);
const published = entries.find(({ name }) => name === "public_v3_docs");

export const KEY = published.private_key;
export const BLOB = published.blob;
export const PLAINTEXT = Buffer.from(published.plaintext_hex, "hex").toString();
