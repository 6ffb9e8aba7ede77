// Internet addresses and ranges of them, such as 192.0.2.0/24 and 2001:db8::/32.

/** Returns a test for addresses in a range, or undefined if the text is not a range. */
export function rangeOf(text: string): ((address: string) => boolean) | undefined {
    const [, base = "", size = ""] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
    const bytes = bytesOf(base);
    const bits = Number(size);
    if (!bytes || bits > bytes.length * 8) return undefined;
    return (address) => {
        const other = bytesOf(address);
        return other?.length === bytes.length && hasPrefix(other, bytes, bits);
    };
}

function hasPrefix(address: number[], base: number[], bits: number): boolean {
    const [whole, rest] = [bits >> 3, bits & 7];
    for (let i = 0; i < whole; i++) if (address[i] !== base[i]) return false;
    return rest === 0 || (address[whole]! ^ base[whole]!) >> (8 - rest) === 0;
}

/** Returns the bytes of an address: 4, or 16 for IPv6. */
function bytesOf(text: string): number[] | undefined {
    return text.includes(":") ? bytesOfV6(text) : bytesOfV4(text);
}

function bytesOfV4(text: string): number[] | undefined {
    const parts = text.split(".");
    if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part))) return undefined;
    const bytes = parts.map(Number);
    return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function bytesOfV6(text: string): number[] | undefined {
    const [head = "", tail, more] = text.split("::");
    if (more !== undefined) return undefined;
    const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
    if (!before || !after) return undefined;
    const missing = 16 - before.length - after.length;
    if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
    return [...before, ...new Array<number>(missing).fill(0), ...after];
}

/** Returns the bytes of groups between colons, of which the last may be an address of IPv4. */
function groupsOf(text: string): number[] | undefined {
    if (text === "") return [];
    const bytes: number[] = [];
    for (const group of text.split(":")) {
        const last = group.includes(".") ? bytesOfV4(group) : undefined;
        if (!last && !/^[\da-f]{1,4}$/i.test(group)) return undefined;
        const number = parseInt(group, 16);
        for (const byte of last ?? [number >> 8, number & 255]) bytes.push(byte);
    }
    return bytes;
}
