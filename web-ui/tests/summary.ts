// The last line, as every check of the project prints it.
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

export default class Summary implements Reporter {
    #results = new Map<TestCase, TestResult["status"]>();

    onTestEnd(test: TestCase, { status }: TestResult) {
        this.#results.set(test, status);
    }

    onEnd() {
        const passed = [...this.#results.values()].filter((status) => status === "passed").length;
        console.log(`${passed} passed, ${this.#results.size - passed} failed`);
    }
}
