import { expect } from 'vitest';
import type { AdapterFor } from '../../../activities/adapters/index.ts';
import type { AdapterCapabilities } from '../../../domain/actions.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { createAction, type Effect, effectOf, type Invocation, invoke } from '../invocations/support.ts';

/** `http.request` with the declaration that a provider's own adapter would have. */
export function withCapabilities(capabilities: Partial<AdapterCapabilities>): (real: AdapterFor) => AdapterFor {
  return (real) => (named) => {
    const adapter = real(named);
    const { descriptor } = adapter;
    const capabilitiesFor: typeof descriptor.capabilitiesFor = (definition) => ({
      ...descriptor.capabilitiesFor(definition),
      ...capabilities,
    });
    return {
      descriptor: { ...descriptor, capabilitiesFor },
      dispatch: (input) => adapter.dispatch(input),
      readBack: (input) => adapter.readBack(input),
    };
  };
}

/** A key of the same environment that requested nothing, so it may resolve. */
export async function operatorOf(service: TestService): Promise<{
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<CallResult>;
}> {
  const { key } = await service.createKey(service.database.tenant);
  return { post: (path, body, headers = {}) => service.call('POST', path, { key, body, headers }) };
}

/** An invocation of its own action, with an unknown outcome. */
export async function unknownOf(
  service: TestService,
  config: JsonObject,
  overrides: JsonObject = {},
): Promise<{ invocation: Invocation; effect: Effect }> {
  const { invocation } = await invoke(service, await createAction(service, config, overrides));
  if (invocation.grade !== 'unknown') throw new Error(`expected unknown, got ${JSON.stringify(invocation)}`);
  const effect = await effectOf(service, invocation);
  // The reply does not wait until the reconciliation has started.
  const reconciliation = service.client.workflow.getHandle(`reconcile/${effect.id}`);
  await expect.poll(async () => (await reconciliation.describe()).workflowId).toBe(reconciliation.workflowId);
  return { invocation, effect };
}

export const evidence = { summary: 'looked it up in the dashboard of the provider' };
