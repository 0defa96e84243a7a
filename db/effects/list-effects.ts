import type { Grade, Outcome, Stage } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type ListedEffect, withListedDetails } from './get-effect.ts';
import { LISTED_EFFECT_COLUMNS, type EffectRecord } from './records.ts';

export interface EffectFilter {
  grade?: Grade | undefined;
  stage?: Stage | undefined;
  outcome?: Outcome | undefined;
  action?: string | undefined;
  limit: number;
  offset: number;
}

/** Newest first, ties by id, with large members shortened. `total` counts the matches of the filter. */
export async function listEffects(
  tx: EnvironmentTransaction,
  filter: EffectFilter,
): Promise<{ total: number; items: ListedEffect[] }> {
  const where = `e.environment_id = current_environment_id()
    AND (CAST(:grade AS text) IS NULL OR e.grade = :grade) AND (CAST(:stage AS text) IS NULL OR e.stage = :stage)
    AND (CAST(:outcome AS text) IS NULL OR e.outcome = :outcome) AND (CAST(:action AS text) IS NULL OR e.action_name = :action)`;
  const bindings = {
    grade: filter.grade ?? null,
    stage: filter.stage ?? null,
    outcome: filter.outcome ?? null,
    action: filter.action ?? null,
    limit: filter.limit,
    offset: filter.offset,
  };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM effects e WHERE ${where}`,
    bindings,
  );
  const page = 'ORDER BY e.created_at DESC, e.id DESC LIMIT :limit OFFSET :offset';
  const { rows } = await tx.raw<{ rows: EffectRecord[] }>(
    `SELECT ${LISTED_EFFECT_COLUMNS} FROM effects e WHERE ${where} ${page}`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: await withListedDetails(tx, rows) };
}
