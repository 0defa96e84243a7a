import { type Page, pageOf, type Range } from '../page.ts';
import type { Grade, Outcome, Stage } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type ListedEffect, withListedDetails } from './get-effect.ts';
import { LISTED_EFFECT_COLUMNS, type EffectRecord } from './records.ts';

export interface EffectFilter extends Range {
  grade?: Grade | undefined;
  stage?: Stage | undefined;
  outcome?: Outcome | undefined;
  action?: string | undefined;
}

/** Newest first, ties by id, with large members shortened. `total` counts the matches of the filter. */
export async function listEffects(tx: EnvironmentTransaction, filter: EffectFilter): Promise<Page<ListedEffect>> {
  const { items, total } = await pageOf<EffectRecord>(tx, {
    columns: LISTED_EFFECT_COLUMNS,
    from: 'effects e',
    where: 'e.environment_id = current_environment_id()',
    filters: {
      grade: 'e.grade = :grade',
      stage: 'e.stage = :stage',
      outcome: 'e.outcome = :outcome',
      action: 'e.action_name = :action',
    },
    order: 'e.created_at DESC, e.id DESC',
    asked: filter,
  });
  return { items: await withListedDetails(tx, items), total };
}
