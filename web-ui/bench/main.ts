// Seal and open one message of 1 KiB, X25519 and X-Wing with ChaCha20-Poly1305, keys already
// parsed: pqseal against two packages from npm, one of them with the browser's own X25519 and with
// the one in JavaScript.
import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { CipherSuite as HpkeJs, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { DhkemX25519HkdfSha256 as InJavaScript } from "@hpke/dhkem-x25519";
import { XWing } from "@hpke/hybridkem-x-wing";
import * as panva from "hpke";
import { Suite, startSync } from "pqseal";
import { wasm } from "virtual:wasm";

interface Contender {
    seal(): unknown;
    open(): unknown;
}

const message = new Uint8Array(1024);
if (wasm) startSync(wasm());

function pqseal(kem: string): Contender {
    const suite = new Suite(kem, "HKDF-SHA256", "ChaCha20Poly1305");
    const { privateKey, publicKey } = suite.generateKeyPair();
    const { enc, ct } = suite.seal(publicKey, message);
    return {
        seal: () => suite.seal(publicKey, message),
        open: () => suite.open(enc, privateKey, ct),
    };
}

async function hpkeJs(kem: DhkemX25519HkdfSha256 | InJavaScript | XWing): Promise<Contender> {
    const suite = new HpkeJs({ kem, kdf: new HkdfSha256(), aead: new Chacha20Poly1305() });
    const { publicKey, privateKey } = await suite.kem.generateKeyPair();
    const { enc, ct } = await suite.seal({ recipientPublicKey: publicKey }, message.buffer);
    return {
        seal: () => suite.seal({ recipientPublicKey: publicKey }, message.buffer),
        open: () => suite.open({ recipientKey: privateKey, enc }, ct),
    };
}

async function hpke(kem: panva.KEMFactory): Promise<Contender> {
    const suite = new panva.CipherSuite(kem, panva.KDF_HKDF_SHA256, panva.AEAD_ChaCha20Poly1305);
    const { publicKey, privateKey } = await suite.GenerateKeyPair();
    const { encapsulatedSecret, ciphertext } = await suite.Seal(publicKey, message);
    return {
        seal: () => suite.Seal(publicKey, message),
        open: () => suite.Open(privateKey, encapsulatedSecret, ciphertext),
    };
}

/**
 * In microseconds a call: by the clock, and of processors over all threads of the browser, as its own
 * X25519 runs on others.
 */
interface Times {
    clock: number;
    processor: number;
}

/** By run.mjs: the milliseconds of processors that the browser has used so far. */
declare function processorTime(): Promise<number>;

const calls = 100;

async function timed(call: () => unknown): Promise<Times> {
    const used = await processorTime();
    const begun = performance.now();
    for (let i = 0; i < calls; i++) await call();
    const clock = performance.now() - begun;
    const processor = (await processorTime()) - used;
    return { clock: (clock * 1000) / calls, processor: (processor * 1000) / calls };
}

/** The medians of rounds that take turns, so that a busy machine is unkind to all alike. */
async function medians(contenders: Record<string, Contender>,
    what: keyof Contender): Promise<Record<string, Times>>
{
    const times: Record<string, Times[]> = {};
    // The first rounds are the compiler's.
    for (let round = -3; round < 21; round++)
        for (const [name, contender] of Object.entries(contenders)) {
            const time = await timed(() => contender[what]());
            if (round >= 0) (times[name] ??= []).push(time);
        }
    const median = (all: number[]) => all.sort((a, b) => a - b)[all.length >> 1] ?? NaN;
    const both = (all: Times[]) => ({
        clock: median(all.map(({ clock }) => clock)),
        processor: median(all.map(({ processor }) => processor)),
    });
    return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, both(all)]));
}

async function compare(kem: string, contenders: Record<string, Contender>): Promise<string[]> {
    const lines: string[] = [];
    for (const what of ["seal", "open"] as const) {
        const { pqseal: ours, ...others } = await medians(contenders, what);
        if (!ours) continue;
        lines.push(
            `${kem} ${what}: pqseal ${ours.clock.toFixed(0)} us by the clock, ${
                ours.processor.toFixed(0)
            } us of processors`,
        );
        for (const [name, { clock, processor }] of Object.entries(others)) {
            const ratios = `ratio ${(clock / ours.clock).toFixed(1)} and ${
                (processor / ours.processor).toFixed(1)
            }`;
            lines.push(`  ${name} ${clock.toFixed(0)} and ${processor.toFixed(0)} us, ${ratios}`);
        }
    }
    return lines;
}

/** A browser may lack a KEM that `hpke` takes from it. */
const orNothing = (name: string, made: Promise<Contender>) =>
    made.then((contender) => ({ [name]: contender }), () => ({}));

const result = document.getElementById("result")!;
const lines = [
    ...(await compare("X25519", {
        pqseal: pqseal("x25519"),
        "@hpke/core": await hpkeJs(new DhkemX25519HkdfSha256()),
        "@hpke/core with @hpke/dhkem-x25519": await hpkeJs(new InJavaScript()),
        ...(await orNothing("hpke", hpke(panva.KEM_DHKEM_X25519_HKDF_SHA256))),
    })),
    ...(await compare("X-Wing", {
        pqseal: pqseal("mlkem768-x25519"),
        "@hpke/core": await hpkeJs(new XWing()),
        ...(await orNothing("hpke", hpke(panva.KEM_MLKEM768_X25519))),
    })),
];
result.textContent = lines.join("\n");
document.title = "done";
