import { type Allowance, PLAN_TABLE, type PlanName } from '../plans.ts';
import { decimalOf } from './exact.ts';
import type { Cap } from './plan-terms.ts';
import { USAGE_NAMES, USAGE_UNITS, type UsageName } from './usage-names.ts';

/** From this share of a limit on, its status is `warning`. */
const WARNING_PERCENT = 80n;

/** What one environment may hold (docs/plans-and-limits.md, "What may wait at once"); db/billing/usage.ts counts. */
export const HELD_NAMES = [
  'previews',
  'approvals',
  'impactLimits',
  'cachedAnswers',
  'memoryCollections',
  'schedules',
  'integrations',
  'urlGroups',
  'flowControlKeys',
  'topics',
] as const;
export type HeldName = (typeof HELD_NAMES)[number];

export const QUOTA_NAMES = [...Object.values(USAGE_NAMES), 'storageBytes', 'environments', ...HELD_NAMES] as const;
export interface Quota {
  name: UsageName | 'storageBytes' | 'environments' | HeldName;
  unit: string;
  period: 'month' | 'none';
  limit: Cap;
  used: number;
  remaining: Cap;
  /** 0 to 100, one decimal, cut. Null without a limit. */
  percentUsed: number | null;
  /** Null where nothing resets. */
  resetsAt: string | null;
  /** `after_the_fact`: it is known only when it is spent, so a month may end above the limit. */
  enforcement: 'hard' | 'after_the_fact';
  /** `warning` from 80 % on; `exceeded` when nothing is left, so that the next is refused. */
  status: 'ok' | 'warning' | 'exceeded';
}

export interface QuotaFacts {
  plan: PlanName;
  resetsAt: Date;
  used: Readonly<Record<Allowance, number>>;
  storageBytes: number;
  environments: number;
  held: Readonly<Record<HeldName, { used: number; limit: number }>>;
}

/** Every quota: the month's allowances, then storage and environments of the workspace, then what the environment may hold. */
export function quotasOf(facts: QuotaFacts): Quota[] {
  const { allowances, storageBytes, environments } = PLAN_TABLE[facts.plan];
  const resetsAt = facts.resetsAt.toISOString();
  const meters = Object.entries(USAGE_NAMES) as [Allowance, UsageName][];
  return [
    ...meters.map(([meter, name]): Quota => {
      const limit: Cap = allowances[meter] ?? 'unlimited';
      const counted = quotaOf({ name, unit: USAGE_UNITS[meter], limit, used: facts.used[meter] });
      const enforcement = meter === 'egress' ? 'after_the_fact' : 'hard';
      return { ...counted, period: 'month', resetsAt, enforcement };
    }),
    quotaOf({ name: 'storageBytes', unit: 'byte', limit: storageBytes ?? 'unlimited', used: facts.storageBytes }),
    quotaOf({ name: 'environments', unit: 'environment', limit: environments, used: facts.environments }),
    ...HELD_NAMES.map((name) => quotaOf({ name, unit: 'record', ...facts.held[name] })),
  ];
}

function quotaOf(counted: Pick<Quota, 'name' | 'unit' | 'limit' | 'used'>): Quota {
  const { limit } = counted;
  const used = Math.max(0, counted.used);
  const kept = { ...counted, used, period: 'none', resetsAt: null, enforcement: 'hard' } as const;
  if (limit === 'unlimited') return { ...kept, remaining: 'unlimited', percentUsed: null, status: 'ok' };
  const remaining = Math.max(0, limit - used);
  return { ...kept, remaining, percentUsed: percentOf(used, limit), status: statusOf(used, limit) };
}

/** 0 to 100 with one decimal. */
export function percentOf(used: number, limit: number): number {
  if (used >= limit) return 100;
  return decimalOf(BigInt(Math.max(0, used)) * 100n, BigInt(limit), 1);
}

function statusOf(used: number, limit: number): Quota['status'] {
  if (used >= limit) return 'exceeded';
  return BigInt(used) * 100n >= BigInt(limit) * WARNING_PERCENT ? 'warning' : 'ok';
}
