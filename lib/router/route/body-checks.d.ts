/** The compiled schemas of bodies. scripts/body-checks.mjs writes the file that this describes, when the program is built. */
import type { ValidateFunction } from 'ajv';

/** Checks a body of this name. */
export function checkOf<T>(name: string): ValidateFunction<T>;
