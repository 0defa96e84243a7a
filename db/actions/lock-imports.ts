import type { EnvironmentTransaction } from '../client.ts';

/** Imports into one environment come one after the other: the later one finds what the earlier one made. */
export async function lockImports(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('actions.import/' || current_environment_id(), 0))");
}
