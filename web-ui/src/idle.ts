// Clears the page automatically when nobody is there and nothing runs.
import { watchReplies } from "./client.ts";

const signs = ["pointerdown", "keydown", "change", "drop", "wheel", "touchmove", "scroll"];

export function startIdle(clear: () => void): void {
    const minutes = document.getElementById("idle") as HTMLSelectElement;
    let timer = 0;
    const again = () => {
        window.clearTimeout(timer);
        timer = window.setTimeout(clear, Number(minutes.value) * 60_000);
    };
    // Only listeners that capture notice scrolling within the page.
    for (const sign of signs) addEventListener(sign, again, { capture: true, passive: true });
    // A run reports again and again. One that hangs reports nothing, so its keys are cleared too.
    watchReplies(again);
    again();
}
