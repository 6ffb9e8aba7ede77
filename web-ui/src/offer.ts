// The offer of the example.
import { byId } from "./dom.ts";

/** The user has data or a key of their own, which the example would replace. Clear offers it again. */
export function withdrawExample(): void {
    byId("try").hidden = true;
}
