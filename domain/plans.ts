import { ServiceError } from './errors.ts';

/** The plans, as data. docs/plans-and-limits.md says what is published, and why. */
export const PLANS = ['free', 'early_beta_access', 'production', 'growth', 'pay_as_you_go', 'enterprise'] as const;
export type PlanName = (typeof PLANS)[number];

/** Counted per workspace and UTC calendar month. `egress` is in bytes, everything else in pieces. */
export const ALLOWANCES = ['executions', 'messages', 'egress', 'memory_processing', 'notification_emails'] as const;
export type Allowance = (typeof ALLOWANCES)[number];

/** Capabilities that not every plan has; a route names the one that it needs. */
export const FEATURES = ['audit_log'] as const;
export type Feature = (typeof FEATURES)[number];
const FEATURE_TITLES: Record<Feature, string> = { audit_log: 'the audit log' };

/** How long ended messages are kept. A message keeps the class that it was accepted with. */
export const MESSAGE_RETENTIONS = ['week', 'month', 'quarter'] as const;
export type MessageRetention = (typeof MESSAGE_RETENTIONS)[number];
/** In days. The function `message_retention_classes` of the database holds the same figures. */
export const MESSAGE_RETENTION_DAYS: Record<MessageRetention, number> = { week: 7, month: 30, quarter: 90 };

export interface RateLimit {
  perMinute: number;
  /** Null when only the minute is limited. */
  perHour: number | null;
}

export interface Plan {
  title: string;
  /** Null means unlimited; nothing is counted then. */
  rateLimit: RateLimit | null;
  /** Environments in total, of whatever kind. */
  environments: number | 'unlimited';
  /** What files, runs, sessions and cached answers of the workspace may take at once, in bytes. Null means no limit. */
  storageBytes: number | null;
  /** Null means no limit. */
  allowances: Record<Allowance, number | null>;
  features: readonly Feature[];
  messageRetention: MessageRetention;
  /** The active schedules of the workspace count together, each with the mean of an hour in which it fires. */
  scheduleFiringsPerMinute: number;
}

const GIBIBYTE = 1024 ** 3;
const UNLIMITED: Plan['allowances'] = {
  executions: null,
  messages: null,
  egress: null,
  memory_processing: null,
  notification_emails: null,
};

export const PLAN_TABLE: Record<PlanName, Plan> = {
  free: {
    title: 'Free',
    rateLimit: { perMinute: 300, perHour: 10_000 },
    environments: 1,
    storageBytes: GIBIBYTE,
    allowances: {
      executions: 1_000,
      messages: 10_000,
      egress: GIBIBYTE,
      memory_processing: 1_000,
      notification_emails: 100,
    },
    features: [],
    messageRetention: 'week',
    scheduleFiringsPerMinute: 100,
  },
  early_beta_access: {
    title: 'Early Beta Access',
    rateLimit: { perMinute: 300, perHour: 10_000 },
    environments: 3,
    storageBytes: 10 * GIBIBYTE,
    allowances: {
      executions: 10_000,
      messages: 100_000,
      egress: 10 * GIBIBYTE,
      memory_processing: 10_000,
      notification_emails: 500,
    },
    features: ['audit_log'],
    messageRetention: 'month',
    scheduleFiringsPerMinute: 300,
  },
  production: {
    title: 'Production',
    rateLimit: { perMinute: 1_000, perHour: null },
    environments: 2,
    storageBytes: 100 * GIBIBYTE,
    allowances: {
      executions: 100_000,
      messages: 1_000_000,
      egress: 100 * GIBIBYTE,
      memory_processing: 100_000,
      notification_emails: 5_000,
    },
    features: ['audit_log'],
    messageRetention: 'month',
    scheduleFiringsPerMinute: 1_000,
  },
  growth: {
    title: 'Growth',
    rateLimit: { perMinute: 1_000, perHour: null },
    environments: 3,
    storageBytes: 1_000 * GIBIBYTE,
    allowances: {
      executions: 1_000_000,
      messages: 10_000_000,
      egress: 1_000 * GIBIBYTE,
      memory_processing: 1_000_000,
      notification_emails: 25_000,
    },
    features: ['audit_log'],
    messageRetention: 'quarter',
    scheduleFiringsPerMinute: 5_000,
  },
  pay_as_you_go: {
    title: 'Pay as You Go',
    rateLimit: null,
    environments: 3,
    storageBytes: null,
    allowances: UNLIMITED,
    features: ['audit_log'],
    messageRetention: 'quarter',
    scheduleFiringsPerMinute: 10_000,
  },
  enterprise: {
    title: 'Enterprise',
    rateLimit: null,
    environments: 'unlimited',
    storageBytes: null,
    allowances: UNLIMITED,
    features: FEATURES,
    messageRetention: 'quarter',
    scheduleFiringsPerMinute: 30_000,
  },
};

/** Requests of all sessions of a person together, on every plan. What people look at uses up nothing of what their agents share. */
export const SESSION_RATE_LIMIT: RateLimit = { perMinute: 600, perHour: null };

/** @throws {ServiceError} FEATURE_NOT_AVAILABLE. See docs/plans-and-limits.md, "Features". */
export function requireFeature(plan: PlanName, feature: Feature): void {
  const { title, features } = PLAN_TABLE[plan];
  if (features.includes(feature)) return;
  const having = PLANS.filter((name) => PLAN_TABLE[name].features.includes(feature));
  throw new ServiceError('FEATURE_NOT_AVAILABLE', {
    message: `The ${title} plan does not include ${FEATURE_TITLES[feature]}. Plans that do: ${having.map((name) => PLAN_TABLE[name].title).join(', ')}.`,
  });
}

export function isPlanName(value: string): value is PlanName {
  return (PLANS as readonly string[]).includes(value);
}

/** Whether a workspace of this plan that has so many environments may have one more. */
export function allowsAnotherEnvironment(plan: PlanName, present: number): boolean {
  const { environments } = PLAN_TABLE[plan];
  return environments === 'unlimited' || present < environments;
}

/** The start of the next UTC month, when allowances reset (docs/plans-and-limits.md, "Monthly allowances"). */
export function usageResetsAt(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** The present state of one counting window of a workspace. */
export interface RateWindow {
  limit: number;
  used: number;
  /** Unix time. */
  resetsAtMs: number;
}

/** The window that binds most: of used-up ones the last to open; else the fewest requests left, then the shorter. */
export function tellingWindow(windows: readonly [RateWindow, ...RateWindow[]]): RateWindow {
  const used = windows.filter((window) => window.used >= window.limit);
  const [first, ...rest] = windows;
  if (used.length > 0) return used.reduce((a, b) => (b.resetsAtMs > a.resetsAtMs ? b : a));
  return rest.reduce((a, b) => (b.limit - b.used < a.limit - a.used ? b : a), first);
}
