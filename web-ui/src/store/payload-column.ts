/** The id of the column for the opened data itself, which is not a member. */
export const payloadColumn = "payload";
