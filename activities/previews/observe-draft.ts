import { readDraftWork } from '../../db/previews/read-draft-work.ts';
import { recordDraftObservation } from '../../db/previews/record-draft-observation.ts';
import type { DraftObserved, PreviewRef } from '../../domain/previews/preview-ref.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { inspectTarget, type InspectionEffort } from './inspect-target.ts';

/** Short, because the caller waits. */
const EFFORT: InspectionEffort = { retryDelaysMs: [250], timeoutMs: 6_000 };

/** Reads the provider for a preview that is being made, and stores the result in its draft. */
export function observeDraft(deps: InvocationDependencies) {
  return async (ref: PreviewRef): Promise<DraftObserved> => {
    const work = await deps.db.oneStatement(ref, (tx) => readDraftWork(tx, ref.previewId));
    if (work === null) return { outcome: 'withdrawn' };
    const inspected = await inspectTarget(deps, ref, work, EFFORT);
    if (inspected.kind === 'unavailable') {
      deps.logger.warn(
        { previewId: ref.previewId, reason: inspected.reason },
        'a provider could not be read for a preview',
      );
      return { outcome: 'unavailable' };
    }
    await deps.db.oneStatement(ref, (tx) => recordDraftObservation(tx, ref.previewId, inspected.observation));
    return { outcome: 'read' };
  };
}
