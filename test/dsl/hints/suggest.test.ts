import { expect } from 'chai';
import { wantsSuggestions, withSuggestions, type KnownNames } from '../../../lib/dsl/hints/suggest.ts';
import { AppError } from '../../../lib/base/errors.ts';
import { errorOf } from '../queries.ts';

const NAMES: KnownNames = {
  events: [{ name: 'signup', rows: 5 }],
  fields: [
    'event_properties.plan',
    'event_properties.amount',
    'user.plan',
    'user_properties.theme',
    'user.email',
    'event_properties.a->b',
  ],
};

/** The hints that the catalog adds or leaves. */
function hints(query: string): readonly string[] {
  return withSuggestions(errorOf(query), NAMES).data.hints ?? [];
}

describe('suggestions from the catalog', () => {
  it('name the properties that a bare name may have meant', () => {
    expect(hints('* | by plan')).to.deep.equal(['there is `event_properties.plan`', 'there is `user.plan`']);
    expect(hints('* | where theme = "dark"')).to.deep.equal(['there is `user_properties.theme`']);
    expect(hints('users | by plan'), '`users` takes no properties of events').to.deep.equal(['there is `user.plan`']);
    expect(hints('users | count by ammount')).to.deep.equal([]);
  });

  it('name the nearest property where none has the name', () => {
    expect(hints('* | sum ammount')).to.deep.equal(['there is `event_properties.amount`']);
    expect(hints('* | sum a-b')).to.deep.equal(['there is `event_properties."a->b"`']);
    expect(hints('* | sum nothing_like_it')).to.deep.equal([]);
  });

  it('say nothing twice', () => {
    expect(hints('* | by email')).to.deep.equal(['there is `user.email`']);
  });

  it('keep the place and the line', () => {
    const error = withSuggestions(errorOf('* | by plan'), NAMES);
    expect(error.data.position).to.equal(7);
    const [sentence, line, caret] = error.message.split('\n');
    expect(sentence).to.match(
      /^expected a field, found `plan`.*; there is `event_properties.plan`; there is `user.plan`$/,
    );
    expect([line, caret]).to.deep.equal(['* | by plan', '       ^']);
  });

  it('are wanted for bare names only', () => {
    expect(wantsSuggestions(errorOf('* | by plan'))).to.equal(true);
    for (const query of ['* | by session.durations', '* | wher x', '* | latest user.x | by plan', '* | last x']) {
      const error = errorOf(query);
      expect(wantsSuggestions(error), query).to.equal(false);
      expect(withSuggestions(error, NAMES)).to.equal(error);
    }
    const other = new AppError('bad_request', 'no');
    expect(withSuggestions(other, NAMES)).to.equal(other);
  });
});
