/** The body of an answer to `fetch`. Rejects with `tooLong()` once it has more than `limit` bytes. */
export async function boundedBody(
  response: Response,
  limit: number,
  tooLong: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  const body: AsyncIterable<Uint8Array> | null = response.body;
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > limit) throw tooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
