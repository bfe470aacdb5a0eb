/** For tests of pools: a thread whose tasks answer how many of those before them have seen its event loop turn. */
let turned = 0;

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function countTurns(): number {
  setImmediate(() => turned++);
  return turned;
}
