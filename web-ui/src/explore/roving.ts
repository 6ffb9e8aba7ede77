// A list as one stop of the Tab key, in which arrow keys move.

const controls = (
    list: Element,
) => [...list.querySelectorAll<HTMLElement>("button, input, a[href]")];
const steps: Record<string, (at: number, last: number) => number> = {
    ArrowDown: (at, last) => Math.min(at + 1, last),
    ArrowRight: (at, last) => Math.min(at + 1, last),
    ArrowUp: (at) => Math.max(at - 1, 0),
    ArrowLeft: (at) => Math.max(at - 1, 0),
    Home: () => 0,
    End: (_, last) => last,
};

/** Makes a list one stop. Call it again when its controls are others. */
export function oneStop(list: HTMLElement): void {
    const all = controls(list);
    const first = all.find((control) => control === document.activeElement) ?? all[0];
    for (const control of all) control.tabIndex = control === first ? 0 : -1;
    if (list.dataset.stop) return;
    list.dataset.stop = "one";
    list.addEventListener("keydown", move);
    list.addEventListener("focusin", ({ target }) => {
        for (const control of controls(list)) control.tabIndex = control === target ? 0 : -1;
    });
}

function move(event: KeyboardEvent): void {
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const all = controls(event.currentTarget as HTMLElement);
    const at = all.indexOf(event.target as HTMLElement);
    if (at < 0) return;
    event.preventDefault();
    all[step(at, all.length - 1)]!.focus();
}
