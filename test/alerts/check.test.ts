import { expect } from 'chai';
import { checkAlert } from '../../lib/alerts/check.ts';

const SOUND = `version: 1
id: few-orders
title: Few orders
schedule: every 1h
query: purchase | last 1h | count
when: any count < 10
to:
  - webhook: https://example.com/hook
  - email: Ann@example.com
`;

const problemsOf = (text: string): string[] =>
  checkAlert(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('the check of alerts', () => {
  it('reads what a file says', () => {
    expect(checkAlert(SOUND)).to.deep.equal({
      problems: [],
      alert: {
        ...{ id: 'few-orders', title: 'Few orders', description: null, schedule: 'every 1h', timezone: null },
        ...{ query: 'purchase | last 1h | count', dashboard: null, when: 'any count < 10', paused: false },
        to: [
          { kind: 'webhook', to: 'https://example.com/hook' },
          { kind: 'email', to: 'ann@example.com' },
        ],
      },
    });
    const report = SOUND.replace(/query: .*\nwhen: .*/, 'dashboard: growth\npaused: true');
    expect(checkAlert(report).alert).to.deep.include({ query: null, dashboard: 'growth', when: null, paused: true });
    expect(checkAlert(SOUND.replace('any count < 10', 'change < -20 %')).problems).to.deep.equal([]);
  });

  const wrong: readonly (readonly [title: string, from: string | RegExp, to: string, problem: RegExp])[] = [
    ['a mistake in the query, where it is', 'last 1h | count', 'last 1h | cuont', /^5:29 expected a stage/],
    ['a column that the answer lacks', 'any count', 'any cuont', /^6:7 the answer has no column "cuont"; did you mean count\?/],
    ['a change of what does not compare', /purchase.*\nwhen: .*/, 'purchase | all | count\nwhen: change < 0 %', /^6:7 the (?:answer|query) has no/],
    ['a condition that is none', 'any count < 10', 'count below 10', /^6:7 there is no condition "count below 10"; write one like `any count < 10`/],
    ['a schedule that is none', 'every 1h', 'hourly', /^4:11 there is no schedule "hourly"/],
    ['an unknown zone', 'schedule:', 'timezone: Mars/Base\nschedule:', /^4:11 unknown time zone "Mars\/Base"/],
    ['neither query nor dashboard', /query: .*\nwhen: .*\n/, '', /^1:1 an alert has either `query` or `dashboard`/],
    ['both of them', 'query:', 'dashboard: growth\nquery:', /^1:1 an alert has either/],
    ['a dashboard with a condition', /query: .*/, 'dashboard: growth', /^6:7 a dashboard has no `when`/],
    ['a receiver of no kind', '- email: Ann@example.com', '- {}', /^9:5 an entry of `to` has one of webhook, slack, discord, email/],
    ['a receiver of two kinds', '- email:', '- slack: https://a.example\n    email:', /^9:5 an entry of `to` has one of/],
    ['an unknown kind', '- email:', '- sms:', /^9:5 unknown key `sms`/],
    ['no address', 'Ann@example.com', 'Ann', /^9:12 "Ann" is no e-mail address/],
    ['a hook that is no URL', 'https://example.com/hook', 'example.com', /^8:14 a hook is the address of a page/],
    ['a hook of another protocol', 'https://example.com/hook', 'file:///etc/passwd', /^8:14 a hook is/],
    ['a hook with a password', 'https://example', 'https://a:b@example', /^8:14 the address of a hook has no user/],
    ['an unknown key', 'title:', 'tilte: x\ntitle:', /^3:1 unknown key `tilte`; did you mean `title`\?/],
    ['no id', /id: .*\n/, '', /^1:1 the alert lacks `id`/],
    ['too many receivers', '  - webhook:', `${'  - slack: https://a.example\n'.repeat(10)}  - webhook:`, /must NOT have more than 10 items/],
  ]; // prettier-ignore
  for (const [title, from, to, problem] of wrong) {
    it(`finds ${title}`, () => {
      expect(checkAlert(SOUND.replace(from, to)).alert).to.equal(null);
      expect(problemsOf(SOUND.replace(from, to)).join('\n')).to.match(problem);
    });
  }

  it('refuses what is no YAML, is empty, or too long', () => {
    expect(problemsOf('a: [')).to.have.length.above(0);
    expect(problemsOf('')).to.deep.equal(['1:1 The file is empty.']);
    expect(problemsOf(`#${'x'.repeat(40_000)}`)).to.deep.equal(['1:1 The file has 40,001 bytes; an alert has at most 32,768.']);
    expect(problemsOf('- 1')).to.include('1:1 expected a map of keys, found a list');
  }); // prettier-ignore
});
