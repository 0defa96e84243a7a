import type { z } from 'zod';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { refuseFullStorage } from '../../db/plans/allowances.ts';
import { createRun, type RunChanges, updateRun } from '../../db/runs/changes.ts';
import { findWaitingInvocations } from '../../db/runs/directory.ts';
import { getRun, type LockedRun, lockRun } from '../../db/runs/queries.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { SPANS_AFTER_END_SECONDS } from '../../domain/runs/runs.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Done } from '../http/route-forms.ts';
import {
  createRunBody,
  presentRun,
  presentRunWithCounts,
  runParams,
  runSchema,
  runWithCountsSchema,
  updateRunBody,
} from './schemas.ts';
import { withdrawWaiting } from './withdraw-waiting.ts';

export const createRunRoute = defineRoute({
  of: 'environment',
  id: 'runs.create',
  method: 'POST',
  path: '/api/v2/runs',
  summary: 'Begin a run',
  description:
    'A run is one execution of an agent: a tree of spans. Invocations that name it in `runId` are spans of it by themselves.',
  scope: 'runs:write',
  role: 'admin',
  request: { body: createRunBody },
  response: { 201: runSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body }) {
    const run = await createRun(tx, { ...body, traceId: null, startedAt: null });
    await refuseFullStorage(tx);
    return { reply: { status: 201, data: presentRun(run) }, audit: 'none: the run is the record of it' };
  },
});

/** A run can always be ended, also where the plan's storage is full. */
const STORED = ['output', 'error', 'tags', 'metadata'] as const;

export const updateRunRoute = defineRoute({
  of: 'environment',
  id: 'runs.update',
  method: 'PATCH',
  path: '/api/v2/runs/{id}',
  summary: 'Change or end a run',
  description:
    'Only what the body names changes. A `status` ends it, once: from then on only `tags` and `metadata` change (409). `endedAt` and `durationMs` ' +
    'are the service’s. The `status` `cancelled` cancels the run, as `cancel` does.',
  scope: 'runs:write',
  role: 'admin',
  request: { params: runParams, body: updateRunBody },
  response: { 200: runWithCountsSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { params: { id }, body, caller: { tenant } }) {
    const before = await locked(tx, id);
    refuseChangeOfEnded(before, body);
    const done = await (body.status === 'cancelled' ? cancelled(tx, tenant, before, body) : changed(tx, id, body));
    if (STORED.some((member) => body[member] !== undefined)) await refuseFullStorage(tx);
    return done;
  },
});

export const cancelRunRoute = defineRoute({
  of: 'environment',
  id: 'runs.cancel',
  method: 'POST',
  path: '/api/v2/runs/{id}/cancel',
  summary: 'Cancel a run',
  description:
    'Ends it as `cancelled`, and withdraws its invocations that still wait, for a person or for other effects: within moments they are ' +
    '`cancelled`. Nothing of them is sent. What is being sent goes on to its end. ' +
    'A run that was cancelled is answered again; one that ended otherwise is a 409.',
  scope: 'runs:write',
  role: 'admin',
  request: { params: runParams },
  response: { 200: runWithCountsSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { id }, caller: { tenant } }) {
    const before = await locked(tx, id);
    if (before.status !== 'running' && before.status !== 'cancelled') throw hasEnded(before);
    return cancelled(tx, tenant, before, { status: 'cancelled' });
  },
});

type Changed = Done<{ status: 200; data: z.input<typeof runWithCountsSchema> }>;

async function changed(tx: EnvironmentTransaction, id: string, changes: RunChanges): Promise<Changed> {
  await updateRun(tx, id, changes);
  return { reply: { status: 200, data: await presented(tx, id) }, audit: 'none: the run is the record of it' };
}

/**
 * Ends a locked run as cancelled and withdraws its waiting invocations, whichever route asked for it. For a run that was cancelled
 * before, it only withdraws those that still wait.
 */
async function cancelled(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  { id, name, status }: LockedRun,
  changes: RunChanges,
): Promise<Changed> {
  const isNew = status === 'running';
  if (isNew) await updateRun(tx, id, changes);
  const waiting = await findWaitingInvocations(tx, tenant, id);
  const data = await presented(tx, id);
  return {
    reply: { status: 200, data },
    audit: isNew
      ? { action: 'run.cancelled', target: { type: 'run', id }, details: { name: changes.name ?? name } }
      : 'none: it was cancelled already',
    after: (deps) => withdrawWaiting(deps, waiting),
  };
}

async function locked(tx: EnvironmentTransaction, id: string): Promise<LockedRun> {
  const run = existing(await lockRun(tx, id, SPANS_AFTER_END_SECONDS), 'run');
  return run;
}

/** What changes of a run that has ended. */
const AFTER_THE_END = new Set(['tags', 'metadata']);

function refuseChangeOfEnded(run: LockedRun, changes: RunChanges): void {
  if (run.status === 'running') return;
  const isRefused = Object.entries(changes).some(([name, value]) => value !== undefined && !AFTER_THE_END.has(name));
  if (isRefused) throw hasEnded(run);
}

function hasEnded({ status }: LockedRun): ServiceError {
  return new ServiceError('CONFLICT', {
    message: `The run has ended as ${status}: only its tags and its metadata change now.`,
  });
}

async function presented(tx: EnvironmentTransaction, id: string) {
  const run = await getRun(tx, id);
  if (run === null) throw new Error(`run ${id} was locked and is gone`);
  return presentRunWithCounts(run);
}
