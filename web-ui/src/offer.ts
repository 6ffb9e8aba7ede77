// The offer of the example.
import { byId } from "./dom.ts";

/**
 * Withdraws the offer, since the example would replace the user's data or key. Clear offers it
 * again.
 */
export function withdrawExample(): void {
    byId("try").hidden = true;
}
