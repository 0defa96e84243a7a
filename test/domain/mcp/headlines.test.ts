import { describe, expect, it } from 'vitest';
import type { ActionDefinition } from '../../../domain/actions.ts';
import { annotationsOf } from '../../../domain/mcp/annotations.ts';
import { headlineOfInvocation, type ToldInvocation } from '../../../domain/mcp/headlines.ts';

const invocation: ToldInvocation = {
  id: 'inv_1',
  status: 'succeeded',
  grade: 'confirmed',
  action: { name: 'refund.create' },
  approvalId: null,
  error: null,
  refusal: null,
  nextStep: null,
};

describe('what an agent reads first', () => {
  it.each<[Partial<ToldInvocation>, string | null, string]>([
    [{}, null, 'SUCCEEDED (confirmed): invocation inv_1 of refund.create.'],
    [
      {
        status: 'refused',
        grade: 'refused',
        refusal: { code: 'impact_limit_exceeded', message: 'The limit has 5.00 USD left.' },
        nextStep: 'Ask for less.',
      },
      null,
      'REFUSED (impact_limit_exceeded): invocation inv_1 of refund.create. The limit has 5.00 USD left. Ask for less.',
    ],
    [
      {
        status: 'pending_approval',
        grade: 'pending',
        approvalId: 'apr_1',
        nextStep: 'Ask a person and poll GET /api/v2/actions/invocations/inv_1?wait=30; do not invoke it again.',
      },
      'https://runtime.example/console/x',
      'PENDING_APPROVAL (pending): invocation inv_1 of refund.create. A person decides at https://runtime.example/console/x (approval apr_1). ' +
        'Ask a person and call get_invocation with id inv_1 and waitSeconds 30; do not invoke it again.',
    ],
    [
      { status: 'pending_approval', grade: 'pending', approvalId: 'apr_1' },
      null,
      'PENDING_APPROVAL (pending): invocation inv_1 of refund.create. A person decides on approval apr_1.',
    ],
    [
      { status: 'failed', grade: 'failed', error: 'the target answered 500' },
      null,
      'FAILED (failed): invocation inv_1 of refund.create. the target answered 500.',
    ],
  ])('%j', (over, decideAt, headline) => {
    expect(headlineOfInvocation({ ...invocation, ...over }, decideAt)).toBe(headline);
  });
});

describe('what a client is told of an action before it calls it', () => {
  const definition = (method: string, more: Partial<ActionDefinition> = {}): ActionDefinition => ({
    adapter: { type: 'http.request', version: '1', config: { method, url: 'https://api.example.com' } },
    inputSchema: { type: 'object' },
    outputSchema: null,
    governed: false,
    impact: [],
    verify: null,
    approval: { required: false, tag: null },
    timeoutMs: 1_000,
    ...more,
  });
  const money = [{ dimension: 'money', currency: 'usd', amount: { const: 1 }, bound: 'exact' as const }];

  it.each([
    ['a GET', definition('GET'), true],
    ['a POST', definition('POST'), false],
    ['a GET that declares impact', definition('GET', { impact: money }), false],
    [
      'an adapter that is not known here',
      { ...definition('GET'), adapter: { type: 'x', version: '1', config: {} } },
      false,
    ],
  ])('%s: read-only or destructive', (_what, made, readOnly) => {
    expect(annotationsOf(made)).toMatchObject({ readOnlyHint: readOnly, destructiveHint: !readOnly });
  });
});
