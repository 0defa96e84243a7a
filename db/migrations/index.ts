import type { Knex } from 'knex';
import * as tenancy from './0001-tenancy.ts';
import * as vault from './0002-vault.ts';
import * as actions from './0003-actions.ts';
import * as invocations from './0004-invocations.ts';
import * as effects from './0005-effects.ts';
import * as idempotency from './0006-idempotency.ts';
import * as directory from './0007-directory.ts';
import * as people from './0008-people.ts';
import * as auditAndHalt from './0009-audit-and-halt.ts';
import * as plansAndLimits from './0010-plans-and-limits.ts';
import * as messages from './0011-messages.ts';
import * as expiredClaims from './0012-expired-claims.ts';
import * as expiredDeduplications from './0013-expired-deduplications.ts';
import * as approvalPolicies from './0014-approval-policies.ts';
import * as previews from './0015-previews.ts';
import * as approvals from './0016-approvals.ts';
import * as impactLimits from './0017-impact-limits.ts';
import * as budgets from './0018-budgets.ts';
import * as reconciliation from './0019-reconciliation.ts';
import * as heldCredentials from './0020-held-credentials.ts';
import * as shortenedValues from './0021-shortened-values.ts';
import * as sweep from './0022-sweep.ts';
import * as inFlight from './0023-in-flight.ts';
import * as receiptChains from './0026-receipt-chains.ts';
import * as governance from './0029-governance.ts';
import * as retention from './0031-retention.ts';
import * as outcomes from './0032-outcomes.ts';

export interface Migration {
  /** Readable and permanent: it is what the `migrations` table remembers. */
  name: string;
  up(knex: Knex): Promise<void>;
}

/** In the order in which they run. Append only: a migration that has run somewhere is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  tenancy,
  vault,
  actions,
  invocations,
  effects,
  idempotency,
  directory,
  people,
  auditAndHalt,
  plansAndLimits,
  messages,
  expiredClaims,
  expiredDeduplications,
  approvalPolicies,
  previews,
  approvals,
  impactLimits,
  budgets,
  reconciliation,
  heldCredentials,
  shortenedValues,
  sweep,
  inFlight,
  receiptChains,
  governance,
  retention,
  outcomes,
];
