import type { JsonObject } from '../../../domain/json.ts';
import { FAULTS_AFTER_EFFECT, FAULTS_BEFORE_EFFECT } from '../../harness/providers/provider-server.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../harness/service.ts';

/** A service that calls one fake provider, with the helpers that every provider's tests need. */

export const COMMON_FAULTS = [...FAULTS_BEFORE_EFFECT, ...FAULTS_AFTER_EFFECT];
/** The time-out of an action: a hanging call is given up after it. */
const TIMEOUT_MS = 2_000;

export interface ProviderWorld {
  service: TestService;
  /** Returns the name of the action. */
  createAction(type: string, config: JsonObject, overrides?: JsonObject): Promise<string>;
  /** A limit too high to be exceeded: tests check its counter. Returns its id. */
  limitOn(action: string, counted: JsonObject): Promise<string>;
}

export async function startProviderWorld(
  providers: TestServiceOptions['providers'],
  secrets: Readonly<Record<string, string>>,
): Promise<ProviderWorld> {
  const service = await startTestService(providers === undefined ? {} : { providers });
  for (const [name, value] of Object.entries(secrets)) {
    const put = await service.call('PUT', `/api/v2/secrets/${name}`, { key: service.key, body: { value } });
    if (put.status !== 201) throw new Error(put.text);
  }
  let actions = 0;
  return {
    service,
    async createAction(type, config, overrides = {}) {
      const name = `provider.action-${++actions}`;
      const body = { name, adapter: { type, config }, timeoutMs: TIMEOUT_MS, ...overrides };
      const reply = await service.post('/api/v2/actions', body);
      if (reply.status !== 201) throw new Error(reply.text);
      return name;
    },
    async limitOn(action, counted) {
      const scope = { actions: [action] };
      const body = { name: `of ${action}`, cap: 1_000_000_000, period: 'lifetime', scope, ...counted };
      const reply = await service.post('/api/v2/impact-limits', body);
      if (reply.status !== 201) throw new Error(reply.text);
      return (reply.json as { data: { id: string } }).data.id;
    },
  };
}
