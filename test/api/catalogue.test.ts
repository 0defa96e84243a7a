import { expect, test } from 'vitest';
import { ROUTES } from '../../api/routes.ts';

/** The catalogue of operations of the specification ("Endpoint catalogue", and what is detailed below it), written out. */
const CATALOGUE = `
POST /api/v2/messages/publish
POST /api/v2/messages/batch
GET /api/v2/messages
GET DELETE /api/v2/messages/{messageId}
GET POST /api/v2/schedules
GET DELETE PATCH /api/v2/schedules/{scheduleId}
POST /api/v2/schedules/{scheduleId}/pause
POST /api/v2/schedules/{scheduleId}/resume
GET POST /api/v2/url-groups
GET DELETE PATCH /api/v2/url-groups/{groupId}
POST /api/v2/url-groups/{groupId}/endpoints
DELETE /api/v2/url-groups/{groupId}/endpoints/{endpointId}
POST /api/v2/url-groups/{groupId}/publish
GET /api/v2/analytics/overview
GET /api/v2/analytics/agents
GET /api/v2/analytics/trust-control
GET /api/v2/analytics/delivery
GET /api/v2/analytics/messages
GET /api/v2/analytics/time-series
GET /api/v2/analytics/top-urls
GET /api/v2/analytics/usage/current
GET /api/v2/analytics/usage/history
GET /api/v2/analytics/schedules
GET /api/v2/analytics/schedule-executions
GET /api/v2/analytics/errors
GET /api/v2/analytics/onboarding
GET /api/v2/billing/budget
GET /api/v2/billing/plan
GET /api/v2/billing/usage/current
GET /api/v2/billing/plans
GET /api/v2/billing/quota
GET /api/v2/billing/usage/history
GET /api/v2/billing/cost-estimate
GET /api/v2/billing/invoices
GET /api/v2/billing/stripe-config
POST /api/v2/billing/upgrade
GET /api/v2/public/pricing-policy
GET /api/v2/notifications
GET /api/v2/notifications/unread-count
GET PATCH /api/v2/notifications/preferences
GET PATCH /api/v2/notifications/preferences/me
PATCH /api/v2/notifications/{id}/read
PATCH /api/v2/notifications/read-all
DELETE /api/v2/notifications/{id}
POST /api/v2/notifications/preferences/test-webhook
GET POST /api/v2/sessions
GET DELETE PATCH /api/v2/sessions/{id}
GET POST DELETE /api/v2/sessions/{id}/messages
DELETE /api/v2/sessions/{id}/messages/last
GET /api/v2/sessions/{id}/context
POST /api/v2/context
GET POST /api/v2/actions
POST /api/v2/actions/import
GET /api/v2/actions/invocations
GET /api/v2/actions/invocations/{id}
POST /api/v2/actions/invocations/{id}/resolve
GET DELETE PATCH /api/v2/actions/{ref}
POST /api/v2/actions/{ref}/invoke
GET /api/v2/actions/{ref}/versions
GET /api/v2/actions/{ref}/invocations
POST /api/v2/actions/{ref}/previews
GET /api/v2/actions/previews/{id}
POST /api/v2/actions/previews/{id}/refresh
GET /api/v2/actions/effects
GET /api/v2/actions/effects/{id}
POST /api/v2/actions/effects/{id}/reconcile
POST /api/v2/actions/effects/{id}/notes
POST /api/v2/actions/effects/{id}/resolve
POST /api/v2/actions/effects/{id}/replay
GET POST /api/v2/impact-limits
GET DELETE PATCH /api/v2/impact-limits/{id}
POST /api/v2/approval-policies/evaluate
GET POST /api/v2/approval-policies
POST /api/v2/approval-policies/files/plan
POST /api/v2/approval-policies/files/apply
POST /api/v2/approval-policies/files/test
GET /api/v2/approval-policies/{policyId}/versions
GET /api/v2/approval-policies/{policyId}/versions/{version}
GET DELETE PATCH /api/v2/approval-policies/{policyId}
GET /api/v2/auth/identity
GET POST /api/v2/approvals
GET /api/v2/approvals/{id}
POST /api/v2/approvals/{id}/approve
POST /api/v2/approvals/{id}/deny
GET /api/v2/budgets
GET PUT DELETE /api/v2/budgets/{apiKeyId}
GET /api/v2/secrets
GET PUT DELETE /api/v2/secrets/{name}
GET POST /api/v2/files
POST /api/v2/files/presign
GET DELETE /api/v2/files/{fileId}
POST /api/v2/files/{fileId}/confirm
GET /api/v2/files/{fileId}/download
GET POST /api/v2/cache
POST /api/v2/cache/lookup
POST /api/v2/cache/flush
GET /api/v2/cache/stats
GET DELETE /api/v2/cache/{entryId}
GET POST /api/v2/events/topics
GET DELETE PATCH /api/v2/events/topics/{ref}
GET POST /api/v2/events/topics/{ref}/subscriptions
DELETE PATCH /api/v2/events/subscriptions/{subscriptionId}
POST /api/v2/events/subscriptions/{subscriptionId}/rotate-secret
GET POST /api/v2/events
GET /api/v2/events/{eventId}
GET DELETE /api/v2/dlq
GET /api/v2/dlq/stats
POST /api/v2/dlq/retry-all
GET DELETE /api/v2/dlq/{messageId}
POST /api/v2/dlq/{messageId}/retry
GET POST /api/v2/flow-control
GET DELETE PATCH /api/v2/flow-control/{flowControlKeyId}
POST /api/v2/flow-control/{flowControlKeyId}/pause
POST /api/v2/flow-control/{flowControlKeyId}/resume
POST /api/v2/flow-control/{flowControlKeyId}/pin
POST /api/v2/flow-control/{flowControlKeyId}/unpin
POST /api/v2/flow-control/{flowControlKeyId}/reset-rate
GET /api/v2/flow-control/{flowControlKeyId}/status
GET /api/v2/integrations
POST /api/v2/integrations/discord
POST /api/v2/integrations/discord/{id}/test
GET /api/v2/integrations/slack/{id}/channels
PATCH /api/v2/integrations/slack/{id}/channel
POST /api/v2/integrations/slack/{id}/test
PATCH /api/v2/integrations/{id}/toggle
DELETE /api/v2/memory/collections/{collectionId}
POST /api/v2/runs
GET POST /api/v2/workspaces/{workspaceId}/api-keys
DELETE /api/v2/workspaces/{workspaceId}/api-keys/{keyId}
PATCH /api/v2/workspaces/{workspaceId}/environments/{environmentId}
`;

/** Parameters may have other names: a caller fills them in by place. */
const shape = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

function operationsOf(catalogue: string): string[] {
  return catalogue
    .trim()
    .split('\n')
    .flatMap((line) => {
      const words = line.split(' ');
      const path = words.pop() ?? '';
      return words.map((method) => `${method} ${path}`);
    });
}

test('every operation of the catalogue of the specification is served', () => {
  const served = new Set(ROUTES.map(({ method, path }) => `${method} ${shape(path)}`));
  const operations = operationsOf(CATALOGUE);
  expect(operations.length).toBe(new Set(operations.map(shape)).size);
  expect(operations.length).toBe(174);
  expect(operations.filter((operation) => !served.has(shape(operation)))).toEqual([]);
});
