import { describe, expect, test } from 'vitest';
import { PENDING_FREE_STANDING_MAX } from '../../../domain/approvals/limits.ts';
import { LIVE_PREVIEWS_MAX } from '../../../domain/previews/limits.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { approvalIn } from '../approvals/support.ts';
import { createAction, errorOf, invoke } from '../invocations/support.ts';
import type { CallResult } from '../harness/test-api.ts';
import { preview } from './support.ts';

/** The number of waiting previews per environment is never exceeded, even by many requests at once. */
const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { environmentId } = service.database.tenants.development;

const AT_ONCE = 6;
const atOnce = (one: () => Promise<CallResult>) => Promise.all(Array.from({ length: AT_ONCE }, one));
const outcomes = (replies: CallResult[]): string[] =>
  replies.map((reply) => (reply.status === 201 ? 'made' : `${reply.status} ${errorOf(reply).code}`)).sort();
const inPart = (made: number): string[] => [
  ...Array.from({ length: AT_ONCE - made }, () => '429 QUOTA_EXCEEDED'),
  ...Array.from({ length: made }, () => 'made'),
];

/** Inserts this many copies of a row, which differ in the named columns. */
async function fill(table: string, id: string, over: Record<string, string>, copies: number): Promise<void> {
  await service.database.asOwner(
    `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object(${Object.entries(over)
      .map(([column, sql]) => `'${column}', ${sql}`)
      .join(', ')}))).* FROM ${table} t, generate_series(1, ${copies}) n WHERE t.id = '${id}'`,
  );
}

describe('previews of an environment that nobody used', () => {
  test('are so many and no more, made at once or one after the other; use, withdrawal and time make room', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const make = () => service.post(`/api/v2/actions/${action}/previews`, { input: {} });
    const first = await preview(service, action);
    const copy = { id: `'prv_copy' || n`, invocation_id: `'inv_copy' || n`, effect_id: `'eff_copy' || n` };
    await fill('previews', first.id, copy, LIVE_PREVIEWS_MAX - 3);
    expect(outcomes(await atOnce(make))).toEqual(inPart(2));
    const refused = await make();
    expect(errorOf(refused).message).toContain(`at most ${LIVE_PREVIEWS_MAX} previews`);

    await invoke(service, action, { input: {}, previewId: first.id });
    expect(outcomes(await atOnce(make))).toEqual(inPart(1));

    await service.database.asOwner(
      `UPDATE unused_previews SET expires_at = now() WHERE preview_id IN ('prv_copy1', 'prv_copy2')`,
    );
    expect(outcomes(await atOnce(make))).toEqual(inPart(2));

    const [unused] = await service.database.asOwner<{ id: string }>(
      'SELECT preview_id AS id FROM unused_previews WHERE environment_id = $1 AND preview_id = $2',
      [environmentId, first.id],
    );
    expect(unused).toBeUndefined();
  });
});

describe('free-standing approvals of an environment that are pending', () => {
  test('are so many and no more, opened at once or one after the other; an end makes room', async () => {
    const open = () =>
      service.post('/api/v2/approvals', { title: 'Deploy', summary: 'Deploys.', payload: { release: 7 } });
    const { id } = approvalIn(await open());
    await fill('approvals', id, { id: `'apr_copy' || n`, awaited_status: 'NULL' }, PENDING_FREE_STANDING_MAX - 3);
    expect(outcomes(await atOnce(open))).toEqual(inPart(2));
    expect(errorOf(await open()).message).toContain(`at most ${PENDING_FREE_STANDING_MAX} free-standing approvals`);
    await service.database.asOwner(
      `UPDATE approvals SET status = 'cancelled', decided_at = now() WHERE id = 'apr_copy1'`,
    );
    expect(outcomes(await atOnce(open))).toEqual(inPart(1));
  });
});
