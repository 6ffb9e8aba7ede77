// The selected rows as a table of which only the visible lines exist. It scrolls by whole rows, so
// a million fit, although browsers limit the height of elements.
import { type Child, byId, fill, h, press } from "../dom.ts";
import { plainName } from "../names.ts";
import { chips } from "../shown.ts";
import { payloadColumn } from "../store/payload-column.ts";
import type { Line, Query } from "../store/types.ts";
import { keyed, redraw } from "./focus.ts";
import { visible } from "../visible.ts";
import { inMiddle } from "./middle.ts";
import { most } from "./most.ts";
import { named } from "./named.ts";
import { pickable, startPicks } from "./picks.ts";
import { oneStop } from "./roving.ts";
import { showRows } from "./rows.ts";
import { columnWidth, leastWidth, movable, resizable } from "./widths.ts";

/** The height of a row in pixels, as in style.css. */
const rowHeight = 34;
/** The longest title, in characters. */
const longestTitle = 500;
/** The maximum height in pixels. Browsers limit it to some 17 million. */
const highest = 8_000_000;
/** The width of the column of numbers, in rem. */
const numberWidth = 4.5;

interface TableActions {
    lines(from: number, to: number): Promise<Line[]>;
    open(row: number): void;
    sort(column: string): void;
    order(columns: string[]): void;
    filter(column: string, value: string, not: boolean): void;
}

let actions: TableActions;
let [total, top, active, version] = [0, 0, 0, 0];
let columns: string[] = [];
let opened: number | undefined;
/** The lines in view. */
let shown: Line[] = [];

const box = () => byId("grid");
/** Returns the number of lines that fit below the head. */
const fits = () => Math.max(1, Math.floor((box().clientHeight - rowHeight) / rowHeight));

export function startTable(given: TableActions): void {
    actions = given;
    startPicks((...filter) => actions.filter(...filter));
    box().addEventListener("scroll", () => void draw(), { passive: true });
    box().addEventListener("keydown", move);
    new ResizeObserver(() => void draw()).observe(box());
}

/** Shows the table. Another selection begins at its top; more of the same keeps its position. */
export async function showTable(now: number, shown: string[], sort: Query["sort"],
    isOther: boolean): Promise<void>
{
    [total, columns] = [now, shown];
    byId("sizer").style.height = `${Math.min((total + 1) * rowHeight, highest)}px`;
    byId("table").ariaRowCount = String(total + 1);
    head(sort);
    if (isOther) [box().scrollTop, active] = [0, 0];
    await draw();
}

export function markOpened(row: number | undefined): void {
    opened = row;
    void draw();
}

function head(sort: Query["sort"]): void {
    const cells = columns.map((id) => {
        const th = h("th", "");
        th.scope = "col";
        th.title = id === payloadColumn ? "" : plainName(id);
        const isSorted = sort?.column === id;
        if (isSorted) th.ariaSort = sort.down ? "descending" : "ascending";
        const label = id === payloadColumn ? "Opened data" : named(id);
        const button = press("sort", label, () => actions.sort(id));
        if (id === payloadColumn) button.title = "Click to sort, drag to move";
        th.append(keyed(button, id));
        resizable(th, id, setWidths);
        movable(th, id, columns, (order) => actions.order(order));
        return th;
    });
    const number = h("th", "number", "No.");
    number.scope = "col";
    redraw("head", () => {
        fill(byId("head"), [number, cells]);
        oneStop(byId("head"));
    });
    setWidths();
}

function setWidths(): void {
    const wide = columns.map((id) => {
        const [col, width] = [h("col"), columnWidth(id)];
        if (width !== undefined) col.style.width = `${width}rem`;
        return col;
    });
    const first = h("col");
    first.style.width = `${numberWidth}rem`;
    fill(byId("widths"), [first, wide]);
    const sum = columns.reduce((rem, id) => rem + leastWidth(id), numberWidth);
    byId("table").style.minWidth = `${sum}rem`;
}

/** Draws the lines from the scroll position on. */
async function draw(): Promise<void> {
    if (byId("explore").hidden || byId("table-view").hidden) return;
    const mine = ++version;
    const visible = fits();
    const { scrollTop, scrollHeight, clientHeight } = box();
    const room = Math.max(1, scrollHeight - clientHeight);
    top = Math.min(Math.max(0, total - visible),
        Math.round((scrollTop / room) * Math.max(0, total - visible)));
    const lines = await actions.lines(top, top + visible);
    if (mine !== version) return;
    shown = lines;
    const isFocused = byId("lines").contains(document.activeElement);
    active = Math.min(Math.max(active, top), Math.max(top, top + lines.length - 1));
    await showRows(byId("lines"), lines, (line, i) => row(line, top + i), () => mine === version);
    if (isFocused && mine === version) focusTable();
}

function row(line: Line, at: number): HTMLTableRowElement {
    const button = h("button", "open-row", line.record.toLocaleString("en"));
    button.type = "button";
    button.ariaLabel = `Show record ${line.record}`;
    button.tabIndex = at === active ? 0 : -1;
    const cells = columns.map((id) => {
        if (id === payloadColumn) return h("td", gistClass[line.state], gist(line.gist));
        const text = line.cells[columns.indexOf(id)];
        // No filter finds rows without a member.
        if (text === undefined) return h("td");
        const cell = h("td", "", chips(inMiddle(text), most.value()));
        cell.title = visible(text.slice(0, longestTitle));
        pickable(cell, { column: id, value: line.values?.[columns.indexOf(id)] ?? text });
        return cell;
    });
    const tr = h("tr", line.row === opened ? "opened" : "", h("td", "number", button), cells);
    tr.ariaRowIndex = String(at + 2);
    tr.addEventListener("click", () => {
        active = at;
        actions.open(line.row);
    });
    return tr;
}

const gistClass = { opened: "gist", failed: "gist error", absent: "gist hint" };

const gist = ([before, match, after]: Line["gist"]): Child =>
    match === ""
        ? chips(before + after)
        : [chips(before), h("mark", "hit", chips(match)), chips(after)];

/** Opens the record after or before the one that is open, or the one that was chosen last. */
export function openNext(by: 1 | -1): void {
    const at = opened === undefined ? active : active + by;
    if (at < 0 || at >= total) return;
    active = at;
    void reveal().then(() => {
        const row = shown[active - top];
        if (row) actions.open(row.row);
    });
}

/** Scrolls so that the active line is there. */
async function reveal(): Promise<void> {
    if (active >= top && active < top + fits()) return;
    const last = Math.max(1, total - fits());
    const first = Math.min(last, active < top ? active : active - fits() + 1);
    box().scrollTop = (first / last) * (box().scrollHeight - box().clientHeight);
    await draw();
}

/** Handles arrow keys, page keys, Home and End, which move through all rows, visible or not. */
function move(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
        ArrowDown: 1,
        ArrowUp: -1,
        PageDown: fits(),
        PageUp: -fits(),
        Home: -Infinity,
        End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || !byId("lines").contains(event.target as Node)) return;
    event.preventDefault();
    active = Math.min(total - 1, Math.max(0, active + step));
    if (active >= top && active < top + fits()) return focusActive();
    void reveal();
}

/** Focuses the line that was chosen last, if it is visible. */
export function focusTable(): void {
    focusActive();
    if (!byId("lines").contains(document.activeElement)) byId("search").focus();
}

function focusActive(): void {
    const buttons = byId("lines").querySelectorAll<HTMLButtonElement>(".open-row");
    buttons.forEach((button, i) => (button.tabIndex = top + i === active ? 0 : -1));
    buttons[active - top]?.focus({ preventScroll: true });
}
