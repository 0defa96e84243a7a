import { planSchema } from './schemas.ts';
import { upgradeBody } from './usage-schemas.ts';
import { readPlan } from '../../db/plans/plans.ts';
import { digestOf } from '../../domain/canonical-json.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isPlanName, PLAN_TABLE, type PlanName } from '../../domain/plans.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireSession } from './require-session.ts';

const NO_SUCCESS = 'It is refused until paid plans open: test/api/billing/upgrade.test.ts.';

/** Paid plans are closed (`PAID_PLANS_OPEN`): every request is refused before its body is read. */
export const upgradeRoute = defineRoute({
  of: 'environment',
  id: 'billing.upgrade',
  method: 'POST',
  path: '/api/v2/billing/upgrade',
  summary: 'Ask for another plan',
  description:
    'Refused with 403 `PAID_PLANS_UNAVAILABLE` until paid plans open, whatever the body says. Each attempt is in the audit log. Needs the ' +
    'session of an admin: an API key gets 403.',
  scope: 'billing:read',
  role: 'admin',
  needsUser: true,
  request: { body: upgradeBody },
  response: { 200: planSchema },
  errors: ['USER_IDENTITY_REQUIRED', 'PAID_PLANS_UNAVAILABLE'],
  exempt: {
    roles: NO_SUCCESS,
    audited: NO_SUCCESS,
    unknownFields: NO_SUCCESS,
    wrongTypes: NO_SUCCESS,
    bodies: NO_SUCCESS,
    conformance: NO_SUCCESS,
  },
  ownsItsTransaction: 'The audit entry of a refused attempt stays, so it commits before the refusal.',
  audited: 'recorded',
  async readBody(bytes: Uint8Array) {
    const plan = planAsked(bytes);
    return Promise.resolve({ body: { plan }, digest: digestOf({ plan }) });
  },
  async handler({ body: { plan }, caller, transaction, recordAudit }) {
    requireSession(caller);
    const present = await transaction(async (tx) => {
      const before = await readPlan(tx);
      await recordAudit(tx, {
        action: 'billing.upgrade_requested',
        target: { type: 'workspace', id: caller.workspaceId },
        details: { plan, from: before, outcome: 'PAID_PLANS_UNAVAILABLE' },
      });
      return before;
    });
    throw new ServiceError('PAID_PLANS_UNAVAILABLE', {
      message:
        `Paid plans are not open yet. The workspace stays on the ${PLAN_TABLE[present].title} plan. ` +
        'GET /api/v2/public/pricing-policy says when they open (paidPlansOpen).',
    });
  },
});

/** For the audit log. Returns null for anything but a plan's name. */
function planAsked(bytes: Uint8Array): PlanName | null {
  try {
    const { plan } = JSON.parse(new TextDecoder().decode(bytes)) as { plan?: unknown };
    return typeof plan === 'string' && isPlanName(plan) ? plan : null;
  } catch {
    return null;
  }
}
