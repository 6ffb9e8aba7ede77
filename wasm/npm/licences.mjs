// node licences.mjs FILE CRATE...: writes the licences of all that is compiled into these crates,
// with the notices that they ask for. The page's build adds the packages of npm that are in it
// (web-ui/build/licences.mjs).
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** @typedef {{ name: string, version: string, licence: string, link: string }} Package */
/** @typedef {Package & { text: string }} Licensed */

const apache = readFileSync(new URL("../../LICENSE-APACHE", import.meta.url), "utf8");

/**
 * The crates below these, without those that only run while others are compiled. Ours have the
 * licence of the whole.
 * @param {string[]} names
 * @returns {Licensed[]}
 */
function crates(names) {
    const options = ["--locked", "--target", "wasm32-unknown-unknown", "--edges",
        "normal,no-proc-macro", "--prefix", "none", "--format", "{p}\t{l}\t{r}", "--features",
        "pqseal-wasm/sealed"];
    const tree = execFileSync("cargo", ["tree", ...options,
        ...names.flatMap((name) => ["-p", name])], { encoding: "utf8" });
    const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
    // A crate that was listed before has a star.
    return [...new Set(tree.replaceAll(" (*)", "").split("\n"))].flatMap((line) => {
        if (/ \((git\+)?https?:/.test(line)) throw new Error(`${line} is not from a registry`);
        // What follows the version is the folder of a crate of ours.
        const [, name, version, licence = "", link = ""] =
            /^(\S+) v(\S+)\t([^\t]*)\t(\S*)/.exec(line) ?? [];
        if (!name || !version) return [];
        const folder = readdirSync(registry).map((index) => join(registry, index)).find((index) =>
            readdirSync(index).includes(`${name}-${version}`)
        );
        if (!folder) throw new Error(`${name} ${version} is not in ${registry}`);
        return [licensed(join(folder, `${name}-${version}`), { name, version, licence, link })];
    });
}

/**
 * A package of npm.
 * @param {string} folder
 * @returns {Licensed}
 */
export function npmPackage(folder) {
    const { name, version, license, repository } = JSON.parse(
        readFileSync(join(folder, "package.json"), "utf8"),
    );
    return licensed(folder, {
        name,
        version,
        licence: license,
        link: repository?.url ?? repository ?? "",
    });
}

/**
 * With the texts in its folder. One is enough where there is a choice: MIT, the shortest.
 * Apache-2.0 names nobody, so that its text need not be the package's own.
 * @param {string} folder
 * @param {Package} about
 * @returns {Licensed}
 */
function licensed(folder, about) {
    const files = readdirSync(folder).filter((file) =>
        /^(licen[cs]e|copying|notice|unlicense)/i.test(file)
    ).sort();
    const mit = files.filter((file) => /mit/i.test(file));
    const isChoice = / OR |\//.test(about.licence) && !about.licence.includes(" AND ");
    const chosen = isChoice && mit.length
        ? [...mit, ...files.filter((file) => /^notice/i.test(file))]
        : files;
    const texts = chosen.map((file) =>
        readFileSync(join(folder, file), "utf8").replaceAll("\r", "").trim()
    );
    if (!texts.length && about.licence.includes("Apache-2.0")) texts.push(apache.trim());
    if (!texts.some(Boolean))
        throw new Error(`${about.name} ${about.version} (${about.licence}) has no licence file`);
    return { ...about, text: texts.join("\n\n") };
}

/** @returns {Licensed} */
function standardLibrary() {
    const [, version = ""] = execFileSync("rustc", ["--version"], { encoding: "utf8" }).split(" ");
    const link = "https://github.com/rust-lang/rust";
    return {
        name: "the standard library of Rust, with the crates in it",
        version,
        licence: "MIT OR Apache-2.0",
        link,
        text: apache.trim(),
    };
}

/**
 * Each text once, after the packages that have it.
 * @param {Licensed[]} packages
 */
export function sections(packages) {
    /** @type {Map<string, string[]>} */
    const byText = new Map();
    for (const { name, version, licence, link, text } of packages)
        byText.set(text, [...(byText.get(text) ?? []),
            `${name} ${version} (${licence})${link ? `, ${link}` : ""}`]);
    return [...byText].map(([text, titles]) =>
        `${"=".repeat(80)}\n${titles.join("\n")}\n\n${text}\n\n`
    ).join("");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
    const [file = "", ...names] = process.argv.slice(2);
    const about =
        "Third-party code in this package, with its licences. pqseal itself has the licence MIT OR Apache-2.0.\n\n";
    writeFileSync(file, about + sections([standardLibrary(), ...crates(names)]));
}
