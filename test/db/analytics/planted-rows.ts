import { insert, type PlantedArea } from '../harness/plant.ts';

const FACT = { kind: 'planted', d1: '', d2: '', d3: '', n: 1 };
const ROLLUP = { ...FACT, is_total: false };
const AT = { quarter: new Date('2026-01-01T00:00:00Z'), day: '2026-01-01' };

export const rows: PlantedArea = {
  async plant(owner, { environmentId: environment_id }) {
    const sums = { s1: 0, s2: 0 };
    await insert(owner, 'analytics_facts', { environment_id, ...FACT, ...sums, quarter: AT.quarter });
    await insert(owner, 'analytics_rollups', { environment_id, ...ROLLUP, ...sums, quarter: AT.quarter });
    await insert(owner, 'analytics_days', { environment_id, ...ROLLUP, ...sums, day: AT.day });
  },
  writtenByDatabase: ['analytics_rollups', 'analytics_days'],
  writtenBeside: {
    analytics_facts: null,
    analytics_rollups: null,
    analytics_days: null,
  },
};
