import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../lib/base/errors.ts';
import { checkQueryBody, QUERY_SCHEMA } from '../../../lib/router/query/query-request.ts';

/** Values of every kind, many of them just inside or outside of what some field allows. */
const value = fc.oneof(
  fc.constantFrom(null, true, false, '', '*', 'llm', 'json', 'csv', 'CSV', 0, -1, 1, 0.5, 10_000, 10_001, 2 ** 53),
  fc.jsonValue({ maxDepth: 1 }),
);
const fields = fc.record(
  Object.fromEntries(Object.keys(QUERY_SCHEMA.properties).map((name) => [name, fc.oneof(value, fc.constant('*'))])),
  { requiredKeys: [] },
);

describe('the body of a query', () => {
  it('is refused exactly where its schema refuses it, for the field that the schema names first', () => {
    const isRight = new Ajv({ strict: false }).compile(QUERY_SCHEMA);
    const named = (): string => /^\/(\w+)$/.exec(isRight.errors?.[0]?.instancePath ?? '')?.[1] ?? 'q';
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: fields }, { weight: 1, arbitrary: value }), (body) => {
        const right = isRight(body);
        try {
          checkQueryBody(body);
          expect(right, JSON.stringify(body)).to.equal(true);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          expect(right, JSON.stringify(body)).to.equal(false);
          expect(error.message).to.contain(`"${named()}"`);
        }
      }),
      { numRuns: 500 },
    );
  });
});
