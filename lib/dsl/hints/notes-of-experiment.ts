/** Notes on an experiment: who counts for none, whether variants were handed out evenly, and the verdict. */
import { percentText } from '../../base/text/percent-text.ts';
import type { ChoicePlan, Plan } from '../plan/plan.ts';
import { sampleRatioP, SIGNIFICANT } from '../plan/statistics.ts';
import type { Experiment, Observations, Verdict } from '../plan/table.ts';
import { shortened } from '../../base/text/shown.ts';

/** A usual threshold for a warning: a fair split looks like this once in a hundred times. */
const MISMATCH = 0.01;
/** Variants that a note names. */
const MOST_VARIANTS = 10;

export function notesOfExperiment({ experiment }: Observations, plan: Plan): readonly string[] {
  if (experiment === undefined || plan.kind !== 'choice') return [];
  const { variants, several, verdicts, tables } = experiment;
  const given = verdicts.filter((verdict) => verdict !== null);
  const beyond = tables - verdicts.length;
  return [
    ...(several > 0 ? [`${several} saw several variants and count for none.`] : []),
    ...noteOfRatio(experiment, plan),
    ...given.map((verdict) => noteOfVerdict(verdict, plan, variants.length > 2)),
    ...(beyond > 0
      ? [`Only the first ${verdicts.length} groups have a verdict here; \`p_value\` has those of all.`]
      : []),
  ];
}

/** How the variants were handed out shows only where no condition chooses among those who saw them. */
function noteOfRatio({ variants }: Experiment, { where }: ChoicePlan): string[] {
  const p = where === null ? sampleRatioP(variants.map(({ users }) => users)) : null;
  if (p === null) return [];
  const named = variants.slice(0, MOST_VARIANTS).map(({ variant, users }) => `${nameOf(variant)} ${users}`);
  const rest = variants.length - named.length;
  const shares = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  const result =
    p < MISMATCH
      ? 'a mismatch: the variants were not handed out evenly, so compare with care'
      : 'no sign of a mismatch';
  return [`Sample ratio (${shares}; equal shares expected): ${result} (p = ${p.toPrecision(3)}).`];
}

const nameOf = (variant: string): string => (variant === '' ? '""' : shortened(variant));

/** `Verdict: new is above control: 26.8 % against 23.2 %, a difference of 3.6 points (95 % interval 0.2 to 7.1, p = 0.0412).` */
function noteOfVerdict(verdict: Verdict, plan: ChoicePlan, isAdjusted: boolean): string {
  const { values, interval, p } = verdict;
  const printed = plan.metrics.length === 0 ? RATES : MEANS;
  const [own, first] = [verdict.variant, verdict.first].map(nameOf);
  const [value, base] = values.map(printed.value);
  const groups = verdict.group.map((cell) => (cell === null ? '(none)' : nameOf(cell))).join(', ');
  const head = groups === '' ? 'Verdict' : `Verdict for ${groups}`;
  const isOpen = p === null || p >= SIGNIFICANT;
  const sign = isOpen || values[0] > values[1] ? 1 : -1; // of what is decided, the difference is that of the higher one
  const difference = `a difference of ${printed.difference(sign * (values[0] - values[1]))}${printed.unit}`;
  const ends = interval === null ? [] : sign === 1 ? [interval.low, interval.high] : [-interval.high, -interval.low];
  const between = ends.map(printed.difference).join(' to ');
  const test =
    p === null || between === ''
      ? ''
      : ` (95 % interval ${between}, ${isAdjusted ? 'adjusted ' : ''}p = ${p.toPrecision(3)})`;
  if (isOpen) {
    const found = values[0] === values[1] ? '' : `, ${difference}`;
    return `${head}: open. ${own} has ${value} against ${base} of ${first}${found}${test}; ${whatIsMissing(verdict, plan)}.`;
  }
  const sides =
    sign === 1
      ? `${own} is above ${first}: ${value} against ${base}`
      : `${first} is above ${own}: ${base} against ${value}`;
  return `${head}: ${sides}, ${difference}${test}.`;
}

function whatIsMissing({ values, p, more }: Verdict, { unit }: ChoicePlan): string {
  const isPerson = unit.kind === 'core' && unit.name === 'distinct_id';
  const units = (isPerson ? ['person', 'people'] : ['unit', 'units'])[more === 1 ? 0 : 1];
  if (values[0] === values[1]) return 'there is no difference to show';
  if (p === null || more === null) return `no test is possible: there are too few ${units}, or all are alike`;
  if (more === 0) return `there are as many ${units} as show a difference of this size with 80 % power`;
  return `${more} more ${units} in each would show a difference of this size with 80 % power`;
}

/** How values and their differences are printed. */
const RATES = {
  value: percentText,
  difference: (difference: number): string => percentText(difference).replace(/ %$/, ''),
  unit: ' points',
};

const MEANS = { value: meanText, difference: meanText, unit: '' };

/** With four significant digits, or all of a whole number's. */
function meanText(mean: number): string {
  const size = Math.abs(mean);
  return String(size >= 1_000 && size < 1e15 ? Math.round(mean) : Number(mean.toPrecision(4)));
}
