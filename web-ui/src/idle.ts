// Clears automatically when nobody is there, and nothing is at work.
import { watchReplies } from "./client.ts";

const signs = ["pointerdown", "keydown", "change", "drop", "wheel", "touchmove", "scroll"];

export function startIdle(clear: () => void): void {
    const minutes = document.getElementById("idle") as HTMLSelectElement;
    let timer = 0;
    const again = () => {
        window.clearTimeout(timer);
        timer = window.setTimeout(clear, Number(minutes.value) * 60_000);
    };
    // What scrolls within the page tells only listeners that capture.
    for (const sign of signs) addEventListener(sign, again, { capture: true, passive: true });
    // During a run the worker reports again and again. One that stands still reports nothing, and its keys are cleared too.
    watchReplies(again);
    again();
}
