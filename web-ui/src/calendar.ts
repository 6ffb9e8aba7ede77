// Calendars of keys: a key pair for each hour, day or week. The library's module `full` has them, in
// whose chunk this is; that cannot import the library, which is the worker's.
import type { Calendar, KeyRing } from "pqseal";
import type { KeyFacts } from "./protocol.ts";

/** The number of ranges of periods that are listed. */
const most = 10;

/** A private or lent calendar, with its text, which helpers read. */
export class HeldCalendar {
    readonly text: Uint8Array<ArrayBuffer>;
    readonly calendar: Calendar;
    keyId: string;

    /** Reads a calendar by the library's class. The caller overwrites the bytes. */
    constructor(file: Uint8Array, library: typeof Calendar) {
        this.text = new Uint8Array(file);
        try {
            this.calendar = library.parse(this.text);
            this.keyId = this.calendar.id.slice(0, 16);
            if (this.calendar.isPrivate) return;
            this.calendar.free();
            const message =
                "This is a public calendar, which only seals. Add the private one, or a lent one.";
            throw Object.assign(new Error(message), { code: "bad_key" });
        } catch (error) {
            this.text.fill(0);
            throw error;
        }
    }

    get kem(): string {
        return this.calendar.kem;
    }

    addTo(ring: KeyRing): void {
        ring.addCalendar(this.calendar);
    }

    /** Frees the keys and overwrites the text. */
    free(): void {
        this.calendar.free();
        this.text.fill(0);
    }

    /**
     * Returns the key in `held` that is the same. Files of one calendar with other periods get
     * another id.
     */
    sameIn<Held extends object>(held: Map<string, Held>): Held | undefined {
        const same = [...held.values()].find((other) =>
            other instanceof HeldCalendar && other.text.length === this.text.length
            && other.text.every((byte, at) => byte === this.text[at])
        );
        for (let number = 2; !same && held.has(this.keyId); number++)
            this.keyId = `${this.calendar.id.slice(0, 16)}-${number}`;
        return same;
    }

    facts(): KeyFacts {
        const [periods, { kem, keyId }] = [this.calendar.periods(), this];
        return {
            kem,
            keyId,
            fingerprint: "",
            publicKey: "",
            calendar: {
                name: this.calendar.name,
                readable: readable(periods),
                keyIds: periods.map((period) => period.keyId),
            },
        };
    }
}

/** Says which periods a calendar can read: 2 of 4 periods: 2026-12-01 to 2026-12-02. */
function readable(periods: { name: string; state: string }[]): string {
    const ranges: string[] = [];
    let begin = -1;
    for (let at = 0; at <= periods.length; at++) {
        const has = periods[at]?.state === "key";
        if (has && begin < 0) begin = at;
        if (has || begin < 0) continue;
        const [from, to] = [periods[begin]!.name, periods[at - 1]!.name];
        ranges.push(from === to ? from : `${from} to ${to}`);
        begin = -1;
    }
    const count = periods.filter(({ state }) => state === "key").length;
    const listed = ranges.length > most
        ? [...ranges.slice(0, most), `${ranges.length - most} more ranges`]
        : ranges;
    return `${count} of ${periods.length} periods${listed.length ? `: ${listed.join(", ")}` : ""}`;
}
