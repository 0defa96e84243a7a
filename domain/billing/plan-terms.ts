import { type Allowance, MESSAGE_RETENTION_DAYS, PLAN_TABLE, PLANS, type PlanName } from '../plans.ts';

/** Paid plans are not open: nobody changes to one, and nothing is charged (docs/billing.md). */
export const PAID_PLANS_OPEN = false;

/** The unit price of a meter: `amount` in minor units of `currency` for each `per` units. */
export interface UnitPrice {
  amount: number;
  currency: string;
  per: number;
}

/** A cap, or the word for none (docs/billing.md, "The plan of a workspace"). */
export type Cap = number | 'unlimited';

export interface PlanLimits {
  maxEnvironments: Cap;
  requestsPerMinute: Cap;
  requestsPerHour: Cap;
  executionsPerMonth: Cap;
  messagesPerMonth: Cap;
  egressBytesPerMonth: Cap;
  memoryOperationsPerMonth: Cap;
  notificationEmailsPerMonth: Cap;
  storageBytes: Cap;
  scheduleFiringsPerMinute: Cap;
  messageRetentionDays: number;
}

const FREE_OF_CHARGE: ReadonlySet<PlanName> = new Set(['free', 'early_beta_access']);
const BY_CONTRACT: ReadonlySet<PlanName> = new Set(['enterprise']);

/** What a plan includes and costs, for `/billing/plan`, `/billing/plans` and the pricing policy: all are made from `PLAN_TABLE` here. */
export function termsOf(plan: PlanName) {
  const facts = PLAN_TABLE[plan];
  const limits = limitsOf(plan);
  return {
    id: plan,
    name: facts.title,
    limits,
    betaAllowances: plan === 'early_beta_access' ? betaAllowancesOf(limits) : null,
    features: { auditLog: facts.features.includes('audit_log') },
    /** For a month. Null when no price is published. */
    price: FREE_OF_CHARGE.has(plan) ? { amount: 0, currency: 'usd' } : null,
  };
}

/** The same, with what a reader who may choose a plan asks: whether it can be had, and how. */
export function offerOf(plan: PlanName) {
  return {
    ...termsOf(plan),
    available: FREE_OF_CHARGE.has(plan) || PAID_PLANS_OPEN,
    contactSales: BY_CONTRACT.has(plan),
    /** Unit prices beyond what is included. Empty: use beyond that is refused, or no price is published. */
    rates: [] as { meter: Allowance; unitPrice: UnitPrice }[],
  };
}

export const OFFERS = PLANS.map(offerOf);

function limitsOf(plan: PlanName): PlanLimits {
  const { environments, rateLimit, storageBytes, allowances, ...facts } = PLAN_TABLE[plan];
  return {
    maxEnvironments: environments,
    requestsPerMinute: capOf(rateLimit?.perMinute),
    requestsPerHour: capOf(rateLimit?.perHour),
    executionsPerMonth: capOf(allowances.executions),
    messagesPerMonth: capOf(allowances.messages),
    egressBytesPerMonth: capOf(allowances.egress),
    memoryOperationsPerMonth: capOf(allowances.memory_processing),
    notificationEmailsPerMonth: capOf(allowances.notification_emails),
    storageBytes: capOf(storageBytes),
    scheduleFiringsPerMinute: facts.scheduleFiringsPerMinute,
    messageRetentionDays: MESSAGE_RETENTION_DAYS[facts.messageRetention],
  };
}

function betaAllowancesOf(limits: PlanLimits) {
  return {
    environments: limits.maxEnvironments,
    executions: limits.executionsPerMonth,
    messages: limits.messagesPerMonth,
    egressBytes: limits.egressBytesPerMonth,
    memoryOperations: limits.memoryOperationsPerMonth,
    notificationEmails: limits.notificationEmailsPerMonth,
  };
}

function capOf(limit: number | null | undefined): Cap {
  return limit ?? 'unlimited';
}
