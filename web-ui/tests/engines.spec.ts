// No test is left out in silence: what Firefox does not run is printed with the reason.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { inFirefox, lacking } from "./engines/lacking.ts";
import { path } from "./page.ts";

test("what Firefox does not run", ({}, { project }) => {
    if (project.name === "chromium") return;
    const specs = readdirSync(path("tests")).filter((name) => name.endsWith(".spec.ts"));
    const tagged = specs.flatMap((name) => [...readFileSync(path(`tests/${name}`), "utf8").matchAll(/test\("([^"]+)", \{ tag: "([^"]+)" \}/g)]);
    console.log(`Firefox does not run yet: ${specs.filter((name) => !inFirefox.test(`/${name}`)).join(", ")}`);
    for (const [tag, reason] of Object.entries(lacking)) {
        const titles = tagged.flatMap(([, title, its]) => (its === tag ? [title] : []));
        expect(titles, `${tag} is on no test: take it from the list`).not.toEqual([]);
        console.log(`Firefox does not run, since ${reason}:\n${titles.map((title) => `    ${title}\n`).join("")}`);
    }
});
