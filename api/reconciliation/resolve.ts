import type { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { appendEvidence, noteCompensation } from '../../db/effects/evidence.ts';
import { giveBackAllowance } from '../../db/plans/allowances.ts';
import { recordResolution, type Resolvable } from '../../db/reconciliation/resolution.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import {
  partialEffectIssues,
  partialEffectOf,
  settledImpactIssues,
  settledImpactOf,
} from '../../domain/reconciliation/resolutions.ts';
import type { Actor, AuditEntry } from '../http/define-route.ts';
import type { resolveBody } from './schemas.ts';

export type ResolveBody = z.output<typeof resolveBody>;

/** The requester of an invocation may not decide how its doubt ends. */
function refuseRequester(actor: Actor, { requestedBy }: Pick<Resolvable, 'requestedBy'>): void {
  if (requestedBy.type !== actor.type || requestedBy.id !== actor.id) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: 'The credential that requested an invocation cannot resolve it. Use another one with actions:resolve.',
  });
}

function previousOutcomeOf({ status, effect }: Resolvable): 'unknown' | 'pending' {
  if (effect === null) {
    if (status === 'unknown') return 'unknown';
    throw new ServiceError('CONFLICT', {
      message: `The invocation is ${status}, not unknown: there is nothing to resolve.`,
    });
  }
  if (effect.openReplay) {
    throw new ServiceError('CONFLICT', {
      message: 'A replay of this effect is under way. Resolve it when that has ended, if it is unknown still.',
    });
  }
  if (effect.stage === 'reconciling' && effect.outcome === 'unknown') return 'unknown';
  if (effect.stage === 'reconciling' && effect.outcome === 'pending' && effect.exhausted) return 'pending';
  const why =
    effect.outcome === 'pending'
      ? 'is under way at its provider, and is read on'
      : `has the outcome ${effect.outcome}, not unknown`;
  throw new ServiceError('CONFLICT', { message: `The effect ${why}: there is nothing to resolve.` });
}

/**
 * Records a person's finding under the invocation's lock: a racing settlement either committed first, leaving nothing to resolve, or finds
 * the resolution. Nothing is sent.
 */
export async function resolve(
  tx: EnvironmentTransaction,
  resolvable: Resolvable,
  { body, actor }: { body: ResolveBody; actor: Actor },
): Promise<void> {
  // The state before the principal: a known outcome is 409 for everybody.
  const previousOutcome = previousOutcomeOf(resolvable);
  refuseRequester(actor, resolvable);
  const { effect, invocationId } = resolvable;
  const issues = [
    ...partialEffectIssues(body, effect?.partialEffect ?? 'none'),
    ...settledImpactIssues(body, effect?.impact ?? []),
  ];
  if (issues.length > 0) throw validationError(issues);
  const { summary, providerIds = {}, url = null } = body.evidence;
  await recordResolution(tx, {
    invocationId,
    effectId: effect?.id ?? null,
    outcome: body.outcome,
    previousOutcome,
    partialEffect: partialEffectOf(body),
    settledImpact: settledImpactOf(body),
    evidence: { summary, providerIds, url },
    resolvedBy: actor,
  });
  // A known failure is not billed: its execution returns to its month. A trigger handles the key's budget, `recordResolution` the
  // reservations.
  if (body.outcome === 'failed') await giveBackAllowance(tx, 'executions', 1, resolvable.createdAt);
  if (effect === null) return;
  await appendEvidence(tx, {
    effectId: effect.id,
    source: 'manual_resolution',
    observedAt: new Date(),
    impliedOutcome: body.outcome,
    providerIds,
    summary,
    details: { previousOutcome, partialEffect: partialEffectOf(body), ...(url === null ? {} : { url }) },
    actor,
  });
  if (body.outcome === 'succeeded' && resolvable.compensates !== null) {
    await noteCompensation(tx, { invocationId, compensates: resolvable.compensates });
  }
}

export function resolutionEntry(body: ResolveBody, target: { type: 'effect' | 'invocation'; id: string }): AuditEntry {
  const details = { outcome: body.outcome, partialEffect: partialEffectOf(body), summary: body.evidence.summary };
  return { action: `${target.type}.resolved`, target, details };
}
