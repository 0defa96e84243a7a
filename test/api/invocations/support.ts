import { expect } from 'vitest';
import { z } from 'zod';
import { effectSchema, listedEffectSchema } from '../../../api/effects/schemas.ts';
import { invocationSchema } from '../../../api/invocations/schemas.ts';
import { runSchema } from '../../../api/runs/schemas.ts';
import { isAtRest } from '../../../domain/lifecycle.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';

export type Invocation = z.infer<typeof invocationSchema>;
export type Effect = z.infer<typeof effectSchema>;

/** A caller of the API with a key: a test's service, or a separate process. */
export type Caller = Pick<TestService, 'post' | 'get'>;

/** The reply's data, checked against the schema of its route. */
export function dataOf<Schema extends z.ZodType>(reply: CallResult, schema: Schema): z.output<Schema> {
  const body = reply.json as { success: boolean; data: unknown };
  if (!body.success) throw new Error(`expected data, got ${reply.status} ${reply.text}`);
  return schema.parse(body.data);
}

export const invocationIn = (reply: CallResult): Invocation => dataOf(reply, invocationSchema);
export const invocationsIn = (reply: CallResult): Invocation[] => dataOf(reply, z.array(invocationSchema));
export const effectIn = (reply: CallResult): Effect => dataOf(reply, effectSchema);
export const effectsIn = (reply: CallResult): z.infer<typeof listedEffectSchema>[] =>
  dataOf(reply, z.array(listedEffectSchema));

export function errorOf(reply: CallResult): { code: string; message: string; details?: JsonObject } {
  return (reply.json as { error: { code: string; message: string; details?: JsonObject } }).error;
}

/** The status and the error's code, undefined where the reply is a success. */
export function statusAndCode(reply: CallResult): [number, string | undefined] {
  return [reply.status, (reply.json as { error?: { code: string } }).error?.code];
}

let actions = 0;

/** Creates an action for one test and returns its name. It is governed unless `overrides` says otherwise. */
export async function createAction(service: Caller, config: JsonObject, overrides: JsonObject = {}): Promise<string> {
  const name = `test.action-${++actions}`;
  const reply = await service.post('/api/v2/actions', {
    name,
    adapter: { type: 'http.request', config: { method: 'POST', ...config } },
    governed: true,
    ...overrides,
  });
  if (reply.status !== 201) throw new Error(reply.text);
  return name;
}

/** Begins a run and returns its id. */
export async function beginRun(service: Caller): Promise<string> {
  return dataOf(await service.post('/api/v2/runs', {}), runSchema).id;
}

export async function invoke(
  service: Caller,
  action: string,
  body: JsonObject = { input: {} },
  headers: Record<string, string> = {},
): Promise<CallResult & { invocation: Invocation }> {
  const reply = await service.post(`/api/v2/actions/${action}/invoke`, body, headers);
  return Object.assign(reply, { invocation: invocationIn(reply) });
}

export async function effectOf(service: Caller, invocation: Invocation): Promise<Effect> {
  if (invocation.effectId === null) throw new Error(`invocation ${invocation.id} has no effect`);
  return effectIn(await service.get(`/api/v2/actions/effects/${invocation.effectId}`));
}

/**
 * Waits until the effect of an invocation is at rest: no call for it is in flight, and only an external event changes its state.
 * A caller who got a 202, as on a busy machine, has not seen that yet, because an effect that is being dispatched is `pending`.
 */
export async function effectAtRest(service: Caller, invocationId: string): Promise<Effect> {
  const seen: { effect?: Effect } = {};
  const look = async (): Promise<string> => {
    const invocation = invocationIn(await service.get(`/api/v2/actions/invocations/${invocationId}`));
    if (invocation.effectId === null) return `${invocation.status}, without an effect`;
    const effect = await effectOf(service, invocation);
    seen.effect = effect;
    const isCalling = effect.attempts.some(({ status }) => status === 'started');
    const progress = { status: invocation.status, stage: effect.stage, awaitsDependencies: false };
    return isAtRest(progress) && !isCalling ? 'at rest' : effect.stage;
  };
  await expect.poll(look).toBe('at rest');
  if (seen.effect === undefined) throw new Error(`${invocationId} is at rest without an effect`);
  return seen.effect;
}
