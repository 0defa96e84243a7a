import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createAction, type Caller, mustPost } from './workspaces.ts';

const ACTION = 'crowd.hang';
/** They hang for the whole run. */
const TIMEOUT_MS = 300_000;
const AT_ONCE = 50;
const MESSAGES_A_BATCH = 100;
const LOOK_MS = 100;

const ARRIVED_INVOCATIONS = `SELECT (SELECT count(*) FROM lane_places WHERE environment_id = $1 AND kind = 'dispatch')::int
  + (SELECT count(*) FROM invocations WHERE environment_id = $1 AND status NOT IN ('queued', 'dispatching'))::int AS n`;
const ARRIVED_MESSAGES = `SELECT (SELECT count(*) FROM lane_places WHERE environment_id = $1 AND kind = 'delivery')::int
  + (SELECT count(*) FROM messages WHERE environment_id = $1 AND status = 'failed')::int AS n`;

/** Makes the crowd arrive, and waits until all of it holds a place or queues for one. */
export async function bringCrowd(
  crowd: Caller,
  ownerUrl: string,
  targetUrl: string,
  wanted: { invocations: number; messages: number },
  note: (text: string) => void,
): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const count = async (sql: string): Promise<number> => {
      const { rows } = await owner.query<{ n: number }>(sql, [crowd.tenant.environmentId]);
      return rows[0]?.n ?? Number.NaN;
    };
    // Who holds a place or queues for one; and whose call has timed out meanwhile, because the crowd takes minutes to arrive.
    const arrivedInvocations = (): Promise<number> => count(ARRIVED_INVOCATIONS);
    const arrivedMessages = (): Promise<number> => count(ARRIVED_MESSAGES);
    const url = `${targetUrl}/hang`;
    await createAction(crowd, ACTION, url, TIMEOUT_MS);
    for (let sent = 0; sent < wanted.invocations; sent += AT_ONCE) {
      const now = Math.min(AT_ONCE, wanted.invocations - sent);
      // Our callers do not wait for a reply that would come minutes later: they leave once their invocation asks for a place.
      const arrived = reached(arrivedInvocations, sent + now);
      await Promise.all(
        Array.from({ length: now }, () =>
          crowd.postAndLeave(`/api/v2/actions/${ACTION}/invoke`, { input: {} }, arrived),
        ),
      );
    }
    note(`${wanted.invocations} invocations hang or queue`);
    for (let sent = 0; sent < wanted.messages; sent += MESSAGES_A_BATCH) {
      const now = Math.min(MESSAGES_A_BATCH, wanted.messages - sent);
      const message = { url, timeoutSeconds: TIMEOUT_MS / 1000, maxRetries: 0 };
      const reply = await mustPost(crowd, '/api/v2/messages/batch', {
        messages: Array.from({ length: now }, () => message),
      });
      if (reply.includes('"error"')) throw new Error(`a message of the crowd was not accepted: ${reply}`);
      await reached(arrivedMessages, sent + now);
    }
    note(`${wanted.messages} deliveries hang or queue`);
  } finally {
    await owner.end();
  }
}

async function reached(count: () => Promise<number>, wanted: number): Promise<void> {
  while ((await count()) < wanted) await delay(LOOK_MS);
}
