/** The beginning of a stream, and all of it. An empty stream begins with no bytes. */
export async function peek(
  chunks: AsyncIterable<Buffer>,
): Promise<{ readonly first: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const rest = chunks[Symbol.asyncIterator]();
  // A first chunk may be one byte long, and signatures are longer.
  let first: Buffer = Buffer.alloc(0);
  let isOver = false;
  while (!isOver && first.length < ENOUGH) {
    const next = await rest.next();
    if (next.done === true) isOver = true;
    else first = first.length === 0 ? next.value : Buffer.concat([first, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (first.length > 0) yield first;
      if (isOver) return;
      for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
    } finally {
      await rest.return?.();
    }
  }
  return { first, all: all() };
}

/** Bytes: of every signature that is looked for, and of a first line's beginning. */
const ENOUGH = 512;
