// Keys for the whole of Explore: / searches, j and k move through records, Escape closes what is
// open.
import { byId } from "../dom.ts";

interface ShortcutActions {
    /** Opens the next record, or the one before. */
    step(by: 1 | -1): void;
    closeSide(): void;
}

export function startShortcuts({ step, closeSide }: ShortcutActions): void {
    const menus = () => document.querySelectorAll<HTMLDetailsElement>("details.menu[open]");
    addEventListener("keydown", (event) => {
        const { key, ctrlKey, metaKey, altKey, target } = event;
        if (ctrlKey || metaKey || altKey || byId("explore").hidden || byId("open").hidden) return;
        if (key === "Escape") return escape(menus(), closeSide);
        if (isTyping(target) || document.querySelector("dialog[open]")) return;
        if (key === "/") byId("search").focus();
        else if ((key === "j" || key === "k") && !byId("table-view").hidden)
            step(key === "j" ? 1 : -1);
        else return;
        event.preventDefault();
    });
    // A click outside closes a menu.
    addEventListener("pointerdown", ({ target }) => {
        for (const menu of menus()) if (!menu.contains(target as Node)) menu.open = false;
    });
}

function escape(menus: NodeListOf<HTMLDetailsElement>, closeSide: () => void): void {
    // A dialog closes itself.
    if (document.querySelector("dialog[open]")) return;
    const [menu] = menus;
    if (!menu) return byId("side").hidden ? undefined : closeSide();
    menu.open = false;
    menu.querySelector("summary")?.focus();
}

const isTyping = (target: EventTarget | null) =>
    target instanceof HTMLElement
    && target.matches("textarea, select, input:not([type=checkbox])");
