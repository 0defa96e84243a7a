import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { startInTurn, wakeHeldMessages } from '../../../activities/messages/wake-messages.ts';
import { activityProgress } from '../../../activities/progress.ts';
import { withHeartbeats } from '../../../activities/with-heartbeats.ts';
import { LaneTakers } from '../../../activities/lane-takers.ts';
import { type Database, OVER_RAW } from '../../../db/client.ts';
import type { MessageRef } from '../../../domain/messages/messages.ts';

/** A bulk start that is cut off goes on where it stopped: the tries of an overloaded Temporal do not each start all again. */
const IDS = Array.from({ length: 40 }, (_, at) => `msg_${String(at).padStart(2, '0')}`);
const TENANT = { workspaceId: 'wsp', environmentId: 'env' };

/** A database that holds, or queues, all of IDS. */
const rows = [{ due: IDS, later: [], starting: IDS, ids: IDS }];
const raw = (_: unknown, sql: string) =>
  Promise.resolve({ rows: sql.includes('held_at') ? IDS.map((id) => ({ id })) : rows });
const once = (_tenant: unknown, work: (tx: unknown) => Promise<unknown>) => work({ ...OVER_RAW, raw });
const db = { oneStatement: once, withEnvironment: once } as unknown as Database;

function world(failAt: number) {
  const begun: string[] = [];
  const beginMessage = ({ messageId }: MessageRef): Promise<void> => {
    begun.push(messageId);
    return begun.length === failAt ? Promise.reject(ApplicationFailure.create({ message: 'away' })) : Promise.resolve();
  };
  const inFlightCaps = { dispatch: 1, delivery: 100, provider_read: 1, notification: 1, maintenance: 1 };
  const paceMessages = () => Promise.reject(new Error('nothing is due later'));
  const logger = { warn: () => undefined };
  return { begun, deps: { db, beginMessage, inFlightCaps, laneTakers: new LaneTakers(), paceMessages, logger } };
}

describe.each([
  ['startInTurn', (deps: never) => (): Promise<unknown> => startInTurn(deps, activityProgress)(TENANT, IDS)],
  ['wakeHeldMessages', (deps: never) => (): Promise<unknown> => wakeHeldMessages(deps, activityProgress)(TENANT, '')],
])('%s', (_name, bind) => {
  test('starts on a retry what it had not started, and tells of it in each heartbeat', async () => {
    const first = world(25);
    const cutOff = new MockActivityEnvironment({ attempt: 1 });
    let kept: unknown;
    cutOff.on('heartbeat', (details: unknown) => (kept = details));
    await expect(cutOff.run(bind(first.deps as never))).rejects.toThrow('away');
    expect(kept).toHaveLength(29); // all of the first three rounds of ten but the one that failed

    const second = world(0);
    const again = new MockActivityEnvironment({ attempt: 2, heartbeatDetails: kept });
    const beats: unknown[] = [];
    again.on('heartbeat', (details: unknown) => beats.push(details));
    await again.run(() => withHeartbeats({ heartbeatTimeoutMs: 3_000 }, bind(second.deps as never)));
    expect(second.begun).toEqual(IDS.filter((id) => !(kept as string[]).includes(id)));
    expect(beats.at(-1)).toEqual(expect.arrayContaining(IDS));
  });
});
