// The published examples of JOSE-HPKE: each message opens, and none does under another list of
// algorithms or with an altered byte. Throws, or gives the number of the drafts' files that were
// read. `sets` are the files jose-hpke.json and jose-hpke-pq.json of test-vectors/data.
const PLAINTEXT =
    "You can trust us to stick with you through thick and thin-to the bitter end. And you can trust us to keep any "
    + "secret of yours-closer than you keep it yourself. But you cannot trust us to let you face trouble alone, and go off without a "
    + "word. We are your friends, Frodo.";
const AAD = "The Fellowship of the Ring";
const SETS = { "jose-hpke": 16, "jose-hpke-pq": 10 };

export function checkJose(jwe, sets) {
    const equal = (found, expected) => {
        if (found !== expected) throw new Error(`${found} is not ${expected}`);
    };
    const text = (bytes) => new TextDecoder().decode(bytes);
    const codeOf = (call) => {
        try {
            call();
        } catch (error) {
            return error.code;
        }
        throw new Error("opened");
    };
    let files = 0;
    for (const { header, entries } of sets) {
        equal(entries.length, SETS[header.name]);
        for (const { alg, jwk, flattened, compact } of entries) {
            const key = jwe.PrivateKey.parse(JSON.stringify(jwk));
            equal(key.alg, alg);
            const messages = [["compact", compact, ""], ["flattened", JSON.stringify(flattened),
                AAD], ["flattened", flattened, AAD]];
            for (const [serialization, message, aad] of messages) {
                const opened = jwe.open(message, key, [alg]);
                // The second draft has a dash between words where the first has a hyphen.
                equal(text(opened.plaintext).replaceAll("\u2013", "-"), PLAINTEXT);
                equal([text(opened.aad), opened.alg, opened.recipient, opened.key].join(),
                    [aad, alg, 0, 0].join());
                equal(opened.header.kid, jwk.kid);
                equal(jwe.inspect(message).serialization, serialization);
                equal(
                    codeOf(() => jwe.open(message, key, [alg === "HPKE-0" ? "HPKE-7" : "HPKE-0"])),
                    "algorithm_not_allowed",
                );
            }
            const [head, ...rest] = compact.split(".");
            const altered = [head, ...rest.map((part) =>
                part && (part[0] === "A" ? "B" : "A") + part.slice(1)
            )].join(".");
            equal(codeOf(() =>
                jwe.open(altered, key, [alg])
            ), "altered");
            // Its key, and both messages.
            files += 3;
            key.free();
        }
    }
    return files;
}
