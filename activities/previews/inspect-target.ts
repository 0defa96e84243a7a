import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '../../db/client.ts';
import type { JsonObject } from '../../domain/json.ts';
import { keptBlocks, keptPreconditions, keptSummary, type Observation } from '../../domain/previews/observation.ts';
import { withTexts } from '../../domain/adapters/preview-block.ts';
import { missingSecrets } from '../../domain/secret-refusals.ts';
import type { InspectInput, Inspection } from '../adapters/adapter.ts';
import { createRedactor, type Redactor } from '../adapters/http-request/redaction.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { openSecretsOrNone, UNOPENED } from '../secrets/open-secrets-or-none.ts';
import { withoutMessage } from '../secrets/without-message.ts';

export interface InspectionEffort {
  /** The waits before each further read. There is one read more than there are waits. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
}

/** The longest time that an inspection takes, with its tries. */
export function inspectionMs({ retryDelaysMs, timeoutMs }: InspectionEffort): number {
  return retryDelaysMs.reduce((sum, delayMs) => sum + delayMs + timeoutMs, timeoutMs);
}

export type Inspected =
  | { kind: 'read'; observation: Observation }
  /** Every try failed; `reason` is for people and holds no credential. */
  | { kind: 'unavailable'; reason: string };

/** Reads the provider's record with the action's credentials. Redacts the result once more and cuts it to size. */
export async function inspectTarget(
  deps: InvocationDependencies,
  tenant: Tenant,
  work: Pick<InspectInput, 'definition' | 'input' | 'identity'>,
  { retryDelaysMs, timeoutMs }: InspectionEffort,
): Promise<Inspected> {
  const adapter = deps.adapterFor(work.definition.adapter);
  const names = adapter.descriptor.secretNames(work.definition);
  const opened = await openSecretsOrNone(deps, tenant, names, { ...work.identity });
  if (opened === null) return { kind: 'unavailable', reason: UNOPENED };
  const { values, missing } = opened;
  if (missing.length > 0) {
    const refusal = missingSecrets(missing);
    const summary = refusal.message;
    return { kind: 'read', observation: { observedAt: new Date(), preconditions: {}, blocks: [], refusal, summary } };
  }
  if (adapter.inspect === undefined) {
    throw new Error(`adapter ${adapter.descriptor.type} says that it inspects, and cannot`);
  }
  const inspect = adapter.inspect.bind(adapter);
  const { workspaceId, environmentId } = tenant;
  const ids = { environmentId, ...work.identity };
  const watched = { kind: 'provider_read', workspaceId, ids, timeoutMs } as const;
  let last: Inspected = { kind: 'unavailable', reason: 'nothing was read' };
  for (const waitMs of [0, ...retryDelaysMs]) {
    if (waitMs > 0) await delay(waitMs);
    const inspection = await deps.watchdog
      .run(watched, (signal) => inspect({ ...work, secrets: values, timeoutMs, signal }))
      .catch((error: unknown): Inspection => {
        deps.logger.error(
          { ...work.identity, failure: withoutMessage(error) },
          'an adapter threw out of an inspection',
        );
        return { kind: 'unavailable', reason: 'the read broke off on our side' };
      });
    last = kept(createRedactor(values.values()), inspection);
    if (last.kind === 'read') return last;
  }
  return last;
}

/** The adapter removed its credentials already. This result is kept for good and shown, so it is searched once more. */
function kept(redactor: Redactor, inspection: Inspection): Inspected {
  if (inspection.kind === 'unavailable') {
    return { kind: 'unavailable', reason: keptSummary(redactor.text(inspection.reason)) };
  }
  const { preconditions, blocks, refusal, summary, observedAt } = inspection;
  if (!redactor.canSearch) return { kind: 'unavailable', reason: 'the credentials are too long to be looked for' };
  const shownBlocks = blocks.map((block) => withTexts(block, (text) => redactor.text(text)));
  const conditions = redactor.json(preconditions) as JsonObject;
  const bound = keptPreconditions(conditions);
  if (bound === null) return { kind: 'unavailable', reason: 'the record is too large to be bound' };
  return {
    kind: 'read',
    observation: {
      observedAt,
      preconditions: bound,
      blocks: keptBlocks(shownBlocks),
      refusal: refusal && { code: refusal.code, message: keptSummary(redactor.text(refusal.message)) },
      summary: keptSummary(redactor.text(summary)),
    },
  };
}
