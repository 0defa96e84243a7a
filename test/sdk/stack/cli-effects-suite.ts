import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../../embedded/credentials.ts';
import { callJson } from '../../../embedded/http-json.ts';
import { type Ended, type InstalledPackages, run } from '../packages.ts';
import type { SharedStack } from './shared-stack.ts';

/** `effects` of the command line, about refunds whose answers the demo's provider loses. */
export function cliEffectsSuite(stack: () => SharedStack, installed: () => InstalledPackages): void {
  describe('effects of the command line', () => {
    let home: string;
    const cli = (...args: string[]): Promise<Ended> => {
      const command = path.join(installed().folder, 'node_modules', '.bin', 'agent-actions');
      return run(command, args, { cwd: installed().folder, env: { HOME: home } });
    };
    const json = async (...args: string[]): Promise<{ code: number; value: Record<string, never> }> => {
      const { code, output, errors } = await cli(...args, '--json');
      return { code, value: JSON.parse(output === '' ? errors : output) as Record<string, never> };
    };
    const service = async (method: string, to: string, body: object): Promise<void> => {
      const { credentials } = stack();
      const headers = { authorization: `Bearer ${keyOf(credentials, 'development', 'all_scopes')}` };
      const reply = await callJson(`${credentials.baseUrl}/api/v2${to}`, { method, headers, body });
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    };
    /** Switches of the provider: it makes the next refund and loses its answer; it shows no refund. */
    const provider = async (switches: { loseAnswers?: number; hideRefunds: boolean }): Promise<void> => {
      const { url, key } = stack().credentials.payments;
      const headers = { authorization: `Bearer ${key}` };
      expect((await callJson(`${url}/switches`, { method: 'PUT', headers, body: switches })).status).toBe(200);
    };
    /** A refund that the provider made, and nobody knows that. It was asked for with the key `full_access`. */
    const lost = async (action: string): Promise<Record<string, string>> => {
      await provider({ loseAnswers: 1, hideRefunds: true });
      const { code, value } = await json('invoke', action, '--input', '{"payment":"pay_1003","amount":100}');
      expect([code, value['status']]).toEqual([4, 'unknown']);
      return value;
    };

    beforeAll(async () => {
      home = mkdtempSync(path.join(stack().folder, 'home-effects-'));
      const { payments } = stack().credentials;
      for (const [profile, name] of [
        ['default', 'full_access'],
        ['other', 'all_scopes'],
        ['agent', 'agent'],
      ] as const)
        await cli('login', '--stack', stack().credentialsFile, '--key-name', name, '--profile', profile);
      await service('PUT', '/secrets/cli_payments_key', { value: payments.key });
      const headers = { Authorization: 'Bearer {{secret:cli_payments_key}}' };
      const body = { payment: '{{input.payment}}', amount: '{{input.amount}}' };
      const config = { method: 'POST', url: `${payments.url}/refunds`, headers, body };
      const inputSchema = {
        type: 'object',
        required: ['payment', 'amount'],
        properties: { payment: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
      };
      const request = { method: 'GET', url: `${payments.url}/refunds/by-key/{{effect.id}}`, headers };
      await service('POST', '/actions', {
        name: 'lost.refund',
        adapter: { type: 'http.request', config: { ...config, idempotencyHeader: 'Idempotency-Key' } },
        inputSchema,
        impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
        verify: { request, expect: [{ path: 'body.state', op: 'eq', value: 'succeeded' }] },
      });
      const idempotencyKey = { 'Idempotency-Key': '{{invocation.id}}' };
      await service('POST', '/actions', {
        name: 'lost.plain',
        adapter: { type: 'http.request', config: { ...config, headers: { ...headers, ...idempotencyKey } } },
        inputSchema,
      });
    });

    it('says that nothing matches, where that is not the same as nothing yet', async () => {
      const none = await cli('effects', 'list', '--grade', 'unknown', '--action', 'lost.refund');
      expect(none).toMatchObject({ code: 0, output: 'No receipt matches --grade unknown --action lost.refund.\n' });
      expect((await cli('logs', '--action', 'lost.refund')).output).toBe(
        'Nothing that was invoked matches --action lost.refund.\n',
      );
      expect((await cli('actions', 'list', '--name', 'lost.nothing')).output).toBe(
        'No action matches --name lost.nothing.\nNext: agent-actions actions list\n',
      );
      const refused = await json('effects', 'list', '--grade', 'unknwon');
      expect(refused).toMatchObject({ code: 1, value: { error: { code: 'VALIDATION_ERROR' } } });
    });

    it('finds an unknown outcome, reads the provider, and ends with code 4 until it is known', async () => {
      const { effectId = '' } = await lost('lost.refund');
      const listed = await cli('effects', 'list', '--outcome', 'unknown', '--action', 'lost.refund');
      expect(listed.output).toMatch(new RegExp(`unknown +reconciling +unknown +lost\\.refund +${effectId}`));
      expect(listed.output).toContain(`Next: agent-actions effects show ${effectId}`);
      const shown = await cli('effects', 'show', effectId);
      expect(shown.code).toBe(4);
      expect(shown.output).toContain(`Next: agent-actions effects reconcile ${effectId}`);
      expect(shown.output).toContain(`Next: agent-actions effects resolve ${effectId} --outcome <succeeded|failed>`);
      expect((await cli('effects', 'reconcile', effectId)).code).toBe(4);
      await provider({ hideRefunds: false });
      const read = await json('effects', 'reconcile', effectId);
      expect(read).toMatchObject({ code: 0, value: { effect: { outcome: 'succeeded', grade: 'confirmed' } } });
      expect((await cli('effects', 'show', effectId)).code).toBe(0);
      const again = await cli('effects', 'reconcile', effectId);
      expect(again).toMatchObject({ code: 1, errors: expect.stringContaining('nothing to reconcile') as string });
    });

    it('notes and resolves one: not with the key that asked, nor twice', async () => {
      const { effectId = '', id = '' } = await lost('lost.refund');
      const noted = await cli('effects', 'note', effectId, 'Asked the provider.');
      expect(noted).toMatchObject({ code: 0, output: expect.stringContaining('operator_note: Asked the') as string });
      const resolve = ['effects', 'resolve', effectId, '--summary', 'The dashboard shows it.', '--outcome'];
      const own = await cli(...resolve, 'succeeded');
      expect(own).toMatchObject({
        code: 1,
        errors: expect.stringContaining('requested an invocation cannot resolve it') as string,
      });
      expect(own.errors).toContain('Next: use another key: agent-actions login --profile <name>');
      const unscoped = await cli(...resolve, 'succeeded', '--profile', 'agent');
      expect(unscoped).toMatchObject({ code: 1, errors: expect.stringContaining('actions:resolve') as string });
      const partial = await cli(...resolve, 'failed', '--profile', 'other');
      expect(partial).toMatchObject({ code: 1, errors: expect.stringContaining('partialEffect') as string });
      const options = ['--partial-effect', 'confirmed', '--provider-id', 'refund=re_1', '--profile', 'other'];
      const impact = '[{"dimension":"money","currency":"usd","amount":40,"bound":"exact"}]';
      const resolved = await json(...resolve, 'failed', ...options, '--settled-impact', impact);
      expect(resolved).toMatchObject({
        code: 0,
        value: { effect: { verification: 'manual', partialEffect: 'confirmed' }, chain: { valid: true } },
      });
      const again = await cli(...resolve, 'failed', ...options);
      expect(again).toMatchObject({ code: 1, errors: expect.stringContaining('nothing to resolve') as string });
      expect((await cli('effects', 'show', effectId)).output).toMatch(/^resolved +failed \(was unknown\), by api_key/m);
      const other = await cli('effects', 'show', id);
      expect(other).toMatchObject({ code: 2, errors: expect.stringContaining('is the id of an invocation') as string });
    });

    // What a replay does where the adapter offers one: test/api/reconciliation.
    it('replays nothing that the provider would take for a new request', async () => {
      const { effectId = '' } = await lost('lost.refund');
      const refused = await cli('effects', 'replay', effectId);
      expect(refused).toMatchObject({
        code: 1,
        errors: expect.stringContaining('Nothing was sent: its adapter offers no replay') as string,
      });
      expect((await cli('effects', 'show', effectId)).code).toBe(4);
    });

    it('resolves an invocation that has no receipt, and names the receipt of one that has', async () => {
      const { id = '' } = await lost('lost.plain');
      const shown = await cli('logs', '--invocation', id);
      expect(shown).toMatchObject({
        code: 4,
        output: expect.stringContaining(`agent-actions effects resolve ${id} --outcome`) as string,
      });
      const resolve = ['--outcome', 'succeeded', '--summary', 'The dashboard shows it.', '--profile', 'other'];
      expect(await json('effects', 'resolve', id, ...resolve)).toMatchObject({
        code: 0,
        value: { status: 'succeeded' },
      });
      const governed = await lost('lost.refund');
      const refused = await cli('effects', 'resolve', governed['id'] ?? '', ...resolve);
      expect(refused).toMatchObject({
        code: 1,
        errors: expect.stringContaining(`Next: the same command with ${governed['effectId']}`) as string,
      });
    });

    it('shows a page at a time', async () => {
      const first = await cli('effects', 'list', '--action', 'lost.refund', '--limit', '2');
      expect(first.output).toContain(
        'Page 1 of 2. Next page: agent-actions effects list --action lost.refund --limit 2 --page 2',
      );
      const second = await json('effects', 'list', '--action', 'lost.refund', '--limit', '2', '--page', '2');
      expect([second.code, (second.value as unknown as unknown[]).length]).toEqual([0, 2]);
      expect((await cli('effects', 'list', '--limit', '2', '--page', '90')).output).toMatch(/^There is no page 90: /);
    });

    it('shows an action, and what an invocation would do', async () => {
      const action = await cli('actions', 'show', 'lost.refund');
      expect(action.code).toBe(0);
      expect(action.output).toMatch(/^lost\.refund {2}governed {2}act_/);
      expect(action.output).toMatch(/^ {2}amount +integer +required$/m);
      expect(action.output).toContain(
        `Next: agent-actions invoke lost.refund --dry-run --input '{"amount":1,"payment":"…"}'`,
      );
      const dryRun = ['invoke', 'lost.refund', '--dry-run', '--input', '{"payment":"pay_1003","amount":100}'];
      const would = await cli(...dryRun);
      expect(would).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^DRY RUN .*: it would be sent/) as string,
      });
      expect(would.output).toMatch(/^impact +money: 100 usd$/m);
      const document = {
        schema: 'approval-policy/v1',
        name: 'lost refunds',
        rules: [
          { id: 'large', match: { actions: ['lost.refund'] }, when: 'input.amount == 200', effect: 'require_approval' },
          { id: 'none', match: { actions: ['lost.refund'] }, when: 'input.amount == 300', effect: 'deny' },
        ],
      };
      await service('POST', '/approval-policies', { document });
      expect(await cli(...dryRun.with(4, '{"payment":"pay_1003","amount":200}'))).toMatchObject({
        code: 3,
        output: expect.stringContaining('it would wait for a person to agree') as string,
      });
      expect(await cli(...dryRun.with(4, '{"payment":"pay_1003","amount":300}'))).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^refusal +policy_denied/m) as string,
      });
    });

    it('sends who asked to somebody else, and nobody to a login that is not used', async () => {
      const asked = await cli('invoke', 'lost.refund', '--input', '{"payment":"pay_1003","amount":200}', '--wait', '0');
      const approval = /^approval +(apr_\w+)$/m.exec(asked.output)?.[1] ?? '';
      expect(asked).toMatchObject({
        code: 3,
        output: expect.stringContaining('Next: somebody else decides') as string,
      });
      const watched = async (profile: string): Promise<string> =>
        (await cli('approvals', 'watch', '--once', '--profile', profile)).output;
      expect(await watched('default')).toContain('Next: this key asked for it: somebody else decides');
      expect(await watched('agent')).toContain('Next: this key decides nothing');
      expect(await watched('other')).toContain(`Next: agent-actions approvals approve ${approval} --profile other`);
      expect((await cli('approvals', 'deny', approval, '--note', 'Enough.', '--profile', 'other')).code).toBe(0);
      const { baseUrl } = stack().credentials;
      const env = { HOME: home, BASE_URL: baseUrl, API_KEY: `service_live_${'0'.repeat(32)}` };
      const command = path.join(installed().folder, 'node_modules', '.bin', 'agent-actions');
      const refused = await run(command, ['actions', 'list'], { cwd: installed().folder, env });
      expect(refused.errors).toContain('Next: API_KEY of the environment was sent');
    });
  });
}
