/** What to type for a query whose words came one by one, as without quotes. */

/** Words that begin a stage wherever they stand, but for `paths from`. */
const STAGE =
  /^(?:where|last|from|since|today|yesterday|this|list|latest|sort|top|limit|offset|window|depth|tz|results|unit)$/i;
/** Words that begin a stage behind the source, and may be part of one elsewhere. */
const METRIC = /^(?:by|count|unique|sum|avg|min|max|median|stddev|mode|p\d\d?)$/i;
/** What the shell passes on as it was typed. */
const PLAIN = /^[\p{L}\p{N}_.:/|*,][\p{L}\p{N}_.:/|*,-]*$/u;

/** The query in quotes, with `|` before its stages; an example where the words may not be all of what was typed. */
export function quotedQuery(words: readonly string[]): string {
  const [source, ...more] = words;
  if (source === undefined || more.length === 0 || !words.every((word) => PLAIN.test(word)))
    return "'signup | last 7d'";
  const staged = more.map((word, at) => {
    const begins = at > 0 ? STAGE.test(word) : source !== 'paths' && (STAGE.test(word) || METRIC.test(word));
    return begins && words[at] !== '|' ? `| ${word}` : word; // words[at] is the word before
  });
  return `'${[source, ...staged].join(' ')}'`;
}
