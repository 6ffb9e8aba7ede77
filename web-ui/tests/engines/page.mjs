// A page in WebKit: calls of functions in it, and the events by which Playwright follows which
// document it shows.
import { realm } from "./realm.mjs";

const gone = () =>
    Object.assign(new Error("the document is another one now"), { code: "no such frame" });
const begin = `(${realm})(); return [__pqseal_test_realm.id, location.href];`;

export class Page {
    #send;
    #event;
    #url = "about:blank";
    #document = "";
    #navigations = 0;

    /**
     * @param {(method: string, path: string, body?: object) => Promise<any>} send
     * @param {string} handle
     * @param {string} userContext
     * @param {(method: string, params: object) => void} event
     */
    constructor(send, handle, userContext, event) {
        this.#send = send;
        this.handle = handle;
        this.userContext = userContext;
        this.#event = (/** @type {string} */ name, /** @type {object} */ params = {}) =>
            event(name, { context: handle, timestamp: Date.now(), ...params });
    }

    /** @param {string} method @param {string} path @param {object=} body */
    async send(method, path, body) {
        if (Page.#shown !== this.handle)
            await this.#send("POST", "/window", { handle: this.handle });
        Page.#shown = method === "DELETE" ? "" : this.handle;
        return this.#send(method, path, body);
    }
    static #shown = "";

    /** Makes the document ready for calls, and says that it is there. */
    async begin() {
        const [document, url] = await this.send("POST", "/execute/sync", {
            script: begin,
            args: [],
        });
        if (document === this.#document) return this.#moved(url);
        const navigation = `navigation-${this.handle}-${++this.#navigations}`;
        this.#event("browsingContext.navigationStarted", { navigation, url });
        if (this.#document)
            this.#event("script.realmDestroyed", { realm: this.#document, context: undefined });
        this.#event("browsingContext.navigationCommitted", { navigation, url });
        this.#document = document;
        this.#url = url;
        this.#event("script.realmCreated", { realm: document, origin: url, type: "window" });
        this.#event("browsingContext.domContentLoaded", { navigation, url });
        this.#event("browsingContext.load", { navigation, url });
    }

    /** @param {string} url */
    #moved(url) {
        if (url === this.#url) return;
        this.#url = url;
        this.#event("browsingContext.historyUpdated", { url });
    }

    /** @param {string} url */
    async navigate(url) {
        await this.send("POST", "/url", { url });
        // Another part of the same document is no navigation.
        const same = this.#document
            && this.#document
                === (await this.send("POST", "/execute/sync", {
                    script: "return globalThis.__pqseal_test_realm?.id",
                    args: [],
                }));
        return {
            navigation: same ? null : `navigation-${this.handle}-${this.#navigations + 1}`,
            url,
            after: () => this.begin(),
        };
    }

    /** @param {string} path */
    async travel(path) {
        await this.send("POST", path, {});
        await this.begin();
        return {};
    }

    /** @param {{ width: number, height: number }} size */
    async resize({ width, height }) {
        let [x, y] = [width, height];
        for (let i = 0; i < 3; i++) {
            await this.send("POST", "/window/rect", { x: 0, y: 0, width: x, height: y });
            const [innerWidth, innerHeight] = await this.send("POST", "/execute/sync", {
                script: "return [innerWidth, innerHeight]",
                args: [],
            });
            if (innerWidth === width && innerHeight === height) return {};
            [x, y] = [x + width - innerWidth, y + height - innerHeight];
        }
        return {};
    }

    /**
     * What the page's policy does not let `eval` compile, WebDriver compiles: Playwright's own
     * code, and what that asks for meanwhile.
     * @param {string} code @param {any[]} values @param {any} params
     */
    async call(code, values, { awaitPromise, resultOwnership, serializationOptions }) {
        const how = {
            wait: awaitPromise,
            own: resultOwnership === "root",
            deep: serializationOptions?.maxObjectDepth !== 0,
        };
        const compile = /** @type {string[]} */ (values.slice(3, 4).flatMap((
            { type, value },
        ) => (type === "string" ? [value] : [])));
        for (;;) {
            const codes = compile.map((code, i) =>
                `r.compile(arguments[2][${i}], () => (\n${code}\n));`
            );
            const found = await this.#run(codes.join("\n"),
                `r.start(${code}, arguments[0], arguments[1])`, [values, how, compile]);
            if (found.code === undefined)
                return found.thrown === undefined
                    ? { type: "success", realm: this.#document, result: found.result }
                    : {
                        type: "exception",
                        realm: this.#document,
                        exceptionDetails: { text: found.thrown },
                    };
            compile.push(found.code);
        }
    }

    /**
     * Starts something in the page, and waits for its result. @param {string} prepare @param
     * {string} start @param {unknown[]} args
     */
    async #run(prepare, start, args) {
        let found = await this.#ask(prepare, start, args);
        while (!("result" in found || "thrown" in found || "code" in found))
            found = await this.#ask("", "arguments[0]", [found.id]);
        return found;
    }

    /** @param {string} prepare @param {string} id @param {unknown[]} args */
    async #ask(prepare, id, args) {
        const script =
            `const done = arguments[arguments.length - 1], r = globalThis.__pqseal_test_realm;
            if (!r) return done({ missing: true });
            ${prepare}
            const id = ${id};
            r.result(id).then((found) => done({ ...found, id, url: location.href, document: r.id }));`;
        const found = await this.send("POST", "/execute/async", { script, args });
        if (found.missing || found.document !== this.#document) {
            await this.begin();
            throw gone();
        }
        this.#moved(found.url);
        return found;
    }

    /** @param {string[]} ids */
    async disown(ids) {
        await this.send("POST", "/execute/sync", {
            script: "globalThis.__pqseal_test_realm?.disown(arguments[0])",
            args: [ids],
        });
        return {};
    }

    /** @param {string} id @param {string[]} files */
    async setFiles(id, files) {
        const element = await this.send("POST", "/execute/sync", {
            script: "return __pqseal_test_realm.element(arguments[0])",
            args: [id],
        });
        await this.send("POST", `/element/${Object.values(element)[0]}/value`, {
            text: files.join("\n"),
        });
        return {};
    }
}
