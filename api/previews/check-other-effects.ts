import type { ActionRecord } from '../../db/actions/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findEffects, type FoundEffect } from '../../db/effects/queries.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';

export interface OtherEffects {
  dependsOn: readonly string[];
  compensates: string | null;
}

/**
 * Named effects must exist in the environment. A compensated effect must be known to have happened and be no compensation itself. Only
 * governed actions have effects that can depend on or compensate others.
 */
export async function checkOtherEffects(
  tx: EnvironmentTransaction,
  action: ActionRecord,
  { dependsOn, compensates }: OtherEffects,
): Promise<void> {
  const named = [...dependsOn, ...(compensates === null ? [] : [compensates])];
  if (named.length === 0) return;
  if (!action.definition.governed) {
    const path = dependsOn.length > 0 ? 'body.dependsOn' : 'body.compensates';
    throw validationError([{ path, message: `is for governed actions only, and ${action.name} is not one` }]);
  }
  const found = new Map((await findEffects(tx, named)).map((effect) => [effect.id, effect]));
  const missing = dependsOn.flatMap((id, index) =>
    found.has(id) ? [] : [{ path: `body.dependsOn[${index}]`, message: 'no effect of this environment has this id' }],
  );
  if (missing.length > 0) throw validationError(missing);
  if (compensates !== null) checkCompensated(found.get(compensates), compensates);
}

function checkCompensated(effect: FoundEffect | undefined, id: string): void {
  const path = 'body.compensates';
  if (!effect) throw validationError([{ path, message: 'no effect of this environment has this id' }]);
  if (effect.compensates !== null) {
    throw validationError([{ path, message: `is a compensation itself, of ${effect.compensates}` }]);
  }
  const hadEffect = effect.outcome === 'succeeded' || (effect.outcome === 'failed' && effect.partialEffect !== 'none');
  if (hadEffect) return;
  const isKnown = effect.stage === 'settled' || effect.stage === 'rejected';
  throw new ServiceError('CONFLICT', {
    message: isKnown
      ? `Effect ${id} had no effect: there is nothing to make up for.`
      : `What became of effect ${id} is not known yet (${effect.outcome}). Reconcile or resolve it before you compensate it.`,
  });
}
