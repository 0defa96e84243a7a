import type { EnvironmentTransaction } from '../client.ts';
import type { ObservationWork } from './read-observation-work.ts';

type Row = Omit<ObservationWork, 'identity'> & ObservationWork['identity'];

/** The part of a draft that an inspection needs. Null where the draft was given up meanwhile. */
export async function readDraftWork(tx: EnvironmentTransaction, previewId: string): Promise<ObservationWork | null> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT v.definition, d.input, d.invocation_id AS "invocationId", d.effect_id AS "effectId", d.operation_key AS "operationKey"
     FROM preview_drafts d JOIN action_versions v ON v.id = d.version_id WHERE d.id = ?`,
    [previewId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const { definition, input, ...identity } = row;
  return { definition, input, identity };
}
