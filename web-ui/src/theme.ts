// Light or dark, until the page is left: nothing is stored.
import { byId } from "./dom.ts";

export function startTheme(): void {
    const theme = byId<HTMLSelectElement>("theme");
    theme.addEventListener("change", () => (document.documentElement.dataset.theme = theme.value));
}
