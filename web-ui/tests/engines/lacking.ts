// What does not run in Firefox and WebKit, and why. Chromium runs everything.

/** Names of projects of playwright.config.ts. */
export type Engine = "firefox" | "webkit";

/** The specifications that ran there. */
const all: Record<Engine, RegExp> = {
    firefox: /[/][a-z]+[.]spec[.]ts$/,
    webkit: /[/](cli|engines|files|flow|inert|inputs|keys|packed|payload|sends|single|spreadsheet|visit)[.]spec[.]ts$/,
};

/** Those of them that run each time: with the others the tests take some minutes more. */
const often: Record<Engine, RegExp> = {
    firefox: /[/](engines|explore|flow|inert|keys|sends|single|visit)[.]spec[.]ts$/,
    webkit: /[/](engines|files|flow|sends|single|visit)[.]spec[.]ts$/,
};

/** `npm run test:engines` runs all. */
export const runs = process.env.EVERY_SPECIFICATION ? all : often;

/** The tag of tests with large inputs: in Chromium they run each time, in the other engines with `npm run test:engines`. */
export const heavy = process.env.EVERY_SPECIFICATION ? [] : ["@heavy"];

/** What some tests need and the engine or its driver does not have, by the tag of the test, and the reason. `engines.spec.ts` prints it. */
export const lacking: Record<Engine, Record<string, string>> = {
    firefox: {
        "@axe": "Firefox 153 loses the page's process while axe looks at what was opened",
        "@clipboard": "WebDriver BiDi gives the page no clipboard",
        "@connection-allowlist": "Firefox does not have it",
        "@forced-colors": "WebDriver BiDi does not force colors",
        "@init-script": "not tried yet",
        "@timezone": "not tried yet",
        "@workers": "WebDriver BiDi runs nothing in a worker of Firefox",
    },
    webkit: {
        "@active": "its window is not always the active one of the virtual screen, and says that nothing has the focus",
        "@clipboard": "WebDriver gives the page no clipboard",
        "@clock": "WebDriver cannot run code before the page's own, and says nothing of workers",
        "@connection-allowlist": "WebKit does not have it",
        "@dialog": "the driver closes a page without the browser's question",
        "@forced-colors": "WebDriver does not force colors",
        "@init-script": "WebDriver cannot run code before the page's own",
        "@timezone": "WebDriver sets none",
        "@narrow": "its windows cannot be as narrow as 320 px",
        "@workers": "WebDriver says nothing of workers",
    },
};
