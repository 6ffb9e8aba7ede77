// The style of Explore, which comes with its chunk and not with the page.
import css from "../explore.css?inline";

export function addStyle(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
}
