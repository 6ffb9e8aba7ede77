// The start of the page: its panels, clearing, and the proof that it sends nothing.
import "./style.css";
import { startCheck } from "./check.ts";
import { clear, end, watchWorker } from "./client.ts";
import { byId, onClick } from "./dom.ts";
import { clearExample, startExample } from "./example.ts";
import { clearFiles, startFiles } from "./files.ts";
import { startIdle } from "./idle.ts";
import { clearInspect, startInspect } from "./inspect.ts";
import { clearKeys, startKeys } from "./keys.ts";
import { clearMake, hasUnsaved, hidePrivate, mayLoseMade, restoreUnsaved, startMake,
    takeUnsaved } from "./make.ts";
import { clearOpen, hasOpened, startOpen } from "./open.ts";
import { startPanels } from "./panels.ts";
import { clearSeal, startSeal } from "./seal.ts";
import { startSummary } from "./summary.ts";
import { startTheme } from "./theme.ts";

startPanels();
startSummary();
startKeys();
startOpen();
startMake();
startInspect();
startSeal();
startFiles();
startCheck();
startTheme();
startExample();
startIdle(() => void clearIdle("Cleared after idle time."));
onClick("clear", "key-error", async () => {
    if (await mayLoseMade()) clearAll("Cleared. No key yet.");
});
watchWorker((message) => (byId("broken").textContent = message));
addEventListener("beforeunload",
    (event) => (hasUnsaved() || hasOpened()) && event.preventDefault());
addEventListener("pagehide", end);
// A page that the browser had frozen comes back without its worker, and starts again.
addEventListener("pageshow",
    ({ persisted }) => persisted && clearAll("Cleared on leaving the page."));

function clearAll(why: string): void {
    clearSecrets(why);
    clearMake();
    clearFields();
}

/**
 * Clears without asking, since nobody is there. A private key that is not saved yet is kept, in a
 * new worker.
 */
async function clearIdle(why: string): Promise<void> {
    // A worker that does not answer is ended, too.
    const silence = new Promise<undefined>((resolve) => setTimeout(resolve, 5000));
    const kept = hasUnsaved()
        ? await Promise.race([takeUnsaved().catch(() => undefined), silence])
        : undefined;
    if (!kept) return clearAll(why);
    clearSecrets(`${why} The private key that you made was kept, since it is not saved yet.`);
    hidePrivate();
    clearFields("made-public");
    await restoreUnsaved(kept);
}

function clearSecrets(why: string): void {
    byId("broken").textContent = "";
    clear();
    clearKeys(why);
    clearOpen();
    clearExample();
    clearInspect();
    clearSeal();
    clearFiles();
}

/** Clears all text on the page except the names of members. */
function clearFields(kept = ""): void {
    for (
        const field of document.querySelectorAll<HTMLInputElement>(
            "input:not([type=checkbox]), textarea",
        )
    )
        if (![kept, "fields"].includes(field.id)) field.value = "";
}
