// Explore: opened data as a table with figures and filters, or as full payloads. The worker has the
// rows and answers queries.
import { call } from "../client.ts";
import { attempt, button, byId, input, onClick, onSubmit } from "../dom.ts";
import type { Row } from "../protocol.ts";
import { searchForAny } from "../search.ts";
import { payloadColumn } from "../store/payload-column.ts";
import type { Detail, Overview, Query } from "../store/types.ts";
import { plainText, termsOf } from "../terms.ts";
import { visible } from "../visible.ts";
import { showColumns } from "./columns.ts";
import { showFilters } from "./filters.ts";
import { redraw } from "./focus.ts";
import { fileName } from "./filename.ts";
import { firstColumns, firstTops, furtherColumns } from "./labels.ts";
import { notesOf } from "./notes.ts";
import { mostRows, mostText, showPayloads } from "./payloads.ts";
import { startShortcuts } from "./shortcuts.ts";
import { showSide } from "./side.ts";
import { focusTable, markOpened, openNext, showTable, startTable } from "./table.ts";
import { addStyle } from "./style.ts";
import { showTimeline } from "./timeline.ts";
import { inPlace, showTops } from "./tops.ts";
import { type Step, addStep, beginTrail, endTrail, startTrail } from "./trail.ts";
import { closeValues, showValues } from "./values.ts";
import { clearWidths } from "./widths.ts";

type View = "table" | "payloads";

const empty: Query = { filters: [], text: "", regex: false };

let query = empty;
/** The query whose answer is shown. */
let answered = empty;
let overview: Overview | undefined;
/** The times of the last answer for all times. */
let whole: Overview["timeline"];
/** The user's choices; the defaults depend on the events. */
let chosen: { columns?: string[]; tops?: string[]; view?: View | undefined } = {};
let opened: Detail | undefined;
/** Tells whether records are shown as a table. */
let onView: (isTable: boolean) => void;
let reopen: (row: number) => Promise<Row | undefined>;
/** The current question. One more follows if something has changed meanwhile. */
let asking: Promise<void> | undefined;
let again = false;
let isOther = false;
/** Set during a run, whose next answer has more of the same. */
let isGrowing = false;

/**
 * Starts the panel. `ask` reopens one row whose data the worker has not kept, and `tell` is called
 * with the view that is shown.
 */
export function startExplore(ask: typeof reopen, tell: typeof onView): void {
    [reopen, onView] = [ask, tell];
    addStyle();
    startTable({
        lines: (from, to) => call("lines", { from, to, columns: columns() }),
        open: (row) => void attempt("run-error", () => openRow(row)),
        sort,
        order: (columns) => choose({ columns }),
        filter,
    });
    startTrail((step) => void attempt("run-error", () => restore(step)));
    startShortcuts({ step: openNext, closeSide: () => leaveSide() });
    onClick("pin", "run-error", async () => {
        await call("pin", { on: overview?.pinned === undefined });
        await refresh();
    });
    byId("preset").addEventListener("change", () => preset(input("preset").value));
    onClick("to-search", "run-error", () => byId("search").focus());
    onClick("to-records", "run-error", focusTable);
    onSubmit("search-form", "run-error", async () => search());
    onClick("search-cancel", "search-error", cancelSearch);
    byId("search").addEventListener("input", () => void attempt("search-error", search));
    byId("regex").addEventListener("change", () => void attempt("search-error", search));
    byId("add-top").addEventListener("change", () => {
        const { value } = input("add-top");
        if (value) choose({ tops: [...tops(), value] });
    });
    byId("time-column").addEventListener("change", () => takeTimes(input("time-column").value));
    byId("timeline-box").addEventListener("toggle",
        () => overview && showTimeline(overview, selectTimes));
    byId("timeline-log").addEventListener("change",
        () => overview && showTimeline(overview, selectTimes));
    for (const view of ["table", "payloads"] as const)
        onClick(`view-${view}`, "run-error", () => {
            choose({ view });
            addStep(here());
        });
    onClick("side-close", "run-error", leaveSide);
    byId<HTMLDetailsElement>("tops-box").open = isWide();
}

/** The duration of a search, in milliseconds, after which the page shows a note. */
const patience = 200;

/** Reports whether the page is wide, as in style.css. */
const isWide = () => matchMedia("(min-width: 60rem)").matches;

/** Prepares for another input, or the same again: removes filters, and keeps choices. */
export function resetExplore(): void {
    [query, answered, overview, isOther] = [empty, empty, undefined, true];
    whole = undefined;
    input("search").value = "";
    byId<HTMLInputElement>("regex").checked = false;
    closeSide();
    closeValues();
    beginTrail(here());
    byId("explore").hidden = true;
    for (const id of holding) byId(id).replaceChildren();
    // Otherwise the lists of an input with the same columns would not be filled.
    for (const id of ["add-top", "column-list", "time-column"]) delete byId(id).dataset.key;
}

