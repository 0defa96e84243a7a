import { describe, expect, test } from 'vitest';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';
import { bindingDigestOf, requestDigestOf } from '../../../domain/previews/binding.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { assemblePreview, type PreviewSource } from '../../../domain/previews/assemble-preview.ts';
import { previewBlockSchema, type PreviewBlock } from '../../../domain/adapters/preview-block.ts';

function definition(config: JsonObject = {}, over: Partial<ActionDefinition> = {}): ActionDefinition {
  const parsed = httpRequestDescriptor.parseConfig({
    method: 'POST',
    url: 'https://api.example.com/refunds',
    headers: { authorization: 'Bearer {{secret:key}}' },
    body: '{{input.body}}',
    ...config,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return {
    adapter: { type: 'http.request', version: '1', config: parsed.config },
    inputSchema: {},
    outputSchema: null,
    governed: true,
    impact: [],
    verify: null,
    approval: { required: false, tag: null },
    timeoutMs: 1_000,
    ...over,
  };
}

const source = (over: Partial<PreviewSource> = {}): PreviewSource => ({
  descriptor: httpRequestDescriptor,
  definition: definition(),
  action: { id: 'act_1', versionId: 'ver_1' },
  input: { body: { amount: 1250 } },
  identity: { invocationId: 'inv_1', effectId: 'eff_1', operationKey: 'key' },
  scope: { workspaceId: 'w', environmentId: 'e' },
  secretVersions: { key: 3 },
  policyRevision: 7,
  observation: null,
  expiresAt: new Date('2026-01-02T03:04:05.678Z'),
  ...over,
});

function ready(over: Partial<PreviewSource> = {}) {
  const assembly = assemblePreview(source(over));
  if (assembly.kind !== 'ready') throw new Error(JSON.stringify(assembly));
  return assembly.preview;
}

const fieldsOf = (blocks: readonly PreviewBlock[]): PreviewBlock => {
  const found = blocks.find(({ type }) => type === 'fields');
  if (found === undefined) throw new Error('there is no such block');
  return found;
};

describe('what is bound', () => {
  test('is the request, its target, versions, preconditions, scope and expiry, and nothing else', () => {
    const { binding, bindingDigest, requestDigest } = ready();
    expect(binding).toEqual({
      request: {
        method: 'POST',
        url: 'https://api.example.com/refunds',
        headers: { authorization: 'Bearer {{secret:key}}', 'content-type': 'application/json' },
        body: '{"amount":1250}',
        bodyEncoding: 'utf8',
      },
      target: { method: 'POST', host: 'api.example.com', path: '/refunds' },
      versions: { actionId: 'act_1', actionVersionId: 'ver_1', adapterType: 'http.request', adapterVersion: '1' },
      preconditions: { actionVersionId: 'ver_1', policyRevision: 7, secretVersions: { key: 3 }, adapter: {} },
      scope: { workspaceId: 'w', environmentId: 'e', impact: [] },
      expiresAt: '2026-01-02T03:04:05.678Z',
    });
    expect(bindingDigest).toBe(bindingDigestOf(binding));
    expect(requestDigest).toBe(requestDigestOf(binding));
    expect(ready()).toEqual(ready());
  });

  test.each<[string, Partial<PreviewSource>]>([
    ['method', { definition: definition({ method: 'PUT' }) }],
    ['URL', { definition: definition({ url: 'https://api.example.com/refunds?x' }) }],
    ['header', { definition: definition({ headers: { authorization: 'Basic {{secret:key}}' } }) }],
    ['body', { input: { body: { amount: 1251 } } }],
    [
      'id in the request',
      { definition: definition({ idempotencyHeader: 'k' }), identity: { ...source().identity, effectId: 'eff_2' } },
    ],
    ['action', { action: { id: 'act_2', versionId: 'ver_1' } }],
    ['action version', { action: { id: 'act_1', versionId: 'ver_2' } }],
    ['adapter version', { descriptor: { ...httpRequestDescriptor, version: '2' } }],
    ['secret version', { secretVersions: { key: 4 } }],
    ['policy revision', { policyRevision: 8 }],
    ['record at the provider', { observation: { observedAt: new Date(0), preconditions: { a: 1 }, blocks: [] } }],
    ['environment', { scope: { workspaceId: 'w', environmentId: 'e2' } }],
    ['workspace', { scope: { workspaceId: 'w2', environmentId: 'e' } }],
    [
      'impact',
      { definition: definition({}, { impact: [{ dimension: 'calls', amount: { const: 1 }, bound: 'exact' }] }) },
    ],
    ['expiry', { expiresAt: new Date('2026-01-02T03:04:05.679Z') }],
  ])('another %s is another digest', (_, over) => {
    expect(ready(over).bindingDigest).not.toBe(ready().bindingDigest);
  });
});

describe('what cannot be previewed', () => {
  test.each<[string, Partial<PreviewSource>, object]>([
    ['a template that does not resolve', { input: {} }, { kind: 'invalid' }],
    [
      'an impact without a bound',
      { definition: definition({}, { impact: [{ dimension: 'calls', amount: { path: 'input.n' }, bound: 'exact' }] }) },
      { kind: 'refused', refusal: { code: 'impact_unbounded' } },
    ],
  ])('%s', (_, over, expected) => {
    expect(assemblePreview(source(over))).toMatchObject(expected);
  });
});

describe('what a person reads', () => {
  const leaves = (body: JsonObject | string) => fieldsOf(ready({ input: { body } }).blocks);

  test('has the leaves of a JSON body by their paths', () => {
    const { fields } = leaves({ a: [1, { b: 'x' }], empty: {}, none: null });
    expect(fields).toEqual(
      expect.arrayContaining([
        { label: 'body.a[0]', value: '1' },
        { label: 'body.a[1].b', value: 'x' },
        { label: 'body.empty', value: '{}' },
        { label: 'body.none', value: 'null' },
      ]),
    );
  });

  test('is cut where a body has more leaves, or longer ones, than a person reads; and says so', () => {
    const many = leaves(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`n${n}`, n])));
    expect(many.fields).toHaveLength(100);
    expect(many.truncated).toBe(true);
    const long = leaves({ text: `${'x'.repeat(3_999)}😀 and more` });
    expect(long.truncated).toBe(true);
    const text = long.fields?.find(({ label }) => label === 'body.text')?.value ?? '';
    expect(text).toBe('x'.repeat(3_999)); // never half a character
    expect(leaves({ text: 'short' }).truncated).toBeUndefined();
  });

  test('is a text where the body only looks like JSON, or is nested without end', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const body of ['{not json', deep]) {
      const text = definition({ headers: { 'content-type': 'text/plain', x: '{{secret:key}}' } });
      const { blocks } = ready({ definition: text, input: { body } });
      expect(fieldsOf(blocks).fields?.find(({ label }) => label === 'Body')?.value).toBe(body.slice(0, 4_000));
    }
  });

  test('holds what the adapter adds, cut to what is kept, and always fits its schema', () => {
    const block: PreviewBlock = { type: 'text_diff', title: 'a file', before: 'a'.repeat(30_000), after: 'b' };
    const one = ready({ observation: { observedAt: new Date(0), preconditions: {}, blocks: [block] } });
    expect(one.blocks).toContainEqual({ ...block, before: 'a'.repeat(20_000), truncated: true });
    const flood = ready({
      observation: { observedAt: new Date(0), preconditions: {}, blocks: Array.from({ length: 50 }, () => block) },
    });
    expect(JSON.stringify(flood.blocks).length).toBeLessThan(300_000);
    expect(flood.blocks.find(({ title }) => title === 'Not shown')?.items?.[0]?.text).toMatch(/^37 more parts/);
    for (const shown of flood.blocks) expect(previewBlockSchema.safeParse(shown).error).toBeUndefined();
  });

  test('says what is promised and what is not, by the capabilities', () => {
    const text = (over: Partial<PreviewSource>): string => JSON.stringify(ready(over).blocks.at(-1)?.items);
    expect(text({})).toContain('no idempotency key');
    expect(text({})).toContain('cannot be read back');
    expect(text({})).toContain('Nothing was read from the provider');
    expect(text({ definition: definition({ idempotencyHeader: 'k' }) })).toContain('knows the request by it');
    const capable = { ...httpRequestDescriptor, capabilitiesFor: () => CAPABLE };
    expect(text({ descriptor: capable })).toContain('for 24 hours');
    expect(text({ descriptor: capable })).toContain('may still reverse');
  });
});

const CAPABLE = {
  idempotent: true,
  idempotencyWindowSeconds: 86_400,
  lookup: 'by_key',
  replay: true,
  preview: true,
  reversible: true,
} as const;
