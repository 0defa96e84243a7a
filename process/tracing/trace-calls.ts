import type { Adapter } from '../../activities/adapters/adapter.ts';
import type { SendRequest } from '../../activities/adapters/http-request/send-request.ts';
import type { AdapterFor } from '../../activities/adapters/index.ts';
import type { Watched, WatchdogOptions } from '../../activities/adapters/watchdog.ts';
import type { Database, Tenant } from '../../db/client.ts';
import { readWaits, type Wait } from '../../db/tracing/trace-contexts.ts';
import { portOf } from '../../domain/own-endpoints.ts';
import { ATTRIBUTES } from '../../domain/tracing/attributes.ts';
import { parseTraceparent } from '../../domain/tracing/traceparent.ts';
import type { SpanAttributes, Tracing } from '../../domain/tracing/tracing.ts';
import { contextOf, recordIn } from './record-context.ts';

/** A place that was free is taken within a transaction, which is no wait. */
const PLACE_WAIT_MS_MIN = 50;

/** A span for each call to the outside that the watchdog watches. */
export class CallTracing {
  private readonly tracing: Tracing;
  private db: Database | null = null;

  constructor(tracing: Tracing) {
    this.tracing = tracing;
  }

  /** Where the traces of records are looked up. */
  useDatabase(db: Database): void {
    this.db = db;
  }

  /** The option of the watchdog. */
  get option(): Pick<WatchdogOptions, 'around'> {
    return { around: (watched, call) => this.around(watched, call) };
  }

  private async around<T>(watched: Watched, call: () => Promise<T>): Promise<T> {
    const { kind, ids } = watched;
    const tenant = tenantOf(watched);
    // A delivery is claimed by no activity, so that only its row knows its trace.
    const underWay = this.tracing.context();
    const parent = underWay ?? (await this.contextOf(tenant, ids));
    const isTold = kind === 'dispatch' && parseTraceparent(parent ?? '')?.isSampled === true;
    const waits = isTold ? this.readWaits(tenant, ids['invocationId'] ?? '') : null;
    const startedAt = new Date();
    try {
      const under = underWay === null ? { parent } : {};
      return await this.tracing.span({ name: kind, kind: 'client', ...under, attributes: ids }, call);
    } finally {
      // A database that does not answer holds up no answer of a provider.
      void waits?.then((ended) => this.tellWaits(ended, ids, startedAt));
    }
  }

  private tellWaits(waits: readonly Wait[], ids: Watched['ids'], startedAt: Date): void {
    for (const wait of waits) {
      const until = wait.until ?? startedAt;
      if (wait.kind === 'place' && until.getTime() - wait.from.getTime() < PLACE_WAIT_MS_MIN) continue;
      const attributes = { ...ids, ...(wait.approvalId === null ? {} : { approvalId: wait.approvalId }) };
      const start = { name: `wait for ${wait.kind}`, kind: 'internal', parent: wait.context, attributes } as const;
      this.tracing.past(start, wait.from, until);
    }
  }

  private async contextOf(tenant: Tenant | null, ids: Watched['ids']): Promise<string | null> {
    const record = recordIn(ids);
    if (this.db === null || tenant === null || record === null) return null;
    return contextOf(this.db, tenant, record).catch(() => null);
  }

  /** A dispatch is claimed once, so each wait of its invocation is told once. What cannot be read is left out. */
  private async readWaits(tenant: Tenant | null, invocationId: string) {
    if (this.db === null || tenant === null) return [];
    return this.db.oneStatement(tenant, (tx) => readWaits(tx, invocationId)).catch(() => []);
  }
}

function tenantOf({ workspaceId, ids }: Watched): Tenant | null {
  const { environmentId } = ids;
  return environmentId === undefined ? null : { workspaceId, environmentId };
}

/** The ways out of a worker, which say on the span of their call where it went and what came back. */
export function tracedCalls(
  tracing: Tracing,
  calls: { adapterFor: AdapterFor; sendRequest: SendRequest },
): typeof calls {
  if (!tracing.isOn) return calls;
  const traced = new WeakMap<Adapter, Adapter>();
  return {
    adapterFor: (named) => {
      const adapter = calls.adapterFor(named);
      const before = traced.get(adapter) ?? tracedAdapter(tracing, adapter);
      traced.set(adapter, before);
      return before;
    },
    sendRequest: async (request, ...others) => {
      tracing.annotate(destinationOf(request));
      const sent = await calls.sendRequest(request, ...others);
      tracing.annotate(sent.kind === 'response' ? statusOf(sent.response) : { result: sent.kind });
      return sent;
    },
  };
}

function tracedAdapter(tracing: Tracing, real: Adapter): Adapter {
  const adapter = real.descriptor.type;
  return {
    ...real,
    dispatch: async (input) => {
      tracing.annotate({ adapter, ...destinationOf(input.request) });
      const result = await real.dispatch(input);
      tracing.annotate(
        result.kind === 'answered' ? { result: result.outcome, ...statusOf(result.response) } : { result: result.kind },
      );
      return result;
    },
    readBack: async (input) => {
      const result = await real.readBack(input);
      const response = 'response' in result ? result.response : null;
      tracing.annotate({ adapter, result: result.kind, ...(response === null ? {} : statusOf(response)) });
      return result;
    },
  };
}

/** The host alone: a path or a query may hold anything. */
function destinationOf({ method, url }: { method: string; url: string }): SpanAttributes {
  const parsed = new URL(url);
  return { [ATTRIBUTES.method]: method, [ATTRIBUTES.host]: parsed.hostname, [ATTRIBUTES.port]: portOf(parsed) };
}

const statusOf = ({ status }: { status: number }): SpanAttributes => ({ [ATTRIBUTES.status]: status });
