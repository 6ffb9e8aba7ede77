// What does not run in Firefox and WebKit, and why. Chromium runs everything.

/** Names of projects of playwright.config.ts. */
export type Engine = "firefox" | "webkit";

/** The specifications that ran there. The others are added here once they have. */
export const runs: Record<Engine, RegExp> = {
    firefox: /[/](age|engines|explore|flow|inert|inputs|keys|payload|sends|single|spreadsheet|visit)[.]spec[.]ts$/,
    webkit: /[/](engines|flow|sends|single|visit)[.]spec[.]ts$/,
};

/** What some tests need and the engine or its driver does not have, by the tag of the test, and the reason. `engines.spec.ts` prints it. */
export const lacking: Record<Engine, Record<string, string>> = {
    firefox: {
        "@axe": "Playwright loses the document while axe looks at it, which is not understood yet",
        "@clipboard": "WebDriver BiDi gives the page no clipboard",
        "@init-script": "not tried yet",
        "@workers": "not tried yet",
    },
    webkit: {
        "@clipboard": "WebDriver gives the page no clipboard",
        "@init-script": "WebDriver cannot run code before the page's own",
        "@workers": "WebDriver says nothing of workers",
    },
};
