import type { AnyRoute } from '../http/define-route.ts';
import { reconcileEffectRoute } from './reconcile-effect.ts';
import { replayEffectRoute } from './replay-effect.ts';
import { resolveEffectRoute } from './resolve-effect.ts';
import { resolveInvocationRoute } from './resolve-invocation.ts';

export const reconciliationRoutes: AnyRoute[] = [
  reconcileEffectRoute,
  resolveEffectRoute,
  replayEffectRoute,
  resolveInvocationRoute,
];
