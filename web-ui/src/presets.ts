// The fields of each source of logs, with the kind of their values.
import type { SealedKind } from "pqseal/sealed";

/** The fields by the kind of their values. Matched data is detected, as any other kind is. */
const presets = {
    "matched-data": ["encrypted_matched_data", "matched_vars"],
    "ai-gateway": ["Metadata", "RequestBody", "ResponseBody"],
    "agent-receipt": ["parameters_disclosure", "response_disclosure"],
} as const;

export type Preset = keyof typeof presets;

/** Returns the fields of a preset as text. */
export const fieldsOf = (preset: Preset): string => presets[preset].join(", ");

/** Returns the preset with these fields. */
export const presetOf = (fields: string[]): Preset | undefined =>
    (Object.keys(presets) as Preset[]).find((name) => presets[name].join() === fields.join());

/** Returns the kind of all values in these fields. Without one, each value's kind is detected. */
export function kindOf(fields: string[]): SealedKind | undefined {
    const preset = presetOf(fields);
    return preset === "matched-data" ? undefined : preset;
}
