import { vi } from 'vitest';
import { messageSchema } from '../../api/messages/schemas.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import type { Scope } from '../../domain/scopes.ts';
import { approve, readApproval } from '../api/approvals/support.ts';
import { createAction, dataOf, type Invocation, invocationIn, invoke } from '../api/invocations/support.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import type { Target } from '../harness/target.ts';
import { sentTo } from './seen.ts';
import type { ApiProcess, SeparateProcesses } from './separate-processes.ts';

const LOOK_INTERVAL_MS = 100;
const LONG_POLL_SECONDS = 30;

/** What a deployment does all day, for tests of what it stands on. `AS_IT_SHOULD` is what comes of it. */
export async function everydayWork(processes: SeparateProcesses, api: ApiProcess, target: Target) {
  const parts = { processes, api, target };
  const governed = await invokeGoverned(parts);
  const approved = await waitForApproval(parts);
  const retried = await deliverAfterRetry(parts);
  const fired = await fireSchedule(parts);
  return { governed, approved, retried, fired };
}

export const AS_IT_SHOULD = {
  governed: { status: 'succeeded', sent: 1 },
  approved: { sentBefore: 0, status: 'succeeded', sent: 1 },
  retried: { status: 'delivered', sent: 2 },
  fired: { isSent: true },
};

interface Parts {
  processes: SeparateProcesses;
  api: ApiProcess;
  target: Target;
}

let calls = 0;
/** A path of the target that nothing else is sent to. */
const pathOf = (answer: string): string => `${answer}?everyday=${++calls}`;

/** A governed call that waits for nothing. */
export async function invokeGoverned({ api, target }: Parts) {
  const path = pathOf('/ok');
  const action = await createAction(api, { url: `${target.baseUrl}${path}` });
  const { invocation } = await invoke(api, action);
  const { status } = await atRest(api, invocation.id);
  return { status, sent: await sentTo(target, path) };
}

/** One that waits for a person, whom another key stands for, while its caller waits for both. */
async function waitForApproval({ processes, api, target }: Parts) {
  const path = pathOf('/ok');
  const config = { url: `${target.baseUrl}${path}` };
  const action = await createAction(api, config, { approval: { required: true } });
  const { invocation } = await invoke(api, action);
  const approver = api.as(await keyOf(processes, 'approver'));
  const sentBefore = await sentTo(target, path);
  const ended = atRest(api, invocation.id);
  const decided = await approve(approver, await readApproval(api, invocation.approvalId));
  if (decided.status !== 200) throw new Error(decided.text);
  const { status } = await ended;
  return { sentBefore, status, sent: await sentTo(target, path) };
}

/** A message whose receiver takes it at its second attempt. */
async function deliverAfterRetry({ processes, api, target }: Parts) {
  const path = pathOf('/flaky');
  const publisher = api.as(await keyOf(processes, 'publisher', ['messages:read', 'messages:write']));
  const body = { url: `${target.baseUrl}${path}`, body: { note: 'everyday' }, maxRetries: 5, retryDelay: '500' };
  const published = await publisher.post('/api/v2/messages/publish', body);
  if (published.status !== 201) throw new Error(published.text);
  const { messageId } = (published.json as { data: { messageId: string } }).data;
  const status = await until(
    async () => dataOf(await publisher.get(`/api/v2/messages/${messageId}`), messageSchema).status,
    (now) => ['delivered', 'failed'].includes(now),
  );
  return { status, sent: await sentTo(target, path) };
}

/** A schedule of each second, until its message arrives. */
async function fireSchedule({ processes, api, target }: Parts) {
  const path = pathOf('/ok');
  const scopes = ['schedules:read', 'schedules:write', 'messages:write'] as const;
  const scheduler = api.as(await keyOf(processes, 'scheduler', scopes));
  const body = { cron: '* * * * * *', destination: { url: `${target.baseUrl}${path}` } };
  const made = await scheduler.post('/api/v2/schedules', body);
  if (made.status !== 201) throw new Error(made.text);
  const sent = await until(
    () => sentTo(target, path),
    (now) => now > 0,
  );
  const { id } = (made.json as { data: { id: string } }).data;
  const paused = await scheduler.post(`/api/v2/schedules/${id}/pause`, {});
  if (paused.status !== 200) throw new Error(paused.text);
  return { isSent: sent > 0 };
}

async function atRest(api: ApiProcess, id: string): Promise<Invocation> {
  const read = async () => invocationIn(await api.get(`/api/v2/actions/invocations/${id}?wait=${LONG_POLL_SECONDS}`));
  return until(read, ({ status }) => ['succeeded', 'failed', 'unknown', 'refused', 'denied'].includes(status));
}

async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const look = async (): Promise<T> => {
    const value = await read();
    if (!holds(value)) throw new Error(`it stands at ${JSON.stringify(value)}`);
    return value;
  };
  return vi.waitFor(look, { timeout: PATIENCE_MS, interval: LOOK_INTERVAL_MS });
}

async function keyOf({ database }: SeparateProcesses, name: string, scopes: readonly Scope[] = []): Promise<string> {
  const made = await database.db.withEnvironment(database.tenant, (tx) =>
    createApiKey(tx, { name, preset: 'full_access', scopes: [...scopes] }),
  );
  return made.key;
}
