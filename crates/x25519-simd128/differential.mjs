// differential.mjs SIMD128 [RELAXED]: holds X25519 of these two modules next to answers from
// standard input, 96 bytes each: private key, point, result. `differential.sh` starts it. The last
// line is `N passed, N failed`.
import { readFileSync } from "node:fs";

const STAGE = 1_000_000;
const P = (1n << 255n) - 19n;
const [simd128, relaxed] = process.argv.slice(2);
if (!simd128) {
    console.error(
        "differential.mjs: name the modules; crates/x25519-simd128/differential.sh builds and names them",
    );
    process.exit(2);
}

/** What computes `length` bytes of a private key and a point. */
function started(path, length) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)));
    const buffer = Buffer.from(exports.memory.buffer, exports.BUFFER.value, 64 + length);
    return (input) => {
        buffer.set(input);
        exports.multiply();
        return buffer.subarray(64);
    };
}

/** Of 32 bytes, the lowest first. */
const number = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

/** The result of a fraction x / z, which is 0 if z is. */
function isQuotient(fraction, result) {
    const [x, z, r] = [fraction.subarray(0, 32), fraction.subarray(32), result].map(number);
    return r < P && (z === 0n ? r === 0n : (r * z - x) % P === 0n);
}

const candidates = [["simd128", started(simd128, 32), (result, expected) => result.equals(expected),
    0]];
if (relaxed) candidates.push(["relaxed", started(relaxed, 64), isQuotient, 0]);

let points = 0;
function compare(answer) {
    const expected = answer.subarray(64);
    for (const candidate of candidates) {
        const [name, multiply, isRight] = candidate;
        if (isRight(multiply(answer.subarray(0, 64)), expected)) continue;
        candidate[3] += 1;
        console.error(`${name} differs: ${answer.toString("hex")}`);
    }
    points += 1;
    if (points % STAGE === 0) console.error(`${points} points`);
}

let rest = Buffer.alloc(0);
for await (const chunk of process.stdin) {
    const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.length - (bytes.length % 96);
    for (let start = 0; start < end; start += 96) compare(bytes.subarray(start, start + 96));
    rest = bytes.subarray(end);
}

for (const [name, , , differences] of candidates)
    console.log(`${name}: ${points} points, ${differences} differ`);
if (!relaxed) console.log("relaxed: not tested, this engine lacks relaxed SIMD");
const failed =
    candidates.filter(([, , , differences]) => differences > 0 || points === 0 || rest.length > 0)
        .length;
console.log(`${candidates.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
