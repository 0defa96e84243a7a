import { expect, it } from 'vitest';
import { limitWarnings } from '../../../domain/impact-limits/limit-warnings.ts';
import type { LimitTerms } from '../../../domain/impact-limits/limits.ts';
import { ADAPTER_DESCRIPTORS } from '../../../domain/adapters/index.ts';
import type { KnownAction, KnownNames } from '../../../domain/impact-limits/known-names.ts';

const action = (name: string, adapterType: string, impact: KnownAction['impact'] = []): KnownAction => ({
  name,
  tag: null,
  adapterType,
  adapterVersion: '1',
  impact,
});

const NAMES: KnownNames = {
  actions: [
    action('refund.create', 'http.request', [{ dimension: 'money', currency: 'usd' }]),
    action('mail.send', 'resend.email'),
    action('read', 'http.request'),
  ],
  keys: [{ id: 'key_0123456789012345678901', name: 'deploy', canDecide: true }],
  members: [],
};

const warnings = (over: Partial<LimitTerms>, names = NAMES): string[] =>
  limitWarnings({ dimension: 'money', currency: 'usd', scope: {}, ...over }, names).map(
    ({ path, code, message }) => `${path} ${code}: ${message}`,
  );

it('says nothing of a limit that counts something', () => {
  expect(warnings({})).toEqual([]);
  expect(warnings({ scope: { actions: ['refund.*'], adapters: ['http.*'], agentIds: ['anybody'] } })).toEqual([]);
  expect(warnings({ dimension: 'emails', currency: null, scope: { apiKeys: ['key_0123456789012345678901'] } })).toEqual(
    [],
  );
  expect(warnings({ dimension: 'gone', currency: null }, { ...NAMES, actions: null })).toEqual([]);
});

it('warns of each name in the scope that nothing has', () => {
  const scope = {
    actions: ['refund.creat', 'mail.*'],
    adapters: ['resend.emial', 'resend.email'],
    apiKeys: ['key_0123456789012345678909'],
  };
  expect(warnings({ scope, dimension: 'emails', currency: null })).toEqual([
    'scope.apiKeys[0] matches_no_key: is no active key of this environment: key_0123456789012345678909',
    'scope.actions[0] matches_no_action: refund.creat matches no action of this environment; did you mean refund.create?',
    'scope.adapters[0] matches_no_adapter: resend.emial is the adapter of no action of this environment; did you mean resend.email?',
  ]);
  expect(warnings({ scope: { actions: ['mail.*'], adapters: ['http.request'] } })).toEqual([
    'scope matches_no_action: no action has both a name and an adapter of these',
  ]);
});

it('warns of a dimension or a currency that none of its actions declares', () => {
  expect(warnings({ dimension: 'mony', currency: null })).toEqual([
    'dimension unknown_dimension: no action that the limit applies to declares an impact in mony; did you mean money?',
  ]);
  expect(warnings({ scope: { actions: ['mail.*'] } })).toEqual([
    'dimension unknown_dimension: no action that the limit applies to declares an impact in money',
  ]);
  expect(warnings({ currency: 'eur' })).toEqual([
    'currency unknown_currency: no action that the limit applies to declares money in eur; they declare usd',
  ]);
  expect(warnings({ dimension: 'money' }, { ...NAMES, actions: [] })).toHaveLength(1);
});

it('knows the dimensions of every adapter that computes an impact', () => {
  for (const { type, impactOf, impactDimensions } of ADAPTER_DESCRIPTORS) {
    expect(impactDimensions === undefined, type).toBe(impactOf === undefined);
  }
});
