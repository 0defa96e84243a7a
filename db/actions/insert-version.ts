import type { EnvironmentTransaction } from '../client.ts';
import type { NewVersion } from './records.ts';

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
  await tx.raw(
    `INSERT INTO action_versions (id, environment_id, action_id, number, digest, definition, change_note, created_by)
     VALUES (:id, :environmentId, :actionId, :number, :digest, :definition, :changeNote, :createdBy)`,
    {
      ...place,
      digest: version.digest,
      definition: JSON.stringify(version.definition),
      changeNote: version.changeNote,
      createdBy: JSON.stringify(version.createdBy),
    },
  );
}
