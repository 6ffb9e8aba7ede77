// What runs in Firefox, and what does not.

/** The specifications that ran in Firefox. The others have run in Chromium only, and are added here once they have. */
export const inFirefox = /[/](engines|flow|sends|single|visit)[.]spec[.]ts$/;

/** What some tests need and Firefox or its driver does not have, by the tag of the test, and the reason. `engines.spec.ts` prints it. */
export const lacking: Record<string, string> = {
    "@clipboard": "WebDriver BiDi cannot let the page read the clipboard",
    "@init-script": "not tried yet",
    "@workers": "not tried yet",
};
