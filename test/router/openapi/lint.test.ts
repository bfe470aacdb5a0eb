import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { describeApi } from '../../../lib/router/routes.ts';
import { record, type Json } from '../../support/open-schemas.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const NEEDS_BODY = new Set(['post', 'put', 'patch']);

const api: Json = record(JSON.parse(JSON.stringify(describeApi())));
const components = record(api['components']);

interface Operation {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
  /** Of the path and of the operation. */
  readonly parameters: readonly Json[];
}

const operations = Object.entries(record(api['paths'])).flatMap(([path, item]) =>
  Object.entries(record(item))
    .filter(([method]) => METHODS.has(method))
    .map(([method, value]): Operation => {
      const operation = record(value);
      const parameters = [...list(record(item)['parameters']), ...list(operation['parameters'])].map(record);
      return { name: `${method} ${path}`, path, method, operation, parameters };
    }),
);

describe('the description in /openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...api });
    expect(errors ?? []).to.deep.equal([]);
    expect(valid).to.equal(true);
  });

  it('names every operation, each differently', () => {
    const ids = operations.map(({ operation }) => operation['operationId']);
    for (const { name, operation } of operations)
      expect(operation['operationId'], name).to.be.a('string').and.not.equal('');
    expect(new Set(ids).size, ids.join(' ')).to.equal(ids.length);
  });

  it('says of every operation what it does, and with which credential', () => {
    const schemes = Object.keys(record(components['securitySchemes']));
    for (const { name, operation } of operations) {
      expect(operation['summary'], name).to.be.a('string').and.match(/\.$/);
      expect(operation['security'], name).to.be.an('array');
      for (const need of list(operation['security']))
        expect(schemes, name).to.include.members(Object.keys(record(need)));
    }
  });

  it('says of every operation what can go wrong, by status', () => {
    for (const { name, path, operation, parameters } of operations) {
      const statuses = Object.keys(record(operation['responses']));
      expect(statuses, name).to.include('500').and.not.include('default');
      expect(
        statuses.filter((status) => status < '400'),
        `${name}: a success`,
      ).to.not.deep.equal([]);
      if (list(operation['security']).length > 0) expect(statuses, name).to.include.members(['401', '429']);
      if (operation['requestBody'] !== undefined) expect(statuses, name).to.include.members(['400', '413']);
      if (parameters.some(({ in: place }) => place === 'query') && path.startsWith('/api'))
        expect(statuses, name).to.include('400');
      if (path.startsWith('/api/') && path.includes('{')) expect(statuses, name).to.include('404');
    }
  });

  it('declares every parameter of a path, and no other, once', () => {
    for (const { name, path, parameters } of operations) {
      const declared = parameters.filter(({ in: place }) => place === 'path');
      const names = (path.match(/\{\w+\}/g) ?? []).map((part) => part.slice(1, -1));
      expect(
        declared.map((parameter) => parameter['name']),
        name,
      ).to.have.members(names);
      for (const parameter of declared) expect(parameter, name).to.include({ required: true });
      const all = parameters.map((parameter) => `${String(parameter['in'])} ${String(parameter['name'])}`);
      expect(new Set(all).size, name).to.equal(all.length);
      for (const parameter of parameters) expect(parameter['description'], name).to.be.a('string');
    }
  });

  it('has a body only where a method takes one, and a media type for each', () => {
    for (const { name, method, operation } of operations) {
      if (operation['requestBody'] === undefined) continue;
      expect(NEEDS_BODY.has(method) || method === 'delete', name).to.equal(true);
      expect(Object.keys(record(record(operation['requestBody'])['content'])), name).to.not.deep.equal([]);
    }
  });

  it('has schemas that compile, with references that lead somewhere and none that nobody needs', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
    for (const word of ['info', 'paths', 'webhooks', 'openapi', 'components', 'servers', 'tags', 'externalDocs'])
      ajv.addKeyword(word);
    ajv.addKeyword('example');
    ajv.addSchema(api, 'api');
    const references = new Set(
      JSON.stringify(api)
        .match(/"\$ref":"[^"]+"/g)
        ?.map((found) => found.slice(8, -1)),
    );
    for (const reference of references) expect(resolve(reference), reference).to.not.equal(undefined);
    for (const kind of ['schemas', 'responses']) {
      for (const name of Object.keys(record(components[kind]))) {
        const reference = `#/components/${kind}/${name}`;
        if (kind === 'schemas') expect(() => ajv.compile({ $ref: `api${reference}` }), reference).to.not.throw();
        if (reference !== '#/components/responses/405') expect([...references], 'used').to.include(reference);
      }
    }
  });
});

function resolve(reference: string): unknown {
  let found: unknown = api;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = typeof found === 'object' && found !== null ? record(found)[name] : undefined;
  }
  return found;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
