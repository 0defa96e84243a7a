import { readDraftWork, recordDraftObservation } from '../../db/previews/drafts.ts';
import { releasePlace } from '../../db/in-flight/places.ts';
import { isWithoutPlace, type NoPlace } from '../../domain/in-flight.ts';
import type { DraftObserved, PreviewRef } from '../../domain/previews/preview-ref.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { readInTurn } from '../in-flight/read-in-turn.ts';
import { tellNext } from '../in-flight/tell-next.ts';
import { inspectionMs, inspectTarget, type InspectionEffort } from './inspect-target.ts';

/** Short, because the caller waits. */
const EFFORT: InspectionEffort = { retryDelaysMs: [250], timeoutMs: 6_000 };

/** Reads the provider for a preview that is being made, and stores the result in its draft. */
export function observeDraft(deps: InvocationDependencies) {
  return async ({ holder: named, ...ref }: PreviewRef & { holder?: string }): Promise<DraftObserved | NoPlace> => {
    const holder = named ?? ref.previewId;
    const begun = await readInTurn(
      deps,
      ref,
      { holder, timeoutMs: inspectionMs(EFFORT) },
      {
        begin: async (tx) => ({ work: await readDraftWork(tx, ref.previewId) }),
      },
    );
    if (isWithoutPlace(begun)) return begun;
    const inspected = begun.work === null ? null : await inspectTarget(deps, ref, begun.work, EFFORT);
    const next = await deps.db.withEnvironment(ref, async (tx) => {
      if (inspected?.kind === 'read') await recordDraftObservation(tx, ref.previewId, inspected.observation);
      return releasePlace(tx, { kind: 'provider_read', holder, most: deps.inFlightCaps.provider_read });
    });
    await tellNext(deps, 'provider_read', next);
    if (inspected === null) return { outcome: 'withdrawn' };
    if (inspected.kind === 'read') return { outcome: 'read' };
    const { reason } = inspected;
    deps.logger.warn({ previewId: ref.previewId, reason }, 'a provider could not be read for a preview');
    return { outcome: 'unavailable' };
  };
}
