// node webassembly.mjs MODULE PROCESSES: the time of each operation in libcrux and in ml-kem-768,
// by turns in each process. Prints the medians over processes of each process's median, and of its
// ratio. webassembly.sh builds the module and starts this.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const operations = ["decaps, key kept", "encaps, key kept", "key from dk, checked",
    "key from ek, checked", "keygen from a seed"];
const CALLS = 40;
const ROUNDS = 64;
// Engines do not align the stack to the vectors that they spill, so each round takes another
// position.
const DEPTHS = 16;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** The medians in microseconds: for each operation libcrux's and ours. */
async function measured(path) {
    const { instance } = await WebAssembly.instantiate(readFileSync(path));
    const samples = operations.flatMap(() => [[], []]);
    for (let round = -DEPTHS; round < ROUNDS; round++) {
        for (const [candidate, times] of samples.entries()) {
            const start = performance.now();
            instance.exports.run(candidate, CALLS, (round + DEPTHS) % DEPTHS);
            // The first rounds are the compiler's.
            if (round >= 0) times.push(((performance.now() - start) * 1e3) / CALLS);
        }
    }
    return samples.map(median);
}

const [path, processes] = process.argv.slice(2);
if (!processes) {
    console.log(JSON.stringify(await measured(path)));
} else {
    const runs = Array.from({ length: Number(processes) }, () =>
        JSON.parse(execFileSync(process.execPath, [process.argv[1], path], { encoding: "utf8" })));
    console.log(`Node ${process.versions.node}, ${runs.length} processes\n`);
    console.log("| us | libcrux | ml-kem-768 | libcrux / ml-kem-768 |\n|---|---:|---:|---:|");
    for (const [i, operation] of operations.entries()) {
        const [theirs, ours] = [0, 1].map((which) =>
            median(runs.map((run) =>
                run[2 * i + which]
            ))
        );
        const ratio = median(runs.map((run) => run[2 * i] / run[2 * i + 1]));
        console.log(
            `| ${operation} | ${theirs.toFixed(1)} | ${ours.toFixed(1)} | ${ratio.toFixed(2)} |`,
        );
    }
}
