/**
 * Whether a value takes more bytes as JSON, measured without making the text: what YAML's aliases share counts wherever it
 * stands. It takes no longer than reading so many bytes, even where a value contains itself.
 */
export function isLargerAsJson(value: unknown, bytes: number): boolean {
  const waiting = [value];
  let left = bytes;
  while (waiting.length > 0 && left >= 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) {
      left -= Buffer.byteLength(JSON.stringify(next) ?? 'null');
      continue;
    }
    const members: readonly [string, unknown][] = Object.entries(next);
    left -= 1 + Math.max(1, members.length); // brackets, and commas between members
    for (const [key, member] of members) {
      if (!Array.isArray(next)) left -= Buffer.byteLength(JSON.stringify(key)) + 1;
      waiting.push(member);
    }
  }
  return left < 0;
}
