/**
 * The buffers of the arrays in parts of a message, at any depth, to be transferred to another thread instead of copied: those that
 * one array fills. Shared ones stay where they are.
 */
export function ownBuffers(parts: readonly unknown[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  collect(parts, found);
  return [...found];
}

function collect(part: unknown, found: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(part)) {
    const { buffer, byteLength } = part;
    if (buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength) found.add(buffer);
  } else if (typeof part === 'object' && part !== null) {
    const parts: unknown[] = Object.values(part);
    for (const inner of parts) collect(inner, found);
  }
}
