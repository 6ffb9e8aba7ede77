declare module "virtual:wasm" {
    /** Returns the bytes of the module `core`; the single file has none. */
    export const wasm: (() => Uint8Array<ArrayBuffer>) | undefined;
}

declare module "virtual:wasm-full" {
    /** Returns the bytes of the module `full`. */
    export const wasm: () => Uint8Array<ArrayBuffer>;
}

declare module "virtual:registry" {
    /** The result of `suites()` with `full`, so that a list of algorithms only needs `core`. */
    export const registry: import("pqseal").Registry;
}

declare module "virtual:wasm-files" {
    /** Returns the bytes of the wasm of pqseal/files. */
    export const wasm: () => Uint8Array<ArrayBuffer>;
}

declare module "virtual:wasm-records" {
    /** Returns the bytes of the module that reads records. */
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

declare module "*.css?inline" {
    const text: string;
    export default text;
}

declare module "*?raw" {
    const text: string;
    export default text;
}

/** The parts of Trusted Types that TypeScript does not know yet, in the worker too. */
interface Window {
    /** Shows a picker. Only in Chromium. */
    showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
    trustedTypes?: {
        createPolicy(name: string,
            rules: { createScriptURL(url: string): string }
        ): { createScriptURL(url: string): string };
    };
}

/** Members that are only in Chromium, and unknown to TypeScript. */
interface Navigator {
    /** Gigabytes, rounded; only on secure pages. */
    deviceMemory?: number;
    userAgentData?: { brands: { brand: string; version: string }[] };
}
