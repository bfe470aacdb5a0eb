/** Rows, values or persons between two looks at the clock: a look takes as long as some ten of them. */
export const CHECK_EVERY = 4_096;

/** Rows at a time: what is read and computed of them stays in the processor's first cache. */
export const BLOCK_ROWS = 4_096;
