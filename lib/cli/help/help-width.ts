const MAX = 110;

/** Columns of a command's help: as many as the terminal has, up to what reads well. */
export const helpWidth = (): number => Math.min(process.stdout.columns ?? MAX, MAX);