/** The elements that contain text of the input. */
const holding = ["add-top", "column-list", "filters", "head", "lines", "matched", "rows",
    "search-why", "side-data", "side-event", "time-column", "timeline-at", "timeline-figures",
    "timeline-picture", "timeline-span", "tops", "tops-of"];

export function clearExplore(): void {
    chosen = {};
    clearWidths();
    resetExplore();
    endTrail();
}

/** Returns the event's columns in the table. */
const tableColumns = (): string[] => columns().filter((id) => id !== payloadColumn);

/** Returns the columns of CSV: those of the table, the match and the rule's name. */
export const exportedColumns = (): string[] => [
    ...new Set([...tableColumns(), ...furtherColumns(overview?.columns ?? [])]),
];

/** Returns the name of a file of the selected rows, without its ending. */
export const exportName = (input: string): string => fileName(input, query);

/**
 * Asks the worker again and shows the answer. With `growing` more will follow. Resolves when it is
 * shown.
 */
export function refresh(growing = false): Promise<void> {
    [again, isGrowing] = [true, growing];
    return asking ??= draw();
}

async function draw(): Promise<void> {
    try {
        while (again) {
            again = false;
            const before = isGrowing && !isOther ? overview : undefined;
            const now = await selected(query);
            if (!now) continue;
            overview = before ? inPlace(now, before) : now;
            await show(overview);
        }
    } finally {
        asking = undefined;
    }
}

/** Returns the answer, or undefined if another question is pending by now. */
async function selected(asked: Query): Promise<Overview | undefined> {
    const select = (tops: string[]) => call("select", { query: asked, tops });
    const searching = setTimeout(
        () => (byId("searching").hidden = !asked.regex || asked.text === ""),
        patience,
    );
    try {
        let now = await select(tops());
        // The default columns are known from the first answer.
        if (now.tops.length !== tops(now).length) now = await select(tops(now));
        answered = asked;
        return now;
    } catch (error) {
        if (again) return undefined;
        query = answered;
        throw error;
    } finally {
        clearTimeout(searching);
        byId("searching").hidden = true;
    }
}

const cancelSearch = async () => void (await call("cancelSearch", undefined));

async function show(now: Overview): Promise<void> {
    byId("explore").hidden = now.total === 0;
    const view = viewOf(now);
    const isFiltered = query.filters.length > 0 || query.text !== "" || query.time !== undefined;
    byId("matched").textContent = notesOf(now, isFiltered);
    byId("search-why").textContent = visible(now.why.join(" "));
    byId("pinned").textContent = now.pinned === undefined
        ? ""
        : `A has ${
            now.pinned.toLocaleString("en")
        } rows. What is selected now is B: the lists show where both differ most.`;
    button("pin").textContent = now.pinned === undefined ? "Pin as A, to compare" : "Unpin A";
    for (const name of ["table", "payloads"])
        button(`view-${name}`).ariaPressed = String(name === view);
    if (!answered.time) whole = now.timeline;
    onView(view === "table" && now.total > 0);
    byId("table-view").hidden = view !== "table";
    byId("payload-view").hidden = view !== "payloads";
    byId("columns").hidden = view !== "table";
    showFilters(query, now.timeColumn ?? "", ask);
    if (view === "table") return showTableView(now);
    byId("side").hidden = true;
    const details = await call("details", { to: mostRows, most: mostText });
    if (overview !== now) return;
    await showPayloads(details, now.matched, searchIn,
        (row) => void attempt("run-error", () => openRow(row)), () => overview === now && !again);
}

/**
 * Returns an expression for the marks: the searched text, or the texts that a regular expression
 * has found, since that one does not run here.
 */
const searchIn = (
    { hits = [] }: Detail,
) => (query.regex ? searchForAny(hits) : searchForAny(wordsOf(query.text), "giu"));

/** Returns the texts that a search finds, to mark. */
const wordsOf = (text: string): string[] =>
    termsOf(text).filter(({ not, operator = ":" }) =>
        !not && (operator === ":" || operator === "=")
    )
        .flatMap((term) => (term.field === undefined ? [term.text] : [term.text, plainText(term)]));

/** Shows the parts in separate tasks: one task for all of them would block the page. */
async function showTableView(now: Overview): Promise<void> {
    const parts = [
        () => showTimeline(now, selectTimes),
        () =>
            showTops(now, {
                filter,
                remove: (column) => choose({ tops: tops().filter((other) => other !== column) }),
                all: (column) => showValues(column, now.columns, filter),
            }),
        () =>
            showColumns(now.columns, tableColumns(), (shown) =>
                choose({
                    columns: chosen.columns?.includes(payloadColumn)
                        ? [...columns().filter((id) => id === payloadColumn || shown.includes(id)),
                            ...shown.filter((id) => !columns().includes(id))]
                        : shown,
                })),
        () => {
            const other = isOther;
            // Another query may come while the table is drawn.
            isOther = false;
            return showTable(now.matched, columns(), query.sort, other);
        },
    ];
    for (const part of parts) {
        await new Promise((later) => setTimeout(later));
        // Stops if the page was cleared meanwhile, or the input is another.
        if (overview !== now) return;
        await part();
    }
}

