import { describe, expect, test } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { insert } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { rows } from './planted-rows.ts';

/** The rules that the database itself enforces on previews, for any writer. */
const database = await createTestDatabase();
const owner = await database.connectOwner();
const action = await plantAction(owner, database.tenant);
await rows.plant(owner, database.tenant);
type Values = Record<string, unknown>;
type Ids = { id: string; invocationId: string; effectId: string };

const DIGEST = `sha256:${'0'.repeat(64)}`;
const bound = (): Values => ({
  input: { amount: 5 },
  run_id: 'run_1',
  agent_id: 'agent',
  operation_key: newId('invocation'),
});

async function plantPreview(over: Values = {}): Promise<Ids & { values: Values }> {
  const ids = { id: newId('preview'), invocationId: newId('invocation'), effectId: newId('effect') };
  const values: Values = {
    id: ids.id,
    environment_id: database.tenant.environmentId,
    action_id: action.actionId,
    version_id: action.versionId,
    adapter_type: 'http.request',
    adapter_version: '1',
    invocation_id: ids.invocationId,
    effect_id: ids.effectId,
    capabilities: {},
    target: {},
    request: {},
    request_digest: DIGEST,
    impact: '[]',
    blocks: '[]',
    preconditions: {},
    binding_digest: DIGEST,
    evidence_observed_at: new Date(),
    expires_at: new Date(),
    made_by: 'caller',
    created_by: {},
    ...bound(),
    ...over,
  };
  await insert(owner, 'previews', values);
  return { ...ids, values };
}

/** The invocation that executes a preview, changed by `over`. */
function use({ id, invocationId, values }: Ids & { values: Values }, over: Values = {}): Promise<void> {
  return insert(owner, 'invocations', {
    id: invocationId,
    environment_id: database.tenant.environmentId,
    action_id: action.actionId,
    version_id: action.versionId,
    operation_key: values['operation_key'] ?? invocationId,
    request_digest: DIGEST,
    input: values['input'],
    run_id: values['run_id'],
    agent_id: values['agent_id'],
    requested_by: {},
    preview_id: id,
    ...over,
  });
}

const successor = (former: { id: string; values: Values }, over: Values = {}): Promise<unknown> => {
  const { input, run_id, agent_id, operation_key } = former.values;
  return plantPreview({ input, run_id, agent_id, operation_key, supersedes: former.id, ...over });
};

describe('an invocation that executes a preview', () => {
  test('is the one that the preview shows, and one alone; it has any operation key where the preview names none', async () => {
    const preview = await plantPreview({ operation_key: null });
    await use(preview, { operation_key: 'any' });
    await expect(use(preview, { id: newId('invocation'), operation_key: 'other' })).rejects.toThrow(
      /invocations_preview/,
    );
  });

  test.each<[string, Values, RegExp]>([
    ['another id', { id: 'inv_other' }, /invocations_execute_their_preview/],
    ['another input', { input: { amount: 6 } }, /is not what preview/],
    ['no run', { run_id: null }, /is not what preview/],
    ['another agent', { agent_id: 'other' }, /is not what preview/],
    ['another operation key', { operation_key: 'other' }, /is not what preview/],
    ['a preview that is not there', { preview_id: 'prv_none' }, /invocations_execute_their_preview/],
  ])('never has %s', async (_, over, message) => {
    await expect(use(await plantPreview(), over)).rejects.toThrow(message);
  });

  test('never executes one that is superseded, and never one of the service', async () => {
    const old = await plantPreview();
    await successor(old);
    await expect(use(old)).rejects.toThrow(/is superseded/);
    await expect(use(await plantPreview({ made_by: 'service' }))).rejects.toThrow(/made by the service/);
  });

  test('is bound for good', async () => {
    const preview = await plantPreview();
    await use(preview);
    await expect(
      owner.query('UPDATE invocations SET preview_id = NULL WHERE id = $1', [preview.invocationId]),
    ).rejects.toThrow(/for good/);
  });

  test("is bound to the service's preview later, of itself alone", async () => {
    const invocationId = await plantInvocation(owner, database.tenant, action);
    const shown = { input: {}, run_id: null, agent_id: null, operation_key: invocationId };
    const own = await plantPreview({ ...shown, made_by: 'service', invocation_id: invocationId });
    const other = await plantPreview({ ...shown, made_by: 'service' });
    const callers = await plantPreview({ ...shown, invocation_id: newId('invocation') });
    const bind = (id: string) =>
      owner.query('UPDATE invocations SET preview_id = $1 WHERE id = $2', [id, invocationId]);
    await expect(bind(other.id)).rejects.toThrow(/invocations_execute_their_preview/);
    await expect(bind(callers.id)).rejects.toThrow(/made by the caller/);
    await bind(own.id);
  });
});

describe('a successor', () => {
  test('is one, of the same request, of a preview that nobody used', async () => {
    const old = await plantPreview();
    await successor(old);
    await expect(successor(old)).rejects.toThrow(/supersedes/);
    await expect(successor(await plantPreview(), { input: {} })).rejects.toThrow(/does not show what/);
    await expect(successor(await plantPreview({ made_by: 'service' }), { made_by: 'service' })).rejects.toThrow(
      /does not show/,
    );
    const used = await plantPreview();
    await use(used);
    await expect(successor(used)).rejects.toThrow(/is used/);
  });
});

describe('an effect that executes a preview', () => {
  const effectOf = (preview: Ids, over: Values = {}) =>
    plantEffect(
      owner,
      database.tenant,
      { invocationId: preview.invocationId, versionId: action.versionId },
      {
        id: preview.effectId,
        preview_id: preview.id,
        binding_digest: DIGEST,
        ...over,
      },
    );

  test('has the id that was reserved, and is bound for good', async () => {
    const preview = await plantPreview();
    await use(preview);
    await expect(effectOf(preview, { id: newId('effect') })).rejects.toThrow(/effects_execute_their_preview/);
    await expect(effectOf(preview, { binding_digest: null })).rejects.toThrow(/effects_of_a_preview_are_bound/);
    const effectId = preview.effectId;
    await effectOf(preview);
    for (const change of [`preview_id = NULL`, `binding_digest = 'sha256:1'`]) {
      await expect(owner.query(`UPDATE effects SET ${change} WHERE id = $1`, [effectId])).rejects.toThrow(/immutable/);
    }
  });
});

test('a preview is unused until an invocation names it, and again when that admission is withdrawn', async () => {
  const unused = async (id: string): Promise<number | null> =>
    (await owner.query('SELECT FROM unused_previews WHERE preview_id = $1', [id])).rowCount;
  const preview = await plantPreview();
  expect(await unused(preview.id)).toBe(1);
  await use(preview);
  expect(await unused(preview.id)).toBe(0);
  await owner.query('DELETE FROM invocations WHERE id = $1', [preview.invocationId]);
  expect(await unused(preview.id)).toBe(1);
  expect(await unused((await plantPreview({ made_by: 'service' })).id)).toBe(0);
});

test('previews and observations are never changed or removed, not by their owner', async () => {
  for (const table of ['previews', 'observations']) {
    await expect(owner.query(`UPDATE ${table} SET environment_id = environment_id`)).rejects.toThrow(/append-only/);
    await expect(owner.query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/);
  }
});
