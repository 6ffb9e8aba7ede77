/** The column of the table that is no member: the opened data itself. */
export const payloadColumn = "payload";
