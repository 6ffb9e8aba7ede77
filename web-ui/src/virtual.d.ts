declare module "virtual:wasm" {
    /** The bytes of the module `core`; the single file has none. */
    export const wasm: (() => Uint8Array<ArrayBuffer>) | undefined;
}

declare module "virtual:wasm-full" {
    /** The bytes of the module `full`. */
    export const wasm: () => Uint8Array<ArrayBuffer>;
}

declare module "virtual:registry" {
    /** What `suites()` says with `full`, so that a list of algorithms needs only `core`. */
    export const registry: import("pqseal").Registry;
}

declare module "virtual:wasm-files" {
    /** The bytes of the wasm of pqseal/files. */
    export const wasm: () => Uint8Array<ArrayBuffer>;
}

declare module "virtual:worker" {
    export const workerUrl: string;
    export const workerType: WorkerType;
}

declare module "virtual:opener" {
    export const openerUrl: string;
    export const openerType: WorkerType;
}

declare module "virtual:searcher" {
    export const searcherUrl: string;
    export const searcherType: WorkerType;
}

declare module "*.css";

declare module "*?raw" {
    const text: string;
    export default text;
}

/** What TypeScript does not know yet of Trusted Types; in the worker too. */
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