const viewOf = ({ columns, total }: Overview): View =>
    chosen.view
        ?? (total > 1 && columns.some(({ group }) => group === "event") ? "table" : "payloads");

/** Returns the columns: time and rule, the payload, then the rest of the event. */
const columns = (): string[] =>
    withPayload(chosen.columns ?? firstColumns(overview?.columns ?? []));

/** Inserts the payload, unless the user has put it somewhere: on a narrow page before all others. */
const withPayload = (ids: string[]): string[] =>
    ids.includes(payloadColumn) ? ids : ids.toSpliced(isWide() ? 2 : 0, 0, payloadColumn);
const tops = (of = overview): string[] => chosen.tops ?? firstTops(of?.columns ?? []);

function choose(more: typeof chosen): void {
    chosen = { ...chosen, ...more };
    void attempt("run-error", () => refresh());
}

function ask(next: Query): void {
    [query, isOther] = [next, true];
    addStep(here());
    void attempt("search-error", () => refresh());
}

/** Sorts: the first click upwards, the second downwards, the third in the order of the file. */
function sort(column: string): void {
    const { sort: before, ...rest } = query;
    if (before?.column !== column) ask({ ...rest, sort: { column, down: false } });
    else ask(before.down ? rest : { ...rest, sort: { column, down: true } });
}

/** Where the user is, for the way back. */
const here = (): Step => ({ query, view: chosen.view, row: opened?.row });

/** Shows again what was left. */
async function restore(step: Step): Promise<void> {
    [query, isOther] = [step.query, true];
    chosen = { ...chosen, view: step.view };
    input("search").value = query.text;
    byId<HTMLInputElement>("regex").checked = query.regex;
    if (step.row === undefined) closeSide();
    await refresh();
    if (step.row !== undefined && step.row !== opened?.row) await showRow(step.row);
}

/** Selects a span by its name. */
function preset(name: string): void {
    input("preset").value = "";
    const timeline = whole;
    if (!timeline) return;
    // The end of a span is not in it.
    const [first, end] = [timeline.first, timeline.last + 1];
    const peak =
        timeline.bins.reduce((a, b) =>
            b.opened + b.failed + b.absent > a.opened + a.failed + a.absent ? b : a
        ).from;
    const spans: Record<string, [number, number]> = {
        hour: [end - 3_600_000, end],
        day: [end - 86_400_000, end],
        "before-day": [end - 2 * 86_400_000, end - 86_400_000],
        before: [first, peak],
        after: [peak, end],
    };
    const span = spans[name];
    if (span) selectTimes(...span);
}

function selectTimes(from: number, to: number): void {
    ask({ ...query, time: [from, to] });
}

/** Takes times from another column, and drops a span, which was of the earlier one. */
function takeTimes(timeColumn: string): void {
    const { time: _, ...rest } = query;
    ask({ ...rest, timeColumn });
}

/** Filters by a value. If it was filtered by already, the new sense applies. */
function filter(column: string, value: string, not: boolean): void {
    const others = query.filters.filter((one) => one.column !== column || one.value !== value);
    ask({ ...query, filters: [...others, { column, value, not }] });
}

async function search(): Promise<void> {
    const [text, regex] = [input("search").value, byId<HTMLInputElement>("regex").checked];
    byId("search-error").textContent = "";
    if (text === query.text && regex === query.regex) return;
    [query, isOther] = [{ ...query, text, regex }, true];
    addStep(here(), true);
    const isBusy = asking !== undefined;
    const shown = refresh();
    // A search that is no longer wanted may take long.
    if (isBusy) await cancelSearch();
    await shown;
}

async function openRow(row: number): Promise<void> {
    await showRow(row);
    if (opened?.row === row) addStep(here());
}

async function showRow(row: number): Promise<void> {
    const detail = await call("detail", { row });
    if (!detail) return;
    opened = detail;
    if (detail.result.ok && !detail.result.held) await openAgain(detail);
    showOpened();
    markOpened(row);
    if (!isWide()) byId("side").scrollIntoView();
}

function showOpened(): void {
    if (!opened) return;
    const detail = opened;
    const readAgain = async () => {
        await openAgain(detail);
        showOpened();
    };
    redraw("side", () =>
        showSide(detail, searchIn(detail), {
            filter,
            reopen: () => void attempt("run-error", readAgain),
        }));
}

/** Opens a row again, with all members of its record. */
async function openAgain(detail: Detail): Promise<void> {
    const found = await reopen(detail.row);
    if (!found || opened?.row !== detail.row) return;
    const result = found.result.ok ? { ...found.result, held: true } : detail.result;
    opened = {
        ...detail,
        result,
        ...(found.event && { event: found.event, held: detail.event }),
        isWhole: true,
    };
}

function leaveSide(): void {
    if (!opened) return;
    closeSide();
    addStep(here());
}

function closeSide(): void {
    const isFocused = byId("side").contains(document.activeElement);
    opened = undefined;
    byId("side").hidden = true;
    if (isFocused) focusTable();
    markOpened(undefined);
}
