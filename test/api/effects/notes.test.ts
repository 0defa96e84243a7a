import { expect, test } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { NOTES_PER_EFFECT_MAX } from '../../../domain/reconciliation/notes.ts';
import { createWorld } from '../suites/create-world.ts';
import { plantEffect } from './fixtures.ts';

const world = await createWorld();

test('notes of an effect end at their cap, also where several arrive at once', async () => {
  const effectId = await plantEffect(world);
  const ids = Array.from({ length: NOTES_PER_EFFECT_MAX - 2 }, () => newId('evidence'));
  await world.api.database.asOwner(
    `INSERT INTO evidence (id, environment_id, effect_id, source, observed_at, summary, actor_type, actor_id)
     SELECT unnest($1::text[]), environment_id, id, 'operator_note', now(), 'planted', 'api_key', 'key_planted' FROM effects WHERE id = $2`,
    [ids, effectId],
  );
  const add = (id: string) =>
    world.api.call('POST', `/api/v2/actions/effects/${id}/notes`, { key: world.key, body: { note: 'Called them.' } });
  const replies = await Promise.all(Array.from({ length: 5 }, () => add(effectId)));
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 429, 429, 429]);
  const refused = await add(effectId);
  expect(refused.json).toMatchObject({
    error: { code: 'QUOTA_EXCEEDED', message: expect.stringContaining('at most 200 notes') as string },
  });
  expect((await add(await plantEffect(world))).status).toBe(201);
});
