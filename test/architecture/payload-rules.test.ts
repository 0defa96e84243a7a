import { describe, expect, test } from 'vitest';
import { publicPayloadsOfFunctions } from './payload-rules.ts';
import { loadTree, report } from './source-tree.ts';

test('no function of the database makes a payload that callers see', () => {
  expect(report(publicPayloadsOfFunctions(loadTree()))).toBe('');
});

describe('a function that makes one is told', () => {
  const of = (expression: string): string =>
    report(
      publicPayloadsOfFunctions([
        {
          path: 'db/schema.sql',
          text: `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $function$\nBEGIN\n  SELECT ${expression};\nEND\n$function$;\n`,
        },
      ]),
    );

  test.each([
    ['a key', `jsonb_build_object('effectId', NEW.id)`, /schema.sql:3 gives JSON the key 'effectId' .*in TypeScript/],
    ['a key of json', `json_build_object('id', NEW.id, 'actionId', 1)`, /key 'actionId'/],
    ['a key behind a call with commas', `jsonb_build_object('a', left('x, (', 2), 'actionId', 1)`, /key 'actionId'/],
    ['a key within an object', `jsonb_build_object('by', jsonb_build_object('memberId', 1))`, /key 'memberId'/],
    ['an alias', `to_jsonb(s) FROM (SELECT NEW.id AS "effectId") s`, /key AS "effectId"/],
    ['the names of columns', `jsonb_build_object('effect_id', NEW.id, 'status', 'inFlight')`, /^$/],
    ['a key that is read', `NEW.decision ->> 'policyId'`, /^$/],
  ])('%s', (_name, expression, message) => {
    expect(of(expression)).toMatch(message);
  });
});
