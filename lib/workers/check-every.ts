/** Rows, values or persons between two looks at the clock: a look takes as long as some ten of them. */
export const CHECK_EVERY = 4_096;
