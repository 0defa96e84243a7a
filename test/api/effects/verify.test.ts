import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { withoutTriggers } from '../../db/harness/plant.ts';
import { checkReceipt } from '../../db/effects/stranger.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { receiptCheckSchema } from '../../../api/effects/schemas.ts';
import { createAction, dataOf, type Effect, effectIn, effectOf, invoke } from '../invocations/support.ts';
import { evidence, operatorOf, unknownOf } from '../reconciliation/support.ts';

/** A receipt is checked by the service, and by a third party that has only its text. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const operator = await operatorOf(service);

const pathOf = (effect: Effect): string => `/api/v2/actions/effects/${effect.id}`;
const verify = async (effect: Effect) => dataOf(await service.get(`${pathOf(effect)}/verify`), receiptCheckSchema);
const read = async (effect: Effect): Promise<Effect> => effectIn(await service.get(pathOf(effect)));

async function acknowledged(): Promise<Effect> {
  const action = await createAction(service, { url: `${target.baseUrl}/status?status=201` });
  return effectOf(service, (await invoke(service, action)).invocation);
}

async function resolved(): Promise<Effect> {
  const { effect } = await unknownOf(service, { url: `${target.baseUrl}/status?status=503` });
  const reply = await operator.post(`${pathOf(effect)}/resolve`, {
    outcome: 'failed',
    partialEffect: 'none',
    evidence,
  });
  expect(reply.status, reply.text).toBe(200);
  return effectIn(reply);
}

describe('GET /actions/effects/{id}/verify', () => {
  test('finds the receipt of a dispatch whole, and so does a stranger', async () => {
    const effect = await acknowledged();
    expect(effect.grade).toBe('acknowledged');
    const checked = await verify(effect);
    expect(checked).toMatchObject({
      valid: true,
      checked: { evidence: 1, attempts: 1, resolutions: 0 },
      brokenAt: null,
    });
    const { problems, head } = checkReceipt(effect);
    expect(problems).toEqual([]);
    expect(checked).toMatchObject({ head, entries: head?.sequence });
  });

  test('finds that of a resolution whole, and so does a stranger, to whom one changed member shows', async () => {
    const effect = await read(await resolved());
    const checked = await verify(effect);
    expect(checked).toMatchObject({ valid: true, checked: { resolutions: 1 } });
    expect(checkReceipt(effect)).toEqual({ problems: [], head: checked.head });
    const [attempt, ...attempts] = effect.attempts;
    expect(checkReceipt({ ...effect, resolution: { ...effect.resolution, outcome: 'succeeded' } }).problems).toEqual([
      expect.stringContaining('resolution'),
    ]);
    expect(checkReceipt({ ...effect, attempts: [{ ...attempt, responseDigest: null }, ...attempts] }).problems).toEqual(
      [expect.stringContaining('attempt_ended')],
    );
    expect(checkReceipt({ ...effect, evidence: effect.evidence.slice(1) }).problems).not.toEqual([]);
  });

  test('says where a receipt is broken', async () => {
    const effect = await resolved();
    const owner = new Client({ connectionString: service.database.ownerUrl });
    await owner.connect();
    await withoutTriggers(owner, () =>
      owner.query(`UPDATE resolutions SET summary = 'another story' WHERE effect_id = $1`, [effect.id]),
    );
    await owner.end();
    expect(await verify(effect)).toMatchObject({
      valid: false,
      checked: { resolutions: 0 },
      brokenAt: { problem: 'content', kind: 'resolution' },
    });
  });

  test('is 404 for an effect that is not there', async () => {
    expect((await service.get('/api/v2/actions/effects/eff_unknown/verify')).status).toBe(404);
  });
});
