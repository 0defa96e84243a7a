import type { Configuration } from '../domain/configuration/configuration.ts';
import type { WorkerSlots } from '../activities/create-worker.ts';
import type { InFlightCaps } from '../domain/in-flight.ts';

type OfWorkers = Configuration<'worker'> | Configuration<'embedded'>;

/** Where the built-in adapters reach their providers. */
export function providersOf(configuration: OfWorkers | Configuration<'api'>): {
  stripeBaseUrl: string;
  resendBaseUrl: string;
} {
  return { stripeBaseUrl: configuration.STRIPE_API_BASE_URL, resendBaseUrl: configuration.RESEND_API_BASE_URL };
}

/** The configured slots and the share of one workspace. */
export function fairSharesOf(configuration: OfWorkers): {
  slots: WorkerSlots;
  inFlightCaps: InFlightCaps;
} {
  return {
    slots: {
      dispatches: configuration.DISPATCH_SLOTS,
      deliveries: configuration.DELIVERY_SLOTS,
      'provider-reads': configuration.PROVIDER_READ_SLOTS,
      maintenance: configuration.MAINTENANCE_SLOTS,
    },
    inFlightCaps: inFlightCapsOf(configuration),
  };
}

/** The share of one workspace in the calls of each kind. */
export function inFlightCapsOf(configuration: OfWorkers | Configuration<'api'>): InFlightCaps {
  return {
    dispatch: configuration.WORKSPACE_DISPATCHES_MAX,
    delivery: configuration.WORKSPACE_DELIVERIES_MAX,
    provider_read: configuration.WORKSPACE_PROVIDER_READS_MAX,
    notification: configuration.WORKSPACE_NOTIFICATIONS_MAX,
    maintenance: configuration.WORKSPACE_MAINTENANCE_MAX,
  };
}
