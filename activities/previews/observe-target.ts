import { appendObservation, readObservationWork } from '../../db/previews/drafts.ts';
import { releasePlace } from '../../db/in-flight/places.ts';
import { isWithoutPlace, type NoPlace } from '../../domain/in-flight.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { readInTurn } from '../in-flight/read-in-turn.ts';
import { tellNext } from '../in-flight/tell-next.ts';
import { inspectionMs, inspectTarget, type InspectionEffort } from './inspect-target.ts';

export interface Observed {
  /** `refused`: the record forbids the dispatch, or could not be read. The observation says which. */
  outcome: 'observed' | 'refused';
}

/** Fits into the activity's two minutes. */
const EFFORT: InspectionEffort = { retryDelaysMs: [500, 2_000], timeoutMs: 20_000 };

/** Appends what is read of the target. Repeatable. A failed read refuses: the approval rests on the record. */
export function observeTarget(deps: InvocationDependencies) {
  return async ({ holder: named, ...ref }: InvocationRef & { holder?: string }): Promise<Observed | NoPlace> => {
    const holder = named ?? ref.invocationId;
    const begun = await readInTurn(
      deps,
      ref,
      { holder, timeoutMs: inspectionMs(EFFORT) },
      {
        begin: async (tx) => ({ work: await readObservationWork(tx, ref.invocationId) }),
      },
    );
    if (isWithoutPlace(begun)) return begun;
    const inspected = await inspectTarget(deps, ref, begun.work, EFFORT);
    const observation = inspected.kind === 'read' ? inspected.observation : unread(inspected.reason);
    const next = await deps.db.withEnvironment(ref, async (tx) => {
      await appendObservation(tx, ref.invocationId, observation);
      return releasePlace(tx, { kind: 'provider_read', holder, most: deps.inFlightCaps.provider_read });
    });
    await tellNext(deps, 'provider_read', next);
    return { outcome: observation.refusal === null ? 'observed' : 'refused' };
  };
}

function unread(reason: string): Observation {
  const message = `the provider could not be read: ${reason}`;
  return {
    observedAt: new Date(),
    preconditions: {},
    blocks: [],
    refusal: { code: 'precondition_changed', message },
    summary: message,
  };
}
