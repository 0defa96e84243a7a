import type { Json, JsonObject } from '../../domain/json.ts';
import type { RunStatus } from '../../domain/runs/runs.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface RunChanges {
  status?: RunStatus | undefined;
  name?: string | null | undefined;
  output?: Json | undefined;
  error?: JsonObject | null | undefined;
  tokens?: number | null | undefined;
  cost?: number | null | undefined;
  tags?: string[] | null | undefined;
  metadata?: JsonObject | null | undefined;
}

/** What the models of a run took, by its spans; null where none says it. For the UPDATE of `runs r` that ends it. */
export const TOKENS_OF_SPANS = `(input_tokens, output_tokens) = (SELECT least(sum(s.input_tokens), ${Number.MAX_SAFE_INTEGER}),
  least(sum(s.output_tokens), ${Number.MAX_SAFE_INTEGER}) FROM spans s WHERE s.run_id = r.id AND s.kind = 'model')`;

const SETS: Readonly<Record<keyof RunChanges, string>> = {
  status: `status = :status, ended_at = greatest(now(), started_at), closed_at = now(), ${TOKENS_OF_SPANS}`,
  name: 'name = :name',
  output: 'output = CAST(:output AS jsonb)',
  error: 'error = CAST(:error AS jsonb)',
  tokens: 'tokens = :tokens',
  cost: 'cost = :cost',
  tags: 'tags = CAST(:tags AS text[])',
  metadata: 'metadata = CAST(:metadata AS jsonb)',
};
const JSON_MEMBERS = new Set(['output', 'error', 'metadata']);

/** Changes the members that are there, of a run that the same transaction has locked. A status ends it. */
export async function updateRun(tx: EnvironmentTransaction, id: string, changes: RunChanges): Promise<void> {
  const asked = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (asked.length === 0) return;
  const sets = asked.map(([name]) => SETS[name as keyof RunChanges]).join(', ');
  const values = asked.map(([name, value]) => [
    name,
    JSON_MEMBERS.has(name) && value !== null ? JSON.stringify(value) : value,
  ]);
  await tx.raw(`UPDATE runs r SET ${sets} WHERE id = :id`, { ...Object.fromEntries(values), id });
}
