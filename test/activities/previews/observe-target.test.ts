import { describe, expect, test } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import type { Adapter, Inspection } from '../../../activities/adapters/adapter.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { PreviewBlock } from '../../../domain/adapters/preview-block.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { ActivityWorld } from '../invocations/world.ts';
import { newSecret, realAdapters, recheck, tamper } from './support.ts';

const world = await ActivityWorld.start();

function outcomeOf(observed: Awaited<ReturnType<Activities['observeTarget']>>): string {
  if ('seen' in observed) throw new Error('there was no place for the read');
  return observed.outcome;
}

type Read = InvocationRef & { secret: string };

describe('what was read at the provider', () => {
  let record: JsonObject = {};
  let failure: Inspection | Error | null = null;
  const reads: ReadonlyMap<string, string>[] = [];

  /** http.request with a provider whose record can be read. */
  function inspecting(): ActivityDependencies['adapterFor'] {
    const real = realAdapters()({ type: 'http.request', version: '1' });
    const adapter: Adapter = {
      ...real,
      descriptor: { ...real.descriptor, inspects: true },
      inspect: ({ secrets: opened }) => {
        reads.push(opened);
        if (failure instanceof Error) return Promise.reject(failure);
        return Promise.resolve(
          failure ?? {
            kind: 'inspected',
            preconditions: record,
            blocks: [],
            summary: 'read',
            refusal: null,
            observedAt: new Date(),
          },
        );
      },
    };
    return () => adapter;
  }

  async function parkedAfterReading(
    read: JsonObject,
    value?: string,
  ): Promise<{ ref: Read; observe: () => Promise<string> }> {
    [record, failure] = [read, null];
    const adapterFor = inspecting();
    const { observeTarget, judgeInvocation } = world.activities({ adapterFor });
    const secret = await newSecret(world, value);
    const ref = await world.admit({
      config: { url: 'http://127.0.0.1:9/', headers: { authorization: `Bearer {{secret:${secret}}}` } },
      definition: { approval: { required: true, tag: null } },
    });
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'read_provider' });
    expect(await observeTarget(ref)).toEqual({ outcome: 'observed' });
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'ask_for_approval' });
    return { ref: { ...ref, secret }, observe: async () => outcomeOf(await observeTarget(ref)) };
  }
  async function newestObservation({ invocationId }: InvocationRef) {
    type Kept = { preconditions: JsonObject; blocks: PreviewBlock[]; summary: string };
    const [row] = await world.database.asOwner<Kept>(
      'SELECT preconditions, blocks, summary FROM observations WHERE invocation_id = $1 ORDER BY sequence DESC LIMIT 1',
      [invocationId],
    );
    return row;
  }
  const recheckReading = (ref: InvocationRef) => recheck(world, ref, { adapterFor: inspecting() });

  test('unchanged, whatever the order of its members: nothing to say; with the credential of the action', async () => {
    const { ref, observe } = await parkedAfterReading({ left: 5, of: { a: 1, b: 2 } });
    record = { of: { b: 2, a: 1 }, left: 5 };
    expect(await observe()).toBe('observed');
    expect(await recheckReading(ref)).toBeNull();
    expect(reads.at(-1)?.get(ref.secret)).toBe('value');
  });

  test.each<[string, JsonObject, RegExp]>([
    ['another value', { left: 4 }, /left/],
    ['another type', { left: '5' }, /left/],
    ['a member less', {}, /left/],
    ['a member more', { left: 5, more: null }, /more/],
  ])('%s is precondition_changed', async (_, now, message) => {
    const { ref, observe } = await parkedAfterReading({ left: 5 });
    record = now;
    await observe();
    const refusal = await recheckReading(ref);
    expect(refusal?.code).toBe('precondition_changed');
    expect(refusal?.message).toMatch(message);
  });

  test('a record that forbids the dispatch is the refusal; a later read that does not lifts it', async () => {
    const { ref, observe } = await parkedAfterReading({});
    failure = {
      kind: 'inspected',
      preconditions: {},
      blocks: [],
      summary: 'of the other mode',
      refusal: { code: 'mode_mismatch', message: 'of the other mode' },
      observedAt: new Date(),
    };
    expect(await observe()).toBe('refused');
    expect(await recheckReading(ref)).toEqual({ code: 'mode_mismatch', message: 'of the other mode' });
    failure = null;
    expect(await observe()).toBe('observed');
    expect(await recheckReading(ref)).toBeNull();
  });

  test.each<[string, Inspection | Error, RegExp]>([
    ['unavailable', { kind: 'unavailable', reason: 'it is away' }, /could not be read: it is away/],
    ['an adapter that throws', new Error('value'), /broke off on our side/],
    [
      'a record too large to be bound',
      {
        kind: 'inspected',
        preconditions: { a: 'x'.repeat(20_000) },
        blocks: [],
        summary: '',
        refusal: null,
        observedAt: new Date(),
      },
      /too large/,
    ],
  ])('%s: read three times, then refused, and no word of the failure itself', async (_, what, message) => {
    const { ref, observe } = await parkedAfterReading({});
    failure = what;
    reads.length = 0;
    expect(await observe()).toBe('refused');
    expect(reads).toHaveLength(3);
    const refusal = await recheckReading(ref);
    expect(refusal?.code).toBe('precondition_changed');
    expect(refusal?.message).toMatch(message);
    expect(refusal?.message).not.toContain('value');
  });

  test('the text of a provider is kept without the credential, NUL or broken characters', async () => {
    const { ref, observe } = await parkedAfterReading({});
    failure = {
      kind: 'inspected',
      preconditions: { note: 'a\u0000b \ud800 value-of-it' },
      blocks: [{ type: 'text_diff', title: 't'.repeat(300), before: 'value', after: 'x'.repeat(30_000) }],
      summary: 'summary with value',
      refusal: null,
      observedAt: new Date(),
    };
    expect(await observe()).toBe('observed');
    const row = await newestObservation(ref);
    expect(row?.preconditions['note']).toBe('a\ufffdb \ufffd [REDACTED]-of-it');
    expect(row?.summary).toBe('summary with [REDACTED]');
    expect(row?.blocks[0]).toMatchObject({ before: '[REDACTED]', truncated: true });
    expect(row?.blocks[0]?.['title']).toHaveLength(200);
    expect(row?.blocks[0]?.['after']).toHaveLength(20_000);
  });

  /** Blocks with this at the end of each text. */
  const blocksWith = (end: string): PreviewBlock[] => [
    { type: 'fields', title: `One ${end}`, fields: [{ label: `two ${end}`, value: `three ${end}` }] },
    { type: 'text_diff', title: `Four ${end}`, path: `five ${end}`, before: `six ${end}`, after: `seven ${end}` },
    { type: 'limitations', title: `Eight ${end}`, items: [{ kind: 'freshness', text: `nine ${end}` }] },
  ];

  /** What is kept of these blocks where the action's credential is this. */
  async function keptOf(blocks: PreviewBlock[], credential: string): Promise<PreviewBlock[] | undefined> {
    const { ref, observe } = await parkedAfterReading({ left: 5 }, credential);
    const preconditions = { left: 5 };
    failure = { kind: 'inspected', preconditions, blocks, summary: 'read', refusal: null, observedAt: new Date() };
    expect(await observe()).toBe('observed');
    expect(await recheckReading(ref)).toBeNull();
    return (await newestObservation(ref))?.blocks;
  }

  test.each(['preconditions', 'blocks', 'summary', 'title', 'fields', 'label', 'before', 'text_diff', 'freshness'])(
    'a credential that is the word %s changes nothing of ours',
    async (word) => {
      expect(await keptOf(blocksWith('.'), word)).toEqual(blocksWith('.'));
    },
  );

  test('a credential is removed from each text of a block', async () => {
    expect(await keptOf(blocksWith('hunter22'), 'hunter22')).toEqual(blocksWith('[REDACTED]'));
  });

  test('a secret that is gone is secret_missing, and nobody is asked', async () => {
    const { ref, observe } = await parkedAfterReading({});
    await tamper(world, `UPDATE secrets SET deleted_at = now() WHERE name = '${ref.secret}'`);
    reads.length = 0;
    expect(await observe()).toBe('refused');
    expect(reads).toEqual([]);
  });

  test('a secret that does not open refuses too, and keeps no place of the workspace', async () => {
    const { ref, observe } = await parkedAfterReading({});
    const changed = 'set_byte(sealed_value, 0, get_byte(sealed_value, 0) # 1)';
    await tamper(
      world,
      `UPDATE secret_versions SET sealed_value = ${changed} WHERE secret_id IN (SELECT id FROM secrets WHERE name = '${ref.secret}')`,
    );
    reads.length = 0;
    expect(await observe()).toBe('refused');
    expect(reads).toEqual([]);
    expect(await recheckReading(ref)).toMatchObject({
      code: 'precondition_changed',
      message: expect.stringContaining('a credential does not open') as string,
    });
    const places = 'SELECT FROM lane_places WHERE holder = $1';
    expect(await world.database.asOwner(places, [ref.invocationId])).toEqual([]);
  });

  test('never: refused, since what was agreed to rests on it', async () => {
    const { ref } = await parkedAfterReading({});
    await tamper(world, `DELETE FROM observations WHERE invocation_id = '${ref.invocationId}'`);
    expect(await recheckReading(ref)).toMatchObject({ code: 'precondition_changed' });
  });
});
