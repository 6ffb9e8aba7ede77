// Files in the age format: the worker's part, with its own WebAssembly module, in a chunk that is
// loaded after the page. It imports nothing that the worker has too: the chunk would import the
// worker, and WebKit runs a worker that is imported again.
import { DecryptStream, EncryptStream, type Identity, type Recipient, identityToRecipient, inspect,
    startSync } from "pqseal/files";
import { wasm } from "virtual:wasm-files";
import { type Entry, type Format, unlocked } from "./locked.ts";
import type { FileFacts, FileTask } from "./protocol.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface Outside {
    cancelled(): boolean;
    /** Receives output, and the number of bytes of the file read so far. */
    give(read: number, chunk: Bytes): void;
}

let started = false;

/** Starts the module with the first file, since few visits need it. */
function start(): void {
    if (!started) startSync(wasm());
    started = true;
}

/** Returns what an encrypted file shows without a key, from its beginning. */
export function factsOf(beginning: Bytes, size: number): FileFacts {
    start();
    const { armored, passphrase, postQuantum, stanzas } = inspect(beginning, { fileLength: size });
    return { armored, passphrase, postQuantum, types: stanzas.map(({ type }) => type) };
}

/** Returns the private keys in a file under a passphrase. */
export function unlock(format: Format, file: Bytes, passphrase: Bytes): Entry[] {
    start();
    return unlocked(format, file, passphrase);
}

/**
 * Encrypts or decrypts the whole input. Returns false if the user stopped it. `keys` are private
 * keys of the page, as text.
 */
export async function runFile(task: FileTask, input: ReadableStream<Bytes>, keys: string[],
    outside: Outside): Promise<boolean>
{
    start();
    const transform = transformOf(task, keys);
    let read = 0;
    const counter = new TransformStream<Bytes, Bytes>({
        transform(chunk, controller) {
            read += chunk.length;
            controller.enqueue(chunk);
        },
    });
    const reader = input.pipeThrough(counter).pipeThrough(transform).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (outside.cancelled()) {
            await reader.cancel();
            return false;
        }
        outside.give(read, next.value);
    }
    return !outside.cancelled();
}

/** Returns the transform of a task, and overwrites the task's bytes. */
function transformOf(task: FileTask, keys: string[]): TransformStream<Bytes, Bytes> {
    try {
        const passphrase = task.passphrase.length ? [{ passphrase: task.passphrase }] : [];
        if (task.kind === "encrypt")
            return new EncryptStream([...recipientsOf(task.recipients), ...passphrase], {
                armor: task.armor,
            });
        const identities: Identity[] = [...keys.filter(isIdentity),
            ...(isBlank(task.identities) ? [] : [task.identities]), ...passphrase];
        if (!identities.length)
            throw new Error(
                "No key: give an identity or a passphrase, or add a private key under Open.",
            );
        return new DecryptStream(identities);
    } finally {
        task.passphrase.fill(0);
        if (task.kind === "decrypt") task.identities.fill(0);
    }
}

function recipientsOf(text: string): Recipient[] {
    if (/^\s*[\w+/]{43}=\s*$/m.test(text)) {
        throw new Error(
            "Base64 does not say whose key it is: give the public key as a key line, PEM or JWK, or an age recipient.",
        );
    }
    return text.trim() === "" ? [] : [text];
}

/**
 * Reports whether files can be encrypted to a key of the page, which excludes experimental ones.
 */
function isIdentity(key: string): boolean {
    try {
        return identityToRecipient(key) !== "";
    } catch {
        return false;
    }
}

const isBlank = (bytes: Bytes) => bytes.every((byte) => byte <= 0x20);
