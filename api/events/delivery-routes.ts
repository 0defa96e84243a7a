import type { AnyRoute } from '../http/define-route.ts';
import { cancelRecoveryRoute, getRecoveryRoute, listRecoveriesRoute, recoverSubscriptionRoute } from './recoveries.ts';
import { listSubscriptionAttemptsRoute, testSubscriptionRoute } from './subscription-deliveries.ts';

export const eventDeliveryRoutes: AnyRoute[] = [
  testSubscriptionRoute,
  listSubscriptionAttemptsRoute,
  recoverSubscriptionRoute,
  listRecoveriesRoute,
  getRecoveryRoute,
  cancelRecoveryRoute,
];
