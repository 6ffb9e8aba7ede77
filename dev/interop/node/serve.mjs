// The line protocol of ../README.md on stdin and stdout, for every peer in Node.
import { createInterface } from "node:readline";

// Answers one request per line by the operation that it names.
export async function serve(operations) {
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
        let reply;
        try {
            const request = JSON.parse(line);
            if (!Object.hasOwn(operations, request.op)) throw new Error(`unknown op ${request.op}`);
            reply = await operations[request.op](request);
        } catch (error) {
            reply = { error: error.message || String(error) };
        }
        process.stdout.write(JSON.stringify(reply) + "\n");
    }
}
