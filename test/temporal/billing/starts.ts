import { closeBillingMonthStart } from '../../../temporal/billing/close-billing-month.ts';
import type { DeclaredStart } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  [
    'billing-month/wsp/2026-10',
    closeBillingMonthStart({ workspaceId: 'wsp', month: '2026-10' }, 'q'),
    ['WorkspaceId', 'Environment'],
  ],
];
