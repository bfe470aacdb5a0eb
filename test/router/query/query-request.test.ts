import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../lib/base/errors.ts';
import { QUERY_BODY } from '../../../lib/router/query/query-request.ts';

/** Values of every kind, many of them just inside or outside of what some field allows. */
const value = fc.oneof(
  fc.constantFrom(null, true, false, '', '*', 'llm', 'json', 'csv', 'CSV', 0, -1, 1, 0.5, 10_000, 10_001, 2 ** 53),
  fc.jsonValue({ maxDepth: 1 }),
);
const FIELDS = ['q', 'format', 'limit', 'offset', 'timezone', 'envelope', 'explain'];
const fields = fc.record(Object.fromEntries(FIELDS.map((name) => [name, fc.oneof(value, fc.constant('*'))])), {
  requiredKeys: [],
});

describe('the body of a query', () => {
  it('is refused exactly where its schema refuses it, for the field that the schema names first', async () => {
    const isRight = new Ajv({ strict: false }).compile(QUERY_BODY.schema);
    const named = (): string => /^\/(\w+)$/.exec(isRight.errors?.[0]?.instancePath ?? '')?.[1] ?? 'q';
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 9, arbitrary: fields }, { weight: 1, arbitrary: value }),
        async (body: unknown) => {
          const right = isRight(body);
          try {
            expect(await QUERY_BODY.read(Buffer.from(JSON.stringify(body)))).to.deep.equal(body);
            expect(right, JSON.stringify(body)).to.equal(true);
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            expect(right, JSON.stringify(body)).to.equal(false);
            expect(error.message).to.contain(`"${named()}"`);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
