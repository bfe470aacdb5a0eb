import { expect } from 'chai';
import { KeptAnswers } from '../../console/editor/kept-answers.ts';
import type { Envelope } from '../../lib/dashboards/data.ts';
import type { AskCard } from '../../lib/dashboards/run.ts';

const QUESTION = { q: '* | count', timezone: null, limit: 10 };
const ANSWER = { rows: [] } as unknown as Envelope;

describe('the answers that an editor keeps', () => {
  /** Answers when told to; rejects when canceled. */
  function held(): { readonly ask: AskCard; readonly asked: () => number; readonly answer: () => void } {
    let asked = 0;
    let answer = (): void => undefined;
    const ask: AskCard = (_question, signal) =>
      new Promise((resolve, reject) => {
        asked++;
        answer = () => resolve(ANSWER);
        signal.addEventListener('abort', () => reject(new Error('canceled')));
      });
    return { ask, asked: () => asked, answer: () => answer() };
  }

  it('are asked for once, also after who asked first is gone', async () => {
    const { ask, asked, answer } = held();
    const [first, kept] = [new AbortController(), new KeptAnswers().keeping(ask)];
    const one = kept(QUESTION, first.signal);
    const same = kept(QUESTION, new AbortController().signal);
    answer();
    expect(await one).to.equal(ANSWER);
    expect(await same).to.equal(ANSWER);
    first.abort();
    expect(await kept(QUESTION, new AbortController().signal)).to.equal(ANSWER);
    expect(asked()).to.equal(1);
  });

  it('are asked for again by who comes in the moment in which the first is canceled', async () => {
    const { ask, asked, answer } = held();
    const [first, kept] = [new AbortController(), new KeptAnswers().keeping(ask)];
    const canceled = kept(QUESTION, first.signal).catch((error: unknown) => error);
    first.abort();
    const next = kept(QUESTION, new AbortController().signal);
    answer();
    expect(await next).to.equal(ANSWER);
    expect(await canceled).to.be.an('error');
    expect(asked()).to.equal(2);
  });
});
