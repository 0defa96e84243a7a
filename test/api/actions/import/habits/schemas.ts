import { type Habit, conditional, describing, INT64, json, TEXT } from './habit.ts';

export const SCHEMAS: readonly Habit[] = [
  {
    what: 'patterns that cannot be run, in oneOf, not and if',
    document: describing(
      '3.1.0',
      'post /h',
      json({
        type: 'object',
        properties: {
          ref: {
            oneOf: [
              { ...TEXT, pattern: '^(?!tmpl_).+$' },
              { ...TEXT, pattern: '^tmpl_[a-z0-9]+$' },
            ],
          },
          name: { ...TEXT, not: { pattern: '^(?=x)x' } },
          c: conditional({ pattern: '^(?=x)x' }, { maxLength: 1 }),
        },
      }),
    ),
    input: { body: { ref: 'tmpl_a', name: 'n', c: 'long' } },
    sent: { body: '{"c":"long","name":"n","ref":"tmpl_a"}' },
    told: /pattern that cannot be used was left out of the schema/,
  },
  {
    what: 'a discriminator',
    document: describing(
      '3.0.3',
      'post /h',
      json({
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
        discriminator: {
          propertyName: 'kind',
          mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' },
        },
      }),
      {
        components: {
          schemas: {
            Cat: { type: 'object', required: ['kind'], properties: { kind: TEXT, lives: { type: 'integer' } } },
            Dog: { type: 'object', required: ['kind'], properties: { kind: TEXT, bark: { type: 'boolean' } } },
          },
        },
      },
    ),
    input: { body: { kind: 'cat', lives: 9 } },
    sent: { body: '{"kind":"cat","lives":9}' },
    refused: [{ body: { kind: 'cat', lives: 'x' } }, /"path":"body\.input\.body\.lives","message":"must be integer"/],
  },
  {
    what: 'types of 3.1 with null, a constant, and $defs within the schema',
    document: describing(
      '3.1.0',
      'post /h',
      json({
        type: 'object',
        $defs: { T: { type: ['string', 'null'] } },
        properties: {
          a: { $ref: '#/paths/~1h/post/requestBody/content/application~1json/schema/$defs/T' },
          k: { const: 'v' },
        },
      }),
    ),
    input: { body: { a: null, k: 'v' } },
    sent: { body: '{"a":null,"k":"v"}' },
    refused: [{ body: { k: 'w' } }, /must be \\"v\\"/],
  },
  {
    what: 'an anchor',
    document: describing('3.1.0', 'post /h', json({ $ref: '#thing' }), {
      components: { schemas: { T: { $anchor: 'thing' } } },
    }),
    skipped: /refers to #thing, which does not exist/,
  },
  {
    what: 'a schema by its $id',
    document: describing('3.1.0', 'post /h', json({ $ref: 'https://x.example/t' }), {
      components: { schemas: { T: { $id: 'https://x.example/t' } } },
    }),
    skipped: /outside of the document/,
  },
  {
    what: 'a circle of schemas below members',
    document: describing('3.0.3', 'post /h', json({ $ref: '#/components/schemas/N' }), {
      components: {
        schemas: { N: { type: 'object', properties: { next: { $ref: '#/components/schemas/N' }, id: INT64 } } },
      },
    }),
    input: { body: { next: { next: { id: '9007199254740993' } } } },
    sent: { body: '{"next":{"next":{"id":9007199254740993}}}' },
  },
  {
    what: 'an unknown format, a default of another type, an enumeration with null',
    document: describing(
      '3.0.3',
      'post /h',
      json({
        type: 'object',
        properties: { a: { ...TEXT, format: 'color', default: 5 }, b: { ...TEXT, enum: ['x', null] } },
      }),
    ),
    input: { body: { a: 'red', b: 'x' } },
    sent: { body: '{"a":"red","b":"x"}' },
  },
  {
    what: 'an enumeration that is too large to keep',
    document: describing(
      '3.0.3',
      'post /h',
      json({
        type: 'object',
        properties: { a: { ...TEXT, enum: Array.from({ length: 3_000 }, (_, index) => `value-${index}`) } },
      }),
    ),
    input: { body: { a: 'value-2999' } },
    sent: { body: '{"a":"value-2999"}' },
    told: /enum that cannot be used/,
  },
  {
    what: 'closed parts that shut each other out',
    document: describing(
      '3.0.3',
      'post /h',
      json({
        allOf: [
          { type: 'object', properties: { a: TEXT }, additionalProperties: false },
          { type: 'object', properties: { b: TEXT }, additionalProperties: false },
        ],
      }),
    ),
    input: { body: {} },
    sent: { body: '{}' },
    told: /schema_takes_no_member/,
  },
  {
    what: 'a reference with null beside it, of 3.0',
    document: describing(
      '3.0.3',
      'post /h',
      json({ type: 'object', properties: { a: { nullable: true, allOf: [{ $ref: '#/components/schemas/E' }] } } }),
      { components: { schemas: { E: { type: 'string', enum: ['x'] } } } },
    ),
    input: { body: { a: null } },
    sent: { body: '{"a":null}' },
  },
];
