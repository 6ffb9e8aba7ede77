// Starts the page: its panels, its clearing, its proof.
import "./style.css";
import { startCheck } from "./check.ts";
import { clear, end } from "./client.ts";
import { byId, onClick } from "./dom.ts";
import { startIdle } from "./idle.ts";
import { clearInspect, startInspect } from "./inspect.ts";
import { clearKeys, startKeys } from "./keys.ts";
import { clearMake, startMake } from "./make.ts";
import { clearOpen, startOpen } from "./open.ts";
import { clearSeal, startSeal } from "./seal.ts";

startPanels();
startKeys();
startOpen();
startMake();
startInspect();
startSeal();
startCheck();
startIdle(() => clearAll("Cleared after idle time."));
onClick("clear", "key-error", () => clearAll("Cleared. No key yet."));
addEventListener("pagehide", end);
// A page that the browser had frozen comes back without its worker, and so begins anew.
addEventListener("pageshow", ({ persisted }) => persisted && clearAll("Cleared on leaving the page."));

function clearAll(why: string): void {
    clear();
    clearKeys(why);
    clearOpen();
    clearMake();
    clearInspect();
    clearSeal();
}

function startPanels(): void {
    const buttons = [...document.querySelectorAll<HTMLButtonElement>("nav button")];
    for (const button of buttons) {
        button.addEventListener("click", () => {
            for (const other of buttons) {
                byId(other.dataset.panel ?? "").hidden = other !== button;
                other.ariaCurrent = other === button ? "page" : null;
            }
        });
    }
}
