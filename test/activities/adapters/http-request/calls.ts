import type { Adapter, DispatchResult, ReadBackResult } from '../../../../activities/adapters/adapter.ts';
import { createHttpRequestAdapter } from '../../../../activities/adapters/http-request/http-request-adapter.ts';
import type { SendOptions } from '../../../../activities/adapters/http-request/send-request.ts';
import type { VerifyDeclaration } from '../../../../domain/actions.ts';
import type { ProviderResponse } from '../../../../domain/adapters/adapter-descriptor.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../../domain/egress.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { definitionOf, IDENTITY } from '../../../domain/http-request-fixtures.ts';

export const LOOPBACK = parseEgressAllow(LOOPBACK_EGRESS);

export interface Call {
  config: JsonObject;
  input?: JsonObject;
  secrets?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export function adapterWith(options: Partial<SendOptions> = {}): Adapter {
  return createHttpRequestAdapter({ egressAllow: LOOPBACK, ...options });
}

/** Prepares with the secrets and dispatches, as the activity does. */
export async function dispatch(call: Call, adapter: Adapter = adapterWith()): Promise<DispatchResult> {
  const definition = definitionOf(call.config);
  const secrets = new Map(Object.entries(call.secrets ?? {}));
  const prepared = adapter.descriptor.prepare({ definition, input: call.input ?? {}, identity: IDENTITY, secrets });
  if (prepared.kind !== 'ready') throw new Error(JSON.stringify(prepared));
  const signal = call.signal ?? new AbortController().signal;
  return adapter.dispatch({
    definition,
    request: prepared.request,
    secrets,
    timeoutMs: call.timeoutMs ?? 5_000,
    signal,
  });
}

export async function answered(call: Call, adapter?: Adapter): Promise<Extract<DispatchResult, { kind: 'answered' }>> {
  const result = await dispatch(call, adapter);
  if (result.kind !== 'answered') throw new Error(`not answered but ${JSON.stringify(result)}`);
  return result;
}

export async function readBack(
  verify: VerifyDeclaration | null,
  call: Omit<Call, 'config'> & { config?: JsonObject; response?: ProviderResponse | null },
  adapter: Adapter = adapterWith(),
): Promise<ReadBackResult> {
  return adapter.readBack({
    definition: definitionOf(call.config ?? {}, verify),
    input: call.input ?? {},
    identity: IDENTITY,
    response: call.response ?? null,
    secrets: new Map(Object.entries(call.secrets ?? {})),
    timeoutMs: call.timeoutMs ?? 5_000,
    signal: call.signal ?? new AbortController().signal,
  });
}
