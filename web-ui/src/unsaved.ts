// The question before the loss of a private key that is not saved.
import { attempt, button, byId } from "./dom.ts";

/** Resolves to true if it may be lost: `save` has saved it, or the user gives it up. */
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
        // The Escape key closes it too.
        dialog.onclose = () => resolve(false);
        dialog.showModal();
    });
}
