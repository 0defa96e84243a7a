import { describe, expect, it } from 'vitest';
import type { Issue } from '../../../domain/errors.ts';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { compileSchema } from '../../../domain/json-schema/json-schema.ts';
import { action, describing } from './support.ts';

const Cat = { type: 'object', properties: { kind: { type: 'string' }, lives: { type: 'integer' } } };
const Dog = { type: 'object', properties: { kind: { type: 'string' }, bark: { type: 'boolean' } } };
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const mapping = { cat: '#/components/schemas/Cat', dog: 'Dog' };
const PETS = { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind', mapping } };

function issuesOf(body: Json, schema: JsonObject, schemas: JsonObject = { Cat, Dog }, openapi = '3.0.3'): Issue[] {
  const content = { 'application/json': { schema } };
  const document = describing({ requestBody: { required: true, content } }, { openapi, components: { schemas } });
  return compileSchema(action(document).inputSchema).validate({ body });
}

describe('a discriminator', () => {
  it.each([
    ['a name of the mapping', { kind: 'cat', lives: 9 }],
    ['a bare name of the mapping', { kind: 'dog', bark: true }],
    ['the name of the component', { kind: 'Cat', lives: 9 }],
    ['what another branch would take too', { kind: 'cat' }],
    ['no tag, where none is required', { lives: 9 }],
  ])('picks the branch: %s', (_what, body) => {
    for (const choice of ['oneOf', 'anyOf']) {
      const schema = { [choice]: PETS.oneOf, discriminator: PETS.discriminator };
      expect(issuesOf(body, schema)).toEqual([]);
    }
  });

  it('names the mistakes of that branch alone', () => {
    expect(issuesOf({ kind: 'cat', lives: 'many' }, PETS)).toEqual([
      { path: 'input.body.lives', message: 'must be integer' },
    ]);
    const colour = { ...Dog, properties: { ...Dog.properties, colour: { enum: ['red'] }, size: { enum: [1] } } };
    expect(issuesOf({ kind: 'dog', colour: 'blue', size: 2 }, PETS, { Cat, Dog: colour })).toEqual([
      { path: 'input.body.colour', message: 'must be one of ["red"]' },
      { path: 'input.body.size', message: 'must be one of [1]' },
    ]);
    expect(issuesOf({ kind: 'bird' }, PETS)).toEqual([
      { path: 'input.body.kind', message: 'must be one of ["cat","Cat","dog","Dog"]' },
    ]);
  });

  it('has the names of the components where it has no mapping', () => {
    const schema = { oneOf: PETS.oneOf, discriminator: { propertyName: 'kind' } };
    expect(issuesOf({ kind: 'Dog', bark: true }, schema)).toEqual([]);
    expect(issuesOf({ kind: 'Dog', bark: 1 }, schema)).toEqual([
      { path: 'input.body.bark', message: 'must be boolean' },
    ]);
    expect(issuesOf({ kind: 'dog' }, schema)).toHaveLength(1);
  });

  it('has the values that a branch itself gives, also by allOf, where its names are others', () => {
    const tagged = (name: string): JsonObject => ({ allOf: [{ properties: { kind: { enum: [name] } } }, Cat] });
    const schemas = { A: tagged('a'), B: tagged('b') };
    const schema = { oneOf: [ref('A'), ref('B')], discriminator: { propertyName: 'kind' } };
    expect(issuesOf({ kind: 'a' }, schema, schemas)).toEqual([]);
    expect(issuesOf({ kind: 'A' }, schema, schemas)).toHaveLength(1);
    const base = { properties: { kind: { enum: ['a', 'b'] } } };
    const named = { A: { allOf: [base, Cat] }, B: { allOf: [base, Dog] } };
    const byName = { a: '#/components/schemas/A', b: '#/components/schemas/B' };
    const mapped = { ...schema, discriminator: { propertyName: 'kind', mapping: byName } };
    expect(issuesOf({ kind: 'b', bark: 1 }, mapped, named)).toMatchObject([{ path: 'input.body.bark' }]);
  });

  it('may tag by numbers, and may be null', () => {
    const numbers = { '1': '#/components/schemas/Cat', '2': '#/components/schemas/Dog' };
    const schemas = { Cat: { ...Cat, properties: { kind: { type: 'integer' }, lives: { type: 'integer' } } }, Dog };
    const schema = { ...PETS, nullable: true, discriminator: { propertyName: 'kind', mapping: numbers } };
    expect(issuesOf({ kind: 1, lives: 1 }, schema, schemas)).toEqual([]);
    expect(issuesOf(null, schema, schemas)).toEqual([]);
  });

  it('of OpenAPI 3.2 has a default for values without a tag, or with another', () => {
    const discriminator = { ...PETS.discriminator, defaultMapping: 'Dog' };
    const of = (body: Json): Issue[] => issuesOf(body, { ...PETS, discriminator }, { Cat, Dog }, '3.2.0');
    for (const body of [{ bark: true }, { kind: 'bird', bark: true }, { kind: 'cat', lives: 1 }, { kind: 'dog' }]) {
      expect(of(body)).toEqual([]);
    }
    for (const body of [{ bark: 1 }, { kind: 'cat', lives: 'x' }]) expect(of(body)).toHaveLength(1);
  });

  it('that leads nowhere leaves its branches as they are', () => {
    for (const discriminator of [
      {},
      { propertyName: 5 },
      { propertyName: 'kind', mapping: { a: 'nowhere.json#/A' } },
    ]) {
      const schema = { oneOf: [{ type: 'object' }, { type: 'string' }], discriminator } as unknown as JsonObject;
      expect(issuesOf({}, schema)).toEqual([]);
      expect(issuesOf('a', schema)).toEqual([]);
    }
  });
});
