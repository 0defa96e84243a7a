import type { Activities } from '../../../activities/index.ts';
import type { BillingMonthRef } from '../../../domain/billing/month-ref.ts';
import { ENVIRONMENT, inTurn, type Scenario } from '../../replay/scenario.ts';

const INVOICE = { invoiceId: 'ivc_0000000000000000000001', currency: 'usd', total: 4_900 };
const done = (): Promise<void> => Promise.resolve();

/** The doubles that are not named find nothing open and nothing to charge. */
function closing(what: string, overrides: Partial<Activities> = {}): Scenario {
  const ref: BillingMonthRef = { workspaceId: ENVIRONMENT.workspaceId, month: '2026-10' };
  return {
    name: `closeBillingMonth/${what}.v1`,
    workflow: 'closeBillingMonth',
    workflowId: `billing-month/${ref.workspaceId}/${ref.month}`,
    args: [ref],
    activities: {
      findOpenAdmissions: () => Promise.resolve([]),
      findStillOpenAdmissions: () => Promise.resolve([]),
      snapshotMonth: done,
      issueInvoice: () => Promise.resolve(null),
      collectInvoice: done,
      finishMonth: done,
      ...overrides,
    },
    server: 'time-skipping',
  };
}

export const scenarios: readonly Scenario[] = [
  closing('nothing-charged'),
  closing('invoiced', { issueInvoice: () => Promise.resolve(INVOICE) }),
  closing('waits-for-transactions', {
    findOpenAdmissions: () => Promise.resolve(['3/17', '4/2']),
    findStillOpenAdmissions: inTurn<string[]>(['3/17', '4/2'], ['4/2'], ['4/2'], []),
    issueInvoice: () => Promise.resolve(INVOICE),
  }),
  closing('month-lasts', { findOpenAdmissions: inTurn<string[] | null>(null, null, []) }),
  closing('provider-away', {
    issueInvoice: () => Promise.resolve(INVOICE),
    collectInvoice: (() => {
      let calls = 0;
      return () => (calls++ === 0 ? Promise.reject(new Error('the provider is away')) : done());
    })(),
  }),
];
