import { dropOldAnalyticsPartition, foldFacts, makeAnalyticsPartitions } from '../../db/analytics/directory.ts';
import { verifySample } from '../../db/analytics/verification.ts';
import type { SweepStep } from './sweep-steps.ts';
import { dropUntilNone, untilNone } from './until-none.ts';

/**
 * Makes rollups, keeps their partitions, and once a day compares a sample with its records. Each step is repeatable.
 */
export const ANALYTICS_STEPS: Readonly<Record<string, SweepStep<'metrics'>>> = {
  make: ({ db }) => makeAnalyticsPartitions(db),
  drop: ({ db, logger }, budget) => dropUntilNone({ logger, budget }, 'analytics', () => dropOldAnalyticsPartition(db)),
  fold: ({ db }, budget) => untilNone(budget, () => foldFacts(db)),
  verify: async ({ db, logger, metrics }) => {
    const sample = await verifySample(db, new Date());
    if (sample === null) return 0;
    metrics.set('agent_actions_analytics_drift', {}, sample.differences.length);
    if (sample.differences.length > 0) {
      const [{ environmentId, kind, quarter } = { environmentId: '' }] = sample.differences;
      logger.error(
        { environmentId, kind, quarter, buckets: sample.differences.length },
        'rollups of analytics differ from their records: npm run analytics:verify names them',
      );
    }
    return sample.environments;
  },
};
