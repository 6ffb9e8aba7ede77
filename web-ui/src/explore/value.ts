// A value of a column, in a list.
import { reasonOf } from "../counts.ts";
import { chips } from "../shown.ts";
import { inMiddle } from "./middle.ts";
import { most } from "./most.ts";

export const shownValue = (column: string, value: string) =>
    chips(column === "r:result" ? reasonOf(value) : value === "" ? "(empty)" : value, most.value());

/** The same in little room. */
export const shortValue = (column: string, value: string) => shownValue(column, inMiddle(value));
