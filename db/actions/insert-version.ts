import type { EnvironmentTransaction } from '../client.ts';
import type { NewVersion } from './records.ts';

/** Where a new version belongs. */
export interface VersionPlace {
  id: string;
  environmentId: string;
  actionId: string;
  number: number;
}

export async function insertVersion(
  tx: EnvironmentTransaction,
  place: VersionPlace,
  version: NewVersion,
): Promise<void> {
  await tx('action_versions').insert({
    id: place.id,
    environment_id: place.environmentId,
    action_id: place.actionId,
    number: place.number,
    digest: version.digest,
    definition: JSON.stringify(version.definition),
    change_note: version.changeNote,
    created_by: JSON.stringify(version.createdBy),
  });
}
