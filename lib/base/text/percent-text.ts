/** A share with one decimal; two significant digits for one too small for that; empty for NaN and infinities. */
export function percentText(ratio: number): string {
  if (!Number.isFinite(ratio)) return '';
  const percent = ratio * 100;
  const isTiny = percent !== 0 && Math.abs(percent) < 0.05;
  return `${isTiny ? Number(percent.toPrecision(2)) : percent.toFixed(1)} %`;
}

/** `45 (12.3 %)`: persons of a period and their share of the cohort. */
export function shareText(persons: number, cohort: unknown): string {
  return typeof cohort === 'number' && cohort > 0 ? `${persons} (${percentText(persons / cohort)})` : String(persons);
}
