import { expect, it } from 'vitest';
import { exportInTurns } from '../../../api/tools/export-in-turns.ts';
import type { ExportedAction } from '../../../domain/tools/export-tool.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';

it('lets other work run between any two actions of a page', async () => {
  const order: string[] = [];
  const definition = {
    adapter: { type: 'http.request', config: { method: 'POST' } },
    inputSchema: { type: 'object' },
  } as unknown as ActionDefinition;
  const actionOf = (name: string): ExportedAction => ({
    name,
    description: null,
    get definition() {
      if (order.at(-1) !== name) order.push(name);
      return definition;
    },
  });
  let isOver = false;
  const other = (): void => {
    if (isOver) return;
    if (order.at(-1) !== 'other') order.push('other');
    setImmediate(other);
  };
  setImmediate(other);
  const exported = await exportInTurns(['a', 'b', 'c'].map(actionOf), 'openai');
  isOver = true;
  expect(exported.map(({ action }) => action)).toEqual(['a', 'b', 'c']);
  expect(order.filter((what, index) => what !== 'other' || index < order.length - 1)).toEqual([
    'a',
    'other',
    'b',
    'other',
    'c',
  ]);
});
