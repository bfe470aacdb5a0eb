import { expect } from 'chai';
import { splitQueries } from '../../../lib/cli/query/query-list.ts';

describe('queries of a text', () => {
  const cases: [string, string, string[]][] = [
    ['one a line', 'a | count\nb | count', ['a | count', 'b | count']],
    ['blank lines and comments between them', '\na\n\n# two\n  # and more\nb\n\n', ['a', 'b']],
    ['a line that begins with a pipe goes on', 'a\n| last 7d\n  | count\nb', ['a\n| last 7d\n  | count', 'b']],
    ['a first line that begins with a pipe', '| count\nb', ['| count', 'b']],
    ['a line that ends with a pipe, an arrow or a comma', 'a |\ncount\nfunnel a ->\nb\nfunnel c -> d exclude e,\nf', ['a |\ncount', 'funnel a ->\nb', 'funnel c -> d exclude e,\nf']],
    ['a line that begins with an arrow', 'funnel a\n-> b\n-> c\nd', ['funnel a\n-> b\n-> c', 'd']],
    ['inside quotes', 'a | where x = "1\n2 \\" | \n3" | count\nb', ['a | where x = "1\n2 \\" | \n3" | count', 'b']],
    ['inside brackets', 'a | where (x = 1\n  or x = 2)\nb | where y in [1,\n2]\nc', ['a | where (x = 1\n  or x = 2)', 'b | where y in [1,\n2]', 'c']],
    ['signs in quotes and comments are none', 'a | where x = "(" # [\nb "|" # |\nc', ['a | where x = "(" # [', 'b "|" # |', 'c']],
    ['a comment inside a query', 'a\n# but\n| count', ['a\n| count']],
    ['Windows line ends', 'a\r\nb\r\n', ['a', 'b']],
    ['nothing', ' \n# x', []],
  ]; // prettier-ignore
  for (const [title, text, queries] of cases) {
    it(title, () => void expect(splitQueries(text)).to.deep.equal(queries));
  }
});
