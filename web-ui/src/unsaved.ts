// The question before a private key is lost that is in no file yet.
import { attempt, button, byId } from "./dom.ts";

/** Whether it may go: `save` has saved it, or the user gives it up. */
export function mayLose(keyId: string, save: () => Promise<void>): Promise<boolean> {
    const dialog = byId<HTMLDialogElement>("unsaved");
    byId("unsaved-id").textContent = keyId;
    return new Promise((resolve) => {
        const answer = (may: boolean) => {
            resolve(may);
            dialog.close();
        };
        button("unsaved-save").onclick = () =>
            void attempt("unsaved-error", async () => {
                await save();
                answer(true);
            });
        button("unsaved-discard").onclick = () => answer(true);
        button("unsaved-back").onclick = () => answer(false);
        // By the Escape key too.
        dialog.onclose = () => resolve(false);
        dialog.showModal();
    });
}
