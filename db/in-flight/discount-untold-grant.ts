import type { InFlightKind } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Takes back one lapse of a holder that could not be told of its grant, before or after that grant lapses. */
export async function discountUntoldGrant(
  tx: EnvironmentTransaction,
  { kind, holder }: { kind: InFlightKind; holder: string },
): Promise<void> {
  await tx.raw('SELECT discount_untold_grant(:kind, :holder)', { kind, holder });
}
