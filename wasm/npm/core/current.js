// The functions and classes of the module in use: `core`, or `full` once it is loaded. An object
// goes on with the module that made it.
import * as core from "./core.js";

export { PqsealError } from "./core.js";

let current = core;

export function use(module) {
    current = module;
}

/** A class of whichever module is in use. The objects are that module's own. */
const made = (name) =>
    class {
        constructor(...inputs) {
            return new current[name](...inputs);
        }
        static [Symbol.hasInstance](value) {
            return value instanceof core[name] || value instanceof current[name];
        }
    };

export class Calendar extends made("Calendar") {
    static parse(...inputs) {
        return current.Calendar.parse(...inputs);
    }
}

export class KeyRing extends made("KeyRing") {}
export class Suite extends made("Suite") {}
export class SenderContext extends made("SenderContext") {}
export class RecipientContext extends made("RecipientContext") {}
export class PrivateKey extends made("PrivateKey") {
    static parse(...inputs) {
        return current.PrivateKey.parse(...inputs);
    }
    static deserialize(...inputs) {
        return current.PrivateKey.deserialize(...inputs);
    }
}

export class PublicKey extends made("PublicKey") {
    static parse(...inputs) {
        return current.PublicKey.parse(...inputs);
    }
    static deserialize(...inputs) {
        return current.PublicKey.deserialize(...inputs);
    }
}

export const derivePublicKey = (...inputs) => current.derivePublicKey(...inputs);
export const faults = () => current.faults();
export const generateKeyPair = (...inputs) => current.generateKeyPair(...inputs);
export const inspect = (...inputs) => current.inspect(...inputs);
export const open = (...inputs) => current.open(...inputs);
export const seal = (...inputs) => current.seal(...inputs);
export const suites = () => current.suites();
