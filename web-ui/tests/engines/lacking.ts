// What does not run in Firefox and WebKit, and why. Chromium runs everything.

/** Names of projects of playwright.config.ts. */
export type Engine = "firefox" | "webkit";

/** The specifications that run each time: all of them take some minutes more. */
const often: Record<Engine, RegExp> = {
    firefox: /[/](engines|flow|inert|sealed|sends|single|visit)[.]spec[.]ts$/,
    webkit: /[/](anew|engines|files|flow|sealed|sends|single|visit)[.]spec[.]ts$/,
};

/** Specifications that an engine runs no test of, and why. `engines.spec.ts` prints it. */
export const without: Record<Engine, Record<string, string>> = {
    firefox: {},
    webkit: {
        focus:
            "its window is not always the active one of the virtual screen, and says that nothing has the focus",
        look: "the driver's pictures of the page do not end",
    },
};
const but = (names: string[]) => new RegExp(`/(?!(?:${names.join("|")})[.])[a-z]+[.]spec[.]ts$`);

/** `npm run test:engines` runs all others. */
export const runs = process.env.EVERY_SPECIFICATION
    ? { firefox: but(Object.keys(without.firefox)), webkit: but(Object.keys(without.webkit)) }
    : often;

/**
 * The tag of tests with large inputs: in Chromium they run each time, in the other engines with
 * `npm run test:engines`.
 */
export const heavy = process.env.EVERY_SPECIFICATION ? [] : ["@heavy"];

/**
 * What some tests need and the engine or its driver does not have, by the tag of the test, and the
 * reason. `engines.spec.ts` prints it.
 */
export const lacking: Record<Engine, Record<string, string>> = {
    firefox: {
        "@axe":
            "Firefox 153 ends the page's process while axe looks at what was opened: in its rule target-size, and in others",
        "@clipboard": "WebDriver BiDi gives the page no clipboard",
        "@connection-allowlist": "Firefox does not have it",
        "@forced-colors": "WebDriver BiDi does not force colors",
        "@garbage": "WebDriver BiDi cannot make the engine collect garbage",
        "@net-log": "Firefox writes no such log",
        "@print": "WebDriver BiDi shows no page as on paper",
        "@workers": "WebDriver BiDi runs nothing in a worker of Firefox",
    },
    webkit: {
        "@axe": "the driver refuses axe's code",
        "@active":
            "its window is not always the active one of the virtual screen, and says that nothing has the focus",
        "@clipboard": "WebDriver gives the page no clipboard",
        "@clock": "WebDriver cannot run code before the page's own, and says nothing of workers",
        "@connection-allowlist": "WebKit does not have it",
        "@drag": "the driver moves no pointer out of the window",
        "@file-system": "the test, which saves into the page's own file system, does not end there",
        "@dialog": "the driver closes a page without the browser's question",
        "@forced-colors": "WebDriver does not force colors",
        "@garbage": "WebDriver cannot make the engine collect garbage",
        "@init-script": "WebDriver cannot run code before the page's own",
        "@timezone": "WebDriver sets none",
        "@print": "WebDriver shows no page as on paper",
        "@narrow": "its windows cannot be as narrow as 320 px",
        "@net-log": "WebKit writes no such log",
        "@network": "WebDriver says nothing of requests, and cannot take the network away",
        "@route": "WebDriver cannot change what a server answers",
        "@workers": "WebDriver says nothing of workers",
    },
};
