import type { Adapter, DispatchResult, Inspection, ReadBackResult } from '../../../activities/adapters/adapter.ts';
import type { EgressMeter } from '../../../activities/adapters/http-request/exchange.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';
import type { PreparedRequest, ProviderResponse } from '../../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../../domain/json.ts';

export interface AdapterCalls {
  definition: ActionDefinition;
  prepared(input: JsonObject, effectId: string): PreparedRequest;
  /** Prepares with the secrets and sends, as a dispatch does. */
  dispatch(input: JsonObject, effectId: string, options?: CallOptions): Promise<DispatchResult>;
  readBack(input: JsonObject, effectId: string, response?: ProviderResponse | null): Promise<ReadBackResult>;
  inspect(input: JsonObject): Promise<Inspection>;
}

export interface CallOptions {
  kind?: 'dispatch' | 'replay';
  timeoutMs?: number;
  egress?: EgressMeter;
  /** Passed to the adapter instead of the prepared request. */
  change?: (request: PreparedRequest) => PreparedRequest;
}

const TIMEOUT_MS = 20_000;

/** An adapter with an action of it, called as the activities call it. */
export function callsOf(
  adapter: Adapter,
  config: JsonObject,
  secretValues: Record<string, string>,
  overrides: Partial<ActionDefinition> = {},
): AdapterCalls {
  const { descriptor } = adapter;
  const parsed = descriptor.parseConfig(config);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const definition: ActionDefinition = {
    adapter: { type: descriptor.type, version: descriptor.version, config: parsed.config },
    inputSchema: descriptor.inputSchema ?? { type: 'object' },
    outputSchema: null,
    governed: true,
    impact: [],
    verify: null,
    approval: { required: false, tag: null },
    timeoutMs: TIMEOUT_MS,
    ...overrides,
  };
  const secrets = new Map(Object.entries(secretValues));
  const identityOf = (effectId: string) => ({ invocationId: 'inv_1', effectId, operationKey: 'key-1' });
  const { signal } = new AbortController();
  const prepare = (input: JsonObject, effectId: string, filled: boolean): PreparedRequest => {
    const prepared = descriptor.prepare({
      definition,
      input,
      identity: identityOf(effectId),
      ...(filled ? { secrets } : {}),
    });
    if (prepared.kind !== 'ready') throw new Error(JSON.stringify(prepared));
    return prepared.request;
  };
  return {
    definition,
    prepared: (input, effectId) => prepare(input, effectId, false),
    dispatch(input, effectId, { kind = 'dispatch', timeoutMs = TIMEOUT_MS, change = unchanged, egress } = {}) {
      const request = change(prepare(input, effectId, true));
      return adapter.dispatch({ definition, request, secrets, kind, timeoutMs, signal, ...(egress && { egress }) });
    },
    readBack: (input, effectId, response = null) =>
      adapter.readBack({
        definition,
        input,
        identity: identityOf(effectId),
        response,
        secrets,
        timeoutMs: TIMEOUT_MS,
        signal,
      }),
    async inspect(input) {
      if (adapter.inspect === undefined) throw new Error(`${descriptor.type} inspects nothing`);
      const identity = identityOf('eff_none');
      return adapter.inspect({ definition, input, identity, secrets, timeoutMs: TIMEOUT_MS, signal });
    },
  };
}

/** The response of a dispatch that was answered. */
export function responseOf(result: DispatchResult): ProviderResponse {
  if (result.kind !== 'answered') throw new Error(`expected an answer, not ${JSON.stringify(result)}`);
  return result.response;
}

const unchanged = (request: PreparedRequest): PreparedRequest => request;
