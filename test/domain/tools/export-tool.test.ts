import { expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { exportTool } from '../../../domain/tools/export-tool.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';

const droppedOf = (inputSchema: JsonObject) => {
  const adapter = { type: 'http.request', version: '1', config: { method: 'POST' } };
  const definition = { inputSchema, adapter, impact: [] } as unknown as ActionDefinition;
  return exportTool({ name: 'any.action', description: null, definition }, 'openai').dropped;
};
const parts = (many: number): JsonObject[] => Array.from({ length: many }, () => ({ unheard: 1 }));

test('names the parts that a format does not take, while they are few', () => {
  const dropped = droppedOf({ type: 'object', properties: { a: { anyOf: parts(3) } } });
  expect(dropped.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(
    [0, 1, 2].map((index) => `/properties/a/anyOf/${index} unheard`),
  );
});

test.each([
  ['many parts', 'a', 3_750, 200],
  ['long paths', 'a'.repeat(3_000), 50, 5],
])('says how many more there are beyond what it names: %s', (_what, name, many, named) => {
  const dropped = droppedOf({ type: 'object', properties: { [name]: { anyOf: parts(many) } } });
  expect(dropped).toHaveLength(named + 1);
  expect(dropped.at(-1)).toEqual({
    tool: 'any__action',
    path: '',
    keyword: '*',
    reason: `${many - named} more parts were dropped`,
  });
});
