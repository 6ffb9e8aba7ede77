declare module "virtual:wasm" {
    /** The bytes of pqseal's wasm. */
    export const wasm: () => Uint8Array<ArrayBuffer>;
}

declare module "virtual:wasm-files" {
    /** The bytes of the wasm of pqseal/files. */
    export const wasm: () => Uint8Array<ArrayBuffer>;
}

declare module "virtual:worker" {
    export const workerUrl: string;
    export const workerType: WorkerType;
}

declare module "*.css";

declare module "*?raw" {
    const text: string;
    export default text;
}

/** What TypeScript does not know yet of Trusted Types. */
interface Window {
    /** Only in Chromium. */
    showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
    trustedTypes?: {
        createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
    };
}

/** Only in Chromium, and not in TypeScript. */
interface Navigator {
    userAgentData?: { brands: { brand: string; version: string }[] };
}
