import { cheapWeight, isCheapFor } from '../../domain/json-schema/cost.ts';
import type { Json, JsonObject } from '../../domain/json.ts';

export interface SchemaAndInput {
  schema: JsonObject;
  input: JsonObject;
}

/** Schemas that pass every check and make validation as expensive as they can, each with its worst input. */
export const HOSTILE: Readonly<Record<string, SchemaAndInput>> = {
  'deep nests of anyOf': { schema: { type: 'object', ...doubling('anyOf') }, input: {} },
  'a fan-out of $ref': { schema: { type: 'object', ...doubling('allOf') }, input: {} },
  'a huge enum over many items': {
    schema: list({ enum: Array.from({ length: 5_000 }, (_, n) => ({ n })) }),
    input: { list: Array.from({ length: 20_000 }, () => ({ n: 4_999 })) },
  },
  'uniqueItems at many levels': {
    schema: list(Array.from({ length: 40 }).reduce<JsonObject>((items) => ({ uniqueItems: true, items }), {})),
    input: {
      list: nested(
        38,
        Array.from({ length: 20_000 }, (_, n) => n),
      ),
    },
  },
  'many patterns over long texts': {
    schema: list({ allOf: Array.from({ length: 60 }, (_, n) => ({ pattern: `^(a|b|ab|[a-c]{1,${n + 20}})*$` })) }),
    input: { list: Array.from({ length: 20 }, () => 'ab'.repeat(4_000)) },
  },
};

/**
 * The most work that domain/json-schema/cost.ts lets onto the event loop: each schema beside an input that is as large as the bound
 * places.
 */
export const CHEAP_AND_HEAVY: Readonly<Record<string, SchemaAndInput>> = {
  'an enum over a list': atTheBound(list({ enum: Array.from({ length: 150 }, (_, n) => `${n}`) }), () => '149'),
  'alternatives over a list': atTheBound(
    list({ anyOf: Array.from({ length: 15 }, (_, n) => ({ type: 'object', required: [`a${n}`] })) }),
    () => ({ a14: 0 }),
  ),
  'a counted pattern over texts': atTheBound(list({ pattern: '^(a|b|ab|[a-c]{1,40})*$' }), () => 'ab'.repeat(100)),
  'a format over texts': atTheBound(list({ format: 'email' }), () => `${'a.'.repeat(50)}b@example.com`),
};

/** The longest list of these items that counts as cheap for the schema. */
function atTheBound(schema: JsonObject, item: (n: number) => Json): SchemaAndInput {
  const weight = cheapWeight(schema);
  if (weight === null) throw new Error('the schema is not cheap');
  const inputOf = (items: number): JsonObject => ({ list: Array.from({ length: items }, (_, n) => item(n)) });
  let items = 1;
  while (isCheapFor(weight, inputOf(items + 1))) items++;
  return { schema, input: inputOf(items) };
}

function list(items: JsonObject): JsonObject {
  return { type: 'object', properties: { list: { type: 'array', items } } };
}

/** Each of 40 steps refers to the next one twice. The last one matches everything (allOf) or nothing (anyOf). */
function doubling(keyword: 'allOf' | 'anyOf'): JsonObject {
  const $defs: JsonObject = { d40: keyword === 'allOf' };
  for (let n = 0; n < 40; n++) {
    $defs[`d${n}`] = { [keyword]: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] };
  }
  return { $defs, $ref: '#/$defs/d0' };
}

function nested(levels: number, inner: Json): Json {
  let value = inner;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}
