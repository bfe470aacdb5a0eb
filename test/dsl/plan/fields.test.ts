import { expect } from 'chai';
import { CORE_FIELDS, ENRICHED_FIELDS, fieldName, SESSION_FIELDS } from '../../../lib/dsl/plan/fields.ts';
import type { Field } from '../../../lib/dsl/plan/plan.ts';
import { expectError, planAs } from '../queries.ts';

/** The field and the column of `by`. */
function grouped(source: string, field: string): { field: Field | null; column: string } {
  const kind = source === 'users' ? 'users' : 'aggregate';
  const [group] = planAs(kind, `${source} | count by ${field}`).groups;
  return { field: group?.kind === 'field' ? group.field : null, column: group?.column ?? '' };
}

describe('fields', () => {
  it('knows the fields of events', () => {
    for (const name of CORE_FIELDS) {
      expect(grouped('*', name)).to.deep.equal({ field: { kind: 'core', name }, column: name });
    }
    for (const name of ENRICHED_FIELDS) {
      expect(grouped('*', name)).to.deep.equal({ field: { kind: 'enriched', name }, column: name });
    }
    expect([CORE_FIELDS.length, ENRICHED_FIELDS.length, SESSION_FIELDS.length]).to.deep.equal([7, 25, 29]);
  });

  it('knows places by their alias too, and keeps the column as typed', () => {
    for (const name of ['country', 'region', 'city', 'continent', 'timezone', 'latitude', 'longitude']) {
      expect(grouped('*', `_geo_${name}`)).to.deep.equal({
        field: { kind: 'enriched', name: `_${name}` },
        column: `_geo_${name}`,
      });
    }
    expectError('* | by ▲_geo_browser', 'expected a field');
  });

  it('takes any key of properties and profiles', () => {
    expect(grouped('*', 'event_properties.a.b').field).to.deep.equal({ kind: 'event', path: 'a.b' });
    expect(grouped('*', 'user_properties.by').field).to.deep.equal({ kind: 'sent', path: 'by' });
    expect(grouped('*', 'user.company-id').field).to.deep.equal({ kind: 'profile', path: 'company-id' });
    expect(grouped('*', 'user.user_id').field).to.deep.equal({ kind: 'profile', path: 'user_id' });
    expect(grouped('*', 'event_properties.Ключ').field).to.deep.equal({ kind: 'event', path: 'Ключ' });
    expect(grouped('*', 'event_properties.__proto__').field).to.deep.equal({ kind: 'event', path: '__proto__' });
  });

  it('takes the last part of a field in quotes', () => {
    expect(grouped('*', 'event_properties."key with \\"space\\""')).to.deep.equal({
      field: { kind: 'event', path: 'key with "space"' },
      column: 'event_properties."key with \\"space\\""',
    });
    expect(grouped('*', 'user.a."b c"').field).to.deep.equal({ kind: 'profile', path: 'a.b c' });
    expect(grouped('*', 'event_properties.""').field).to.deep.equal({ kind: 'event', path: '' });
    expectError('* | by ▲event_properties.', 'expected a field');
    expectError('* | by event_properties."a"▲.b', 'expected `|`');
  });

  it('knows what is built into profiles', () => {
    for (const name of ['email', 'email_domain', 'first_seen', 'last_seen'] as const) {
      expect(grouped('*', `user.${name}`).field).to.deep.equal({ kind: 'account', name });
      expect(grouped('users', `user.${name}`).field).to.deep.equal({ kind: 'account', name });
      expect(grouped('users', name)).to.deep.equal({ field: { kind: 'account', name }, column: name });
    }
    expect(grouped('users', 'user_id').field).to.deep.equal({ kind: 'account', name: 'user_id' });
    expect(grouped('users', 'user.plan').field).to.deep.equal({ kind: 'profile', path: 'plan' });
  });

  it('has no fields of events in users', () => {
    for (const name of ['event_type', 'time', '_browser', 'event_properties.x', 'user_properties.x', 'session.city']) {
      expectError(`users | by ▲${name}`, '`users` knows user_id, email, email_domain, first_seen, last_seen');
    }
    expectError('users | where ▲user_last_session.city = "x"', 'expected a field');
  });

  it('knows sessions, the own and the last of a person', () => {
    for (const name of SESSION_FIELDS) {
      expect(grouped('*', `session.${name}`).field).to.deep.equal({ kind: 'session', name });
      expect(grouped('*', `user_last_session.${name}`).field).to.deep.equal({ kind: 'last_session', name });
    }
    expectError('* | by ▲session.durations', 'did you mean `session.duration`?');
    expectError('* | by ▲user_last_session.contry', 'did you mean `user_last_session.country`?');
  });

  it('knows bare choice keys in choice only', () => {
    expect(grouped('choice k', 'variant_key')).to.deep.equal({
      field: { kind: 'event', path: 'variant_key' },
      column: 'variant_key',
    });
    expect(grouped('choice k', 'choice_key').field).to.deep.equal({ kind: 'event', path: 'choice_key' });
    expectError('* | by ▲variant_key', 'expected a field');
  });

  it('refuses other names, at the name, with the nearest known', () => {
    expectError('* | where ▲plan = "pro"', 'event_properties.<key>');
    expectError('* | sum ▲_browsr', 'did you mean `_browser`?');
    expectError('* | by day, ▲evnt_type', 'did you mean `event_type`?');
    expectError('* | latest event_properties.x per ▲userid', 'did you mean `user_id`?');
    expectError('* | by ▲Time', 'did you mean `time`?');
    expectError('* | by ▲email', 'there is `user.email`');
    expectError('* | by ▲event_property.plan', 'did you mean `event_properties.plan`?');
    expectError('* | by ▲sesion.city', 'did you mean `session.city`?');
    expectError('funnel a[▲plan = 1] -> b', 'expected a field');
    expectError('formula sum(a, ▲amount)', 'expected a field');
    expectError('choice k | results a | unit ▲visitor', 'expected a field');
    expectError('* | by ▲constructor', 'expected a field');
  });

  it('names every field as the language does', () => {
    for (const name of ['_city', 'user_id', 'event_properties.a', 'user_properties.a', 'user.a', 'user.email']) {
      const { field } = grouped('*', name);
      expect(field === null ? null : fieldName(field)).to.equal(name);
    }
  });
});
