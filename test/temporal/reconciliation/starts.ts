import { reconcileEffectStart } from '../../../temporal/reconciliation/reconcile-effect.ts';
import { replayEffectStart } from '../../../temporal/reconciliation/replay-effect.ts';
import { watchReversalStart } from '../../../temporal/reconciliation/watch-reversal.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

const OF_EFFECT = [...OF_TENANT, 'ActionName', 'InvocationId', 'EffectId', 'Stage', 'Grade'];

export const starts: DeclaredStart[] = [
  ['reconcile/eff_1', reconcileEffectStart({ ...REF, grade: 'pending' }, 'q', ENVIRONMENT), OF_EFFECT],
  ['replay/att_1', replayEffectStart({ ...REF, timeoutMs: 1 }, 'q', ENVIRONMENT), OF_EFFECT],
  ['reversal/eff_1', watchReversalStart({ ...REF, grade: 'acknowledged' }, 'q', ENVIRONMENT), OF_EFFECT],
];
