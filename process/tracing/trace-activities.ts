import type { Activities } from '../../activities/index.ts';
import type { PlainInvocations } from '../../activities/invocations/plain-invocations.ts';
import type { Database, Tenant } from '../../db/client.ts';
import type { Tracing } from '../../domain/tracing/tracing.ts';
import { touchedIds } from '../../domain/touched-ids.ts';
import { contextOf, recordIn } from './record-context.ts';

type Runnable = (...args: unknown[]) => Promise<unknown>;

/**
 * The activities, each with a span of its own under the trace of the record that it is about. The trace comes from the record's row and
 * not from the workflow, whose history has nothing of it. An activity about no one record, such as of the sweep, has no span.
 */
export function tracedActivities(tracing: Tracing, db: Database, activities: Activities): Activities {
  if (!tracing.isOn) return activities;
  const traced = Object.entries(activities).map(([name, run]) => [name, inSpan(tracing, db, name, run as Runnable)]);
  return Object.fromEntries(traced) as Activities;
}

function inSpan(tracing: Tracing, db: Database, name: string, run: Runnable): Runnable {
  return async (...args) => {
    const [input] = args;
    const tenant = tenantOf(input);
    const record = recordIn(input);
    if (tenant === null || record === null) return run(...args);
    const parent = await contextOf(db, tenant, record);
    return tracing.span({ name, kind: 'consumer', parent, attributes: touchedIds(input) }, () => run(...args));
  };
}

function tenantOf(input: unknown): Tenant | null {
  const { workspaceId, environmentId } = (input ?? {}) as Partial<Record<keyof Tenant, unknown>>;
  return typeof workspaceId === 'string' && typeof environmentId === 'string' ? { workspaceId, environmentId } : null;
}

type RunsPlain = Pick<PlainInvocations, 'run' | 'stop'>;

/** A plain invocation runs within the request that admitted it, and so under its span. */
export function tracedPlain(tracing: Tracing, plain: RunsPlain): RunsPlain {
  if (!tracing.isOn) return plain;
  return {
    run: (ref) =>
      tracing.span({ name: 'runPlain', kind: 'internal', attributes: touchedIds(ref) }, () => plain.run(ref)),
    stop: () => plain.stop(),
  };
}
