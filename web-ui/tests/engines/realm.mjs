// Runs in the page: calls functions for Playwright, keeps what it holds handles of, and says values
// as WebDriver BiDi does. WebDriver sends this function's text; it may use nothing from outside of
// itself.

export function realm() {
    const own = "__pqseal_test_realm";
    if (Object.hasOwn(globalThis, own)) return;
    /** @type {Map<string, any>} */
    const held = new Map();
    /** @type {Map<string, () => any>} */
    const compiled = new Map();
    /** @type {Map<string, Promise<any>>} */
    const running = new Map();
    const { setTimeout, Promise, JSON, Object: objects } = globalThis;
    const evaluate = globalThis.eval;
    let last = 0;

    /**
     * Code that the page's policy does not let `eval` compile: WebDriver is asked for it, and the
     * call begins again.
     */
    class NeedsCode {
        constructor(/** @type {string} */ code) {
            this.code = code;
        }
    }
    const through = (/** @type {string} */ code) => {
        const known = compiled.get(code);
        if (known) return known();
        throw new NeedsCode(code);
    };

    const hold = (/** @type {any} */ value) => {
        const id = String(++last);
        held.set(id, value);
        return id;
    };
    const isNode = (/** @type {any} */ value) => value instanceof Node;

    /** @param {any} value @param {{ deep: boolean, own: boolean }} how @returns {any} */
    const say = (value, how, /** @type {Map<any, string>} */ seen = new Map()) => {
        if (value === undefined) return { type: "undefined" };
        if (value === null) return { type: "null" };
        if (typeof value === "string" || typeof value === "boolean")
            return { type: typeof value, value };
        if (typeof value === "bigint") return { type: "bigint", value: String(value) };
        if (typeof value === "number")
            return {
                type: "number",
                value: Number.isFinite(value) && !Object.is(value, -0)
                    ? value
                    : Object.is(value, -0)
                    ? "-0"
                    : String(value),
            };
        const handle = how.own && seen.size === 0 ? { handle: hold(value) } : {};
        if (typeof value === "function" || typeof value === "symbol")
            return { type: typeof value, ...handle };
        if (value === globalThis) return { type: "window", value: { context: "main" }, ...handle };
        if (isNode(value))
            return { type: "node", value: {}, sharedId: handle.handle ?? hold(value), ...handle };
        if (value instanceof Promise) return { type: "promise", ...handle };
        if (value instanceof Error) return { type: "error", ...handle };
        const id = seen.get(value);
        if (id !== undefined || !how.deep)
            return { type: Array.isArray(value) ? "array" : "object", internalId: id, ...handle };
        const internalId = String(seen.size + 1);
        seen.set(value, internalId);
        if (Array.isArray(value))
            return {
                type: "array",
                value: value.map((one) => say(one, how, seen)),
                internalId,
                ...handle,
            };
        return {
            type: "object",
            value: objects.entries(value).map(([name, one]) => [name, say(one, how, seen)]),
            internalId,
            ...handle,
        };
    };

    /** @param {any} argument @returns {any} */
    const read = (argument) => {
        const id = argument.handle ?? argument.sharedId;
        if (id !== undefined) {
            if (!held.has(id)) throw new Error("no such handle");
            return held.get(id);
        }
        switch (argument.type) {
            case "undefined":
                return undefined;
            case "null":
                return null;
            case "number":
                return Number(argument.value);
            case "bigint":
                return BigInt(argument.value);
            case "array":
                return argument.value.map(read);
            case "object":
                return objects.fromEntries(
                    argument.value.map((
                        /** @type {any[]} */ [name, one],
                    ) => [typeof name === "string" ? name : read(name), read(one)]),
                );
            case "regexp":
                return new RegExp(argument.value.pattern, argument.value.flags);
            case "date":
                return new Date(argument.value);
            default:
                return argument.value;
        }
    };

    /**
     * @param {(...values: any[]) => any} call @param {any[]} values @param {{ deep: boolean, own:
     * boolean, wait: boolean }} how
     */
    const run = async (call, values, how) => {
        try {
            globalThis.eval = through;
            let value;
            try {
                value = call(...values.map(read));
            } finally {
                globalThis.eval = evaluate;
            }
            // An answer in an object: a promise would else be waited for in any case.
            return { result: say(how.wait ? await value : value, how) };
        } catch (error) {
            if (error instanceof NeedsCode) return { code: error.code };
            return {
                thrown: error instanceof Error
                    ? `${error.name}: ${error.message}\n${error.stack}`
                    : String(error),
            };
        }
    };

    /** How Playwright fills a field. Its own comes too late here. */
    Object.defineProperty(globalThis, "__pw_bidiInsertText", {
        configurable: true,
        writable: true,
        value: (/** @type {string} */ text) => {
            const field = /** @type {HTMLTextAreaElement} */ (document.activeElement);
            field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
            field.dispatchEvent(
                new InputEvent("input", { bubbles: true, data: text, inputType: "insertText" }),
            );
        },
    });

    Object.defineProperty(globalThis, own, {
        configurable: true,
        value: {
            id: `${Date.now()}-${Math.random()}`,
            compile: (/** @type {string} */ code, /** @type {() => any} */ function_) =>
                compiled.set(code, function_),
            element: (/** @type {string} */ id) => held.get(id),
            disown: (/** @type {string[]} */ ids) => ids.forEach((id) => held.delete(id)),
            start: (/** @type {any} */ call, /** @type {any[]} */ values,
                /** @type {any} */ how) =>
            {
                const id = String(++last);
                running.set(id, run(call, values, how));
                return id;
            },
            /**
             * The result, or nothing if there is none within a moment: commands wait for each
             * other, so none may take long.
             */
            result: async (/** @type {string} */ id) => {
                const done = await Promise.race([running.get(id),
                    new Promise((resolve) => setTimeout(resolve, 30))]);
                if (done) running.delete(id);
                return done;
            },
        },
    });
}
