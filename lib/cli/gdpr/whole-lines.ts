const LINE_FEED = 0x0a;

/** The same bytes, cut only after line feeds: whoever stops in between has no half line. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const rest: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield Buffer.concat([...rest.splice(0), chunk.subarray(0, end)]);
    if (end < chunk.length) rest.push(chunk.subarray(end));
  }
  if (rest.length > 0) yield Buffer.concat([...rest, Buffer.of(LINE_FEED)]);
}
