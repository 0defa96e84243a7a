import { afterEach, expect, test, vi } from 'vitest';
import { renderAnthropic } from '../../../domain/context/anthropic.ts';
import { type ContextMessage, type Unit, unitsOf } from '../../../domain/context/units.ts';
import { randomFrom } from '../../harness/random.ts';

afterEach(() => vi.restoreAllMocks());

const MESSAGE: ContextMessage = {
  id: 'msg',
  role: 'assistant',
  content: '',
  name: null,
  toolCallId: null,
  toolCalls: null,
  tokens: 1,
};
const unitOf = (id: string): Unit => ({
  message: { ...MESSAGE, toolCalls: [{ id, name: 'find', arguments: {} }] },
  results: [{ ...MESSAGE, role: 'tool', content: 'Found.', toolCallId: id }],
});

/** The ids of the calls, each of which its result has too. */
function renderedIds(ids: readonly string[]): unknown[] {
  const { messages } = renderAnthropic({ system: [], memories: [], units: ids.map(unitOf), isCut: false });
  const blocks = messages.flatMap(({ content }) => content as { type: string; id?: string; tool_use_id?: string }[]);
  const called = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  expect(blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id)).toEqual(called);
  return called;
}

/** Each call counts from 2. */
function countedAnew(ids: readonly string[]): string[] {
  const taken = new Set<string>();
  return ids.map((id) => {
    let legal = id;
    for (let number = 2; taken.has(legal); number++) legal = `${id}_${number}`;
    taken.add(legal);
    return legal;
  });
}

test('a call whose id was used before has the first number that is free', () => {
  expect(renderedIds(['call', 'call_3', 'call', 'call', 'call_2', 'call:2'])).toEqual([
    'call',
    'call_3',
    'call_2',
    'call_4',
    'call_2_2',
    'call_2_3',
  ]);
  const random = randomFrom(64);
  const some = ['a', 'a_2', 'a_2_2', 'a_3', 'a_11', 'b'];
  for (let round = 0; round < 50; round++) {
    const ids = Array.from({ length: 60 }, () => some[Math.floor(random() * some.length)] ?? '');
    expect(renderedIds(ids)).toEqual(countedAnew(ids));
  }
});

test('calls of one id are named in as many steps as there are calls', () => {
  const units = Array.from({ length: 3_000 }, () => unitOf('call'));
  const asked = vi.spyOn(Set.prototype, 'has');
  renderAnthropic({ system: [], memories: [], units, isCut: false });
  expect(asked.mock.calls.length).toBeLessThan(4 * units.length);
});

test('results are assigned in as many steps as there are messages, also where calls have none and no call is theirs', () => {
  const calls = Array.from({ length: 2_000 }, (_, index) => unitOf(`call_${index}`).message);
  const results = calls.map((): ContextMessage => ({ ...MESSAGE, role: 'tool', toolCallId: 'of no call' }));
  const asked = vi.spyOn(Set.prototype, 'has');
  expect(unitsOf([...calls, ...results])).toEqual([]);
  expect(asked.mock.calls.length).toBeLessThan(4 * calls.length);
});
