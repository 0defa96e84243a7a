import { expect, test } from 'vitest';
import { INVOCATION_STATUSES, isAtRest } from '../../../domain/lifecycle.ts';
import { ActivityWorld } from '../../activities/invocations/world.ts';
import { startsOf } from '../../activities/maintenance/relay-starts.ts';
import { refusalOf } from './planted-rows.ts';

/** Which statuses are at rest is defined twice: in domain/lifecycle.ts, and in PostgreSQL for the outbox of starts. */

const world = await ActivityWorld.start();

/** Moves an admitted invocation directly to any status, past the triggers that restrict its moves. */
async function plant(invocationId: string, status: string): Promise<void> {
  await world.database.asOwner(
    'ALTER TABLE invocations DISABLE TRIGGER USER; ALTER TABLE invocations ENABLE TRIGGER keep_start_update',
  );
  await world.database.asOwner(
    `UPDATE invocations SET status = $2, ${refusalOf('$2')}, outcome_source = CASE WHEN $2 = 'succeeded' THEN 'provider_response' END WHERE id = $1`,
    [invocationId, status],
  );
  await world.database.asOwner('ALTER TABLE invocations ENABLE TRIGGER USER');
}

test.each(INVOCATION_STATUSES)(
  '%s: its workflow is to run where it is not at rest, and not where it is',
  async (status) => {
    const { invocationId } = await world.admit();
    await plant(invocationId, status);
    const listed = await startsOf(world.database, 'invocation');
    expect(listed.includes(invocationId)).toBe(!isAtRest({ status, stage: null, awaitsDependencies: false }));
  },
);
