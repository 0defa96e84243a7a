import { describe, expect, it } from 'vitest';
import { documentWarnings } from '../../../domain/approval-policies/document-warnings.ts';
import { parsePolicyDocument } from '../../../domain/approval-policies/document.ts';
import type { GovernanceWarning } from '../../../domain/governance-warnings.ts';
import { atOnce } from '../../../domain/in-steps.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { KnownAction, KnownNames } from '../../../domain/impact-limits/known-names.ts';

/** What a policy refers to and the environment does not have. */

const closed = (properties: JsonObject): JsonObject => ({ type: 'object', properties, additionalProperties: false });

const SCHEMAS: Record<string, JsonObject> = {
  'refund.create': {
    ...closed({
      amount: { type: 'integer' },
      note: { type: 'string' },
      customer: { $ref: '#/$defs/customer' },
      items: { type: 'array', items: closed({ sku: { type: 'string' } }) },
      either: { oneOf: [closed({ left: {} }), closed({ right: {} })] },
    }),
    $defs: { customer: { allOf: [closed({ email: { type: 'string' } })] } },
  },
  'mail.send': closed({ to: { type: 'string' }, invoice: { type: 'string' } }),
  'open.call': { type: 'object', properties: { amount: { type: 'integer' } } },
};

const action = (name: string, over: Partial<KnownAction> = {}): KnownAction => ({
  name,
  tag: null,
  adapterType: 'http.request',
  adapterVersion: '1',
  impact: [],
  ...over,
});

const NAMES: KnownNames = {
  actions: [
    action('refund.create', { tag: 'payments', impact: [{ dimension: 'money', currency: 'usd' }] }),
    action('mail.send', { adapterType: 'resend.email' }),
    action('open.call'),
  ],
  keys: [
    { id: 'key_0123456789012345678901', name: 'deploy', canDecide: true },
    { id: 'key_0123456789012345678902', name: 'reader', canDecide: false },
  ],
  members: [{ id: 'usr_0123456789012345678901', email: 'ada@example.com', role: 'admin' }],
};

function warningsOf(rule: JsonObject, names: KnownNames = NAMES): GovernanceWarning[] {
  const document = {
    schema: 'approval-policy/v1',
    name: 'one',
    rules: [{ id: 'one', match: {}, effect: 'deny', ...rule }],
  };
  const parsed = parsePolicyDocument(document);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const world = { names, inputSchemas: new Map(Object.entries(SCHEMAS)) };
  return atOnce(documentWarnings([{ document: parsed.document, path: 'document' }], world));
}

const codesOf = (rule: JsonObject): string[] => warningsOf(rule).map(({ path, code }) => `${path} ${code}`);

describe('a match', () => {
  it('warns of each pattern that matches nothing, with what may be meant', () => {
    const match = {
      actions: ['refnd.create', 'refund.*', 'refnd.*', 'gone?'],
      adapters: ['htp.request'],
      tags: ['payment'],
      keys: ['deploi', 'dep*'],
    };
    expect(warningsOf({ match })).toEqual([
      {
        path: 'document.rules[0].match.actions[0]',
        code: 'matches_no_action',
        message: 'refnd.create matches no action of this environment; did you mean refund.create?',
      },
      {
        path: 'document.rules[0].match.actions[2]',
        code: 'matches_no_action',
        message: 'refnd.* matches no action of this environment; did you mean refund.*?',
      },
      {
        path: 'document.rules[0].match.actions[3]',
        code: 'matches_no_action',
        message: 'gone? matches no action of this environment',
      },
      {
        path: 'document.rules[0].match.adapters[0]',
        code: 'matches_no_adapter',
        message: 'htp.request is the adapter of no action of this environment; did you mean http.request?',
      },
      {
        path: 'document.rules[0].match.tags[0]',
        code: 'matches_no_tag',
        message: 'payment is the tag of no action of this environment; did you mean payments?',
      },
      {
        path: 'document.rules[0].match.keys[0]',
        code: 'matches_no_key',
        message: 'deploi matches no active key of this environment; did you mean deploy?',
      },
    ]);
  });

  it('warns where each part matches something and no action fits them all', () => {
    expect(codesOf({ match: { actions: ['refund.*'], adapters: ['resend.email'] } })).toEqual([
      'document.rules[0].match matches_no_action',
    ]);
  });

  it('warns of nothing that matches, nor of agents, which nobody registers', () => {
    const match = { actions: ['*'], adapters: ['http.*'], tags: ['pay*'], keys: ['deploy'], agents: ['anybody'] };
    expect(warningsOf({ match })).toEqual([]);
    expect(warningsOf({ match: { actions: ['gone'] } }, { ...NAMES, actions: null })).toEqual([]);
  });

  it('warns of approvers who are not there', () => {
    const approvers = {
      roles: ['owner', 'admin'],
      users: ['adda@example.com', 'ADA@example.com', 'usr_0123456789012345678901'],
      keys: ['deploy', 'reader', 'deplyo'],
    };
    expect(warningsOf({ effect: 'require_approval', approval: { approvers } })).toEqual([
      {
        path: 'document.rules[0].approval.approvers.users[0]',
        code: 'matches_no_member',
        message: 'adda@example.com is no member of the workspace; did you mean ada@example.com?',
      },
      {
        path: 'document.rules[0].approval.approvers.keys[1]',
        code: 'matches_no_key',
        message: 'reader is a key without the scope approvals:decide',
      },
      {
        path: 'document.rules[0].approval.approvers.keys[2]',
        code: 'matches_no_key',
        message: 'deplyo is no active key of this environment; did you mean deploy?',
      },
    ]);
  });
});

