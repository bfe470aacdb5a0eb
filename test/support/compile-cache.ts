const folder = process.env['NODE_COMPILE_CACHE'];

/** Variables for a Node process: where Node caches compiled code, so that programs start faster. */
export const COMPILE_CACHE: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
