import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { impactDeclarationsSchema } from '../../domain/impact.ts';
import type { JsonObject } from '../../domain/json.ts';
import { checkSchema, compileSchema } from '../../domain/json-schema/json-schema.ts';
import { verifySchema } from '../../domain/adapters/http-request-verify.ts';
import { prepared } from './http-request-fixtures.ts';

const page = readFileSync(new URL('../../docs/adapters.md', import.meta.url), 'utf8');
const [example, request] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text]) => JSON.parse(text ?? '') as JsonObject,
);

it('shows an action that is accepted, and the request that it makes', () => {
  const { adapter, inputSchema, impact, verify } = example as {
    adapter: { config: JsonObject };
    inputSchema: JsonObject;
    impact: unknown;
    verify: unknown;
  };
  const input = { payment: { id: 'pay_7' }, amount: 1250 };
  expect(checkSchema(inputSchema)).toEqual([]);
  expect(compileSchema(inputSchema).validate(input)).toEqual([]);
  expect(impactDeclarationsSchema.safeParse(impact).success).toBe(true);
  expect(verifySchema.safeParse(verify).success).toBe(true);
  expect(prepared(adapter.config, input)).toEqual(request);
});