it('warns of roles that nobody has, unless somebody else on the list can approve', () => {
  const ask = (approvers: JsonObject): string[] => codesOf({ effect: 'require_approval', approval: { approvers } });
  expect(ask({ roles: ['owner'] })).toEqual(['document.rules[0].approval.approvers.roles[0] matches_no_member']);
  expect(ask({ roles: ['owner', 'admin'] })).toEqual([]);
  expect(ask({ roles: ['owner'], keys: ['deploy'] })).toEqual([]);
});

describe('a condition', () => {
  const refund = (when: string): GovernanceWarning[] => warningsOf({ match: { actions: ['refund.*'] }, when });
  const everywhere = (when: string): GovernanceWarning[] => warningsOf({ when });

  it.each([
    ['input.amuont > 5', 'reads input.amuont, which refund.create cannot have', 'did you mean amount?'],
    ['input["amuont"] > 5', 'reads input.amuont', 'did you mean amount?'],
    ['input.customer.emial == "a"', 'reads input.customer.emial', 'did you mean email?'],
    ['input.amount.value > 5', 'reads input.amount.value', ''],
    ['input.items.exists(i, i.skue == "a")', 'reads input.items[0].skue', 'did you mean sku?'],
    ['input.items[0].skue == "a"', 'reads input.items[0].skue', ''],
    ['size(input.nota) > 3', 'reads input.nota', 'did you mean note?'],
    ['input.either.midle == 1', 'reads input.either.midle', ''],
    ['caller.agentId == "bot" && input.amuont > 5', 'reads input.amuont', ''],
    ['caller.agentId == "bot" ? input.amuont > 5 : false', 'reads input.amuont', ''],
    ['has(input.amuont)', 'looks for input.amuont, which no action that the rule matches can have', 'amount?'],
    ['has(input.amuont) && input.amuont > 5', 'looks for input.amuont', 'amount?'],
    ['"amuont" in input', 'looks for input.amuont', 'amount?'],
    ['has(input.customer.emial)', 'looks for input.customer.emial', 'email?'],
    ['has(input.custmer.email)', 'reads input.custmer', 'customer?'],
  ])('warns of %s', (when, said, meant) => {
    const warnings = refund(when);
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([['document.rules[0].when', 'impossible_member']]);
    expect(warnings[0]?.message).toContain(said);
    expect(warnings[0]?.message).toContain(meant);
  });

  it.each([
    'input.amount > 5 && input.note == "x"',
    'has(input.customer) && input.customer.email.endsWith("@example.com")',
    'input.items.all(i, i.sku != "")',
    'input.either.left == 1 || input.either.right == 2',
    '[1, 2].exists(input, input > 1)',
    'impact.exists(i, i.dimension == "money" && i.currency == "usd" && i.amount > 5)',
    'action.name == "refund.create" && adapter.type == "http.request" && action.tag == "payments"',
    'input.note.id == "a"', // the id of a file becomes an object
  ])('says nothing of %s', (when) => {
    expect(refund(when)).toEqual([]);
  });

  it('says nothing of what an open schema may hold, and of what another part of the condition keeps from being read', () => {
    expect(warningsOf({ match: { actions: ['open.*'] }, when: 'input.anything > 5 && has(input.amuont)' })).toEqual([]);
    for (const when of [
      'has(input.amount) && input.amount > 5',
      '!has(input.amount) || input.amount > 5',
      '"amount" in input && input.amount > 5',
      'has(input.amount) ? input.amount > 5 : false',
      'action.name == "refund.create" && input.amount > 5',
      'action.name in ["refund.create", "open.call"] && input.amount > 5',
      'action.name.startsWith("refund.") && input.amount > 5',
      'adapter.type != "resend.email" && input.amount > 5',
      '!(adapter.type == "resend.email") && input.amount > 5',
    ]) {
      expect(everywhere(when), when).toEqual([]);
    }
  });

  it('warns of a member that only some of the actions can have, where it is read unguarded, and names the others', () => {
    const [warning, ...others] = everywhere('input.amount > 5');
    expect(others).toEqual([]);
    expect(warning?.message).toContain('reads input.amount, which mail.send cannot have');
  });

  it('warns of names and dimensions that it compares with and that no matched action has', () => {
    expect(everywhere('action.name == "refund.creat"').map(({ code, message }) => [code, message])).toEqual([
      [
        'matches_no_action',
        'compares action.name with "refund.creat", which no action that the rule matches has; did you mean refund.create?',
      ],
    ]);
    const codes = (when: string): string[] => everywhere(when).map(({ code }) => code);
    expect(codes('action.name in ["refund.create", "refund.gone"]')).toEqual(['matches_no_action']);
    expect(codes('action.tag == "paiments"')).toEqual(['matches_no_tag']);
    expect(codes('adapter.type == "stripe.refund"')).toEqual(['matches_no_adapter']);
    expect(codes('impact.exists(i, i.dimension == "mony")')).toEqual(['unknown_dimension']);
    expect(codes('impact.exists(i, i.dimension == "emails")')).toEqual([]); // of the adapter
  });

  it('stops looking at an environment that is too large, and stays fast', () => {
    const actions = Array.from({ length: 5_000 }, (_, n) => action(`a.${n}`));
    expect(warningsOf({ when: 'input.gone > 5' }, { ...NAMES, actions })).toEqual([]);
  });
});
