// Helpers for the DOM. Text is inserted as text: nothing here parses HTML.
import { visible } from "./visible.ts";

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
    const element = document.getElementById(id);
    if (!element) throw new Error(`no element ${id}`);
    return element as T;
}

export const input = (id: string) =>
    byId<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(id);
export const button = (id: string) => byId<HTMLButtonElement>(id);

/** Returns the names of members that hold sealed data. */
export const fields = () =>
    input("fields").value.split(",").map((name) => name.trim()).filter((name) => name !== "");

/** Content of an element; a string is a text. */
export type Child = Node | string | Child[];

/** Creates an element with a class and children. */
export function h<T extends keyof HTMLElementTagNameMap>(tag: T, className = "",
    ...children: Child[]): HTMLElementTagNameMap[T]
{
    const element = document.createElement(tag);
    if (className) element.className = className;
    append(element, children);
    return element;
}

/**
 * Appends children one by one, since calls have limits on arguments, and attackers choose how many
 * there are.
 */
export function append(to: ParentNode, children: Child[]): void {
    for (const child of children) Array.isArray(child) ? append(to, child) : to.append(child);
}

/** Replaces the content of an element. */
export function fill(element: Element, children: Child[]): void {
    element.replaceChildren();
    append(element, children);
}

/**
 * Sets the text of an element, in the node that it has: for a new one engines would match selectors
 * with `:has` and `:empty` again, and with them the style of all records.
 */
export function setText(element: Element, text: string): void {
    const { firstChild: node } = element;
    if (text && node instanceof Text && node === element.lastChild) node.data = text;
    else element.textContent = text;
}

/** Creates a button, with a name for screen readers if its label is not enough. */
export function press(className: string, label: Child, action: () => void,
    name?: string): HTMLButtonElement
{
    const button = h("button", className, label);
    button.type = "button";
    if (name) button.ariaLabel = name;
    button.addEventListener("click", action);
    return button;
}

/**
 * Returns the files chosen in a field, and empties it, so that the same file can be chosen again.
 */
export function chosen(field: HTMLInputElement): File[] {
    const files = [...(field.files ?? [])];
    field.value = "";
    return files;
}

/** Runs `action` when the form is submitted, and shows its failure in `error`. */
export function onSubmit(form: string, error: string, action: () => Promise<void>): void {
    byId(form).addEventListener("submit", (event) => {
        event.preventDefault();
        void attempt(error, action);
    });
}

export function onClick(id: string, error: string, action: () => Promise<void> | void): void {
    button(id).addEventListener("click", () => void attempt(error, action));
}

/** Reports whether the user has cleared the page meanwhile, and so needs no message. */
export const isCleared = (failure: unknown) => (failure as { code?: string }).code === "cleared";

export async function attempt(error: string, action: () => Promise<void> | void): Promise<void> {
    const place = byId(error);
    place.textContent = "";
    try {
        await action();
    } catch (failure) {
        if (isCleared(failure)) return;
        // The message may contain a file's name, or data.
        place.textContent = visible((failure as Error).message);
    }
}

/** Copies text, and confirms it on the button and to screen readers. */
export async function copy(from: HTMLButtonElement, text: string): Promise<void> {
    from.dataset.label ??= from.textContent;
    const done = await written(text);
    from.textContent = done ? "Copied" : "Not copied";
    byId("announced").textContent = done
        ? "Copied."
        : "The browser did not copy it: select the text and copy it by hand.";
    clearTimeout(said.get(from));
    said.set(from, setTimeout(() => {
        from.textContent = from.dataset.label ?? "";
        byId("announced").textContent = "";
    }, 1500));
}

/** The timers that restore the labels of buttons. */
const said = new WeakMap<HTMLButtonElement, ReturnType<typeof setTimeout>>();

/**
 * Writes to the clipboard. Browsers have none for pages over plain HTTP, and may refuse it to
 * others.
 */
async function written(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}

/** Saves a file as a download. */
export function save(name: string, parts: BlobPart[], type = "application/octet-stream"): void {
    const url = URL.createObjectURL(new Blob(parts, { type }));
    const link = h("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const bytesOf = (text: string) => new TextEncoder().encode(text);
