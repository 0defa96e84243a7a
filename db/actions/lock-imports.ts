import type { EnvironmentTransaction } from '../client.ts';

/** Serializes imports into one environment, so that the later one sees what the earlier one created. */
export async function lockImports(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('actions.import/' || current_environment_id(), 0))");
}
