// No test is left out in silence: what an engine does not run is printed with the reason.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { type Engine, heavy, lacking, runs, without } from "./engines/lacking.ts";
import { path } from "./page.ts";

test("what this engine does not run", ({}, { project: { name } }) => {
    if (name === "chromium") return;
    const engine = name as Engine;
    const specs = readdirSync(path("tests")).filter((name) => name.endsWith(".spec.ts"));
    const tagged = specs.flatMap((
        name,
    ) => [
        ...readFileSync(path(`tests/${name}`), "utf8").matchAll(
            /test\(["`]([^"`]+)["`],\s*\{\s*tag: ([^}]+)\}/g,
        ),
    ]);
    const others = specs.filter((name) => !runs[engine].test(`/${name}`));
    if (others.length) console.log(`${engine} does not run each time: ${others.join(", ")}`);
    for (const [name, reason] of Object.entries(without[engine]))
        console.log(`${engine} does not run ${name}.spec.ts, since ${reason}.`);
    const large = tagged.flatMap((
        [, title, its],
    ) => (heavy.some((tag) => its!.includes(`"${tag}"`)) ? [title] : []));
    if (large.length)
        console.log(
            `${engine} does not run each time, since they take long:\n${
                large.map((title) => `    ${title}\n`).join("")
            }`,
        );
    for (const [tag, reason] of Object.entries(lacking[engine])) {
        const titles = tagged.flatMap((
            [, title, its],
        ) => (its!.includes(`"${tag}"`) ? [title] : []));
        expect(titles, `${tag} is on no test: take it from the list`).not.toEqual([]);
        console.log(
            `${engine} does not run, since ${reason}:\n${
                titles.map((title) => `    ${title}\n`).join("")
            }`,
        );
    }
});
