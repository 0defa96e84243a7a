import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { plantEffect } from '../effects/fixtures.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { createWorld } from '../suites/create-world.ts';

/** Called between the work and the record of its reply. */
let beforeRecord: () => Promise<void> = () => Promise.resolve();
/** Called before the work, with its transaction. */
let beforeWork: (tx: Parameters<Change>[0]) => void = () => undefined;
let runs = 0;

type EnvironmentRoute = Extract<AnyRoute, { of: 'environment' }>;
type Change = NonNullable<EnvironmentRoute['change']>;

function stalling(route: EnvironmentRoute): EnvironmentRoute {
  return {
    ...route,
    change: async (...given: Parameters<Change>) => {
      runs += 1;
      beforeWork(given[0]);
      const done = await (route.change as Change)(...given);
      await beforeRecord();
      return done;
    },
  };
}

/** The reply commits in the transaction that does the work: no crash, stall or race commits only one of them. */
const routes = ROUTES.map((route) =>
  route.of === 'environment' && route.id === 'effects.addNote' ? stalling(route) : route,
);
const world = await createWorld({ api: await startTestApi({ routes }) });

describe('the reply of a change', () => {
  const addNote = (effectId: string, key: string): Promise<CallResult> =>
    world.api.call('POST', `/api/v2/actions/effects/${effectId}/notes`, {
      key: world.key,
      headers: { 'Idempotency-Key': key },
      body: { note: 'looked into it' },
    });
  const notesOf = async (effectId: string): Promise<number> =>
    (await world.api.database.asOwner('SELECT id FROM evidence WHERE effect_id = $1', [effectId])).length;

  it('rolls the work of a stalled holder back when its claim was taken over, and answers it with the reply of the other', async () => {
    const effectId = await plantEffect(world);
    const key = randomUUID();
    runs = 0;
    let resume = (): void => undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    beforeRecord = () => (runs === 1 ? resumed : Promise.resolve());
    const stalled = addNote(effectId, key);
    await expect.poll(() => runs).toBe(1);
    // After a lease expires, another process takes over. That one dies too: its own lease expires at once.
    await world.api.database.asOwner(
      'UPDATE idempotency_claims SET holder = gen_random_uuid(), lease_expires_at = now() WHERE key = $1',
      [key],
    );
    resume();
    expect((await stalled).status).toBe(201);
    expect([runs, await notesOf(effectId)]).toEqual([2, 1]);
    const again = await addNote(effectId, key);
    expect([again.headers.get('X-Idempotent-Replay'), again.text]).toEqual(['true', (await stalled).text]);
  });

  it('completes the claim with the work: a failure of the work leaves neither', async () => {
    const effectId = await plantEffect(world);
    const key = randomUUID();
    beforeRecord = () => Promise.reject(new Error('broken'));
    expect((await addNote(effectId, key)).status).toBe(500);
    expect(await notesOf(effectId)).toBe(0);
    beforeRecord = () => Promise.resolve();
    const again = await addNote(effectId, key);
    expect([again.status, again.headers.get('X-Idempotent-Replay')]).toEqual([201, null]);
    expect(await notesOf(effectId)).toBe(1);
  });

  it('does nothing for a request without a key', async () => {
    const effectId = await plantEffect(world);
    beforeRecord = () => Promise.resolve();
    const path = `/api/v2/actions/effects/${effectId}/notes`;
    for (const note of ['first', 'second']) {
      expect((await world.api.call('POST', path, { key: world.key, body: { note } })).status).toBe(201);
    }
    expect(await notesOf(effectId)).toBe(2);
  });

  it('comes before the audit entry, which locks the chain of the workspace until the COMMIT: nothing is sent in between', async () => {
    const writes: string[] = [];
    beforeWork = (tx) => {
      const send = tx.raw;
      vi.spyOn(tx, 'raw').mockImplementation((name, sql, bindings) => {
        writes.push(/\b(?:INSERT INTO|UPDATE) \w+/.exec(sql)?.[0] ?? sql);
        return send(name, sql, bindings);
      });
    };
    expect((await addNote(await plantEffect(world), randomUUID())).status).toBe(201);
    expect(writes).toContain('INSERT INTO evidence');
    expect(writes.slice(-2)).toEqual(['UPDATE idempotency_claims', 'INSERT INTO audit_log']);
  });
});
