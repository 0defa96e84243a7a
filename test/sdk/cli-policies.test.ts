import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../process/project-root.ts';
import { EXIT } from '../../sdk/cli/src/exit.ts';
import { runProgram } from '../../sdk/cli/src/program.ts';
import { startTestApi } from '../api/harness/test-api.ts';
import { memberSession } from '../api/harness/member-session.ts';
import { createRefundAction, policyClient, type PolicyClient } from '../api/approval-policies/support.ts';

const EXAMPLE = path.join(projectRoot(), 'docs', 'examples', 'approval-policies');

/** `agent-actions policies` on a folder, against a real service over HTTP. */
const api = await startTestApi();

describe('agent-actions policies', () => {
  let client: PolicyClient;
  let folder: string;
  beforeEach(async () => {
    client = await policyClient(api, (await api.database.anotherWorkspace()).production);
    folder = mkdtempSync(path.join(tmpdir(), 'policies-'));
    cpSync(EXAMPLE, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function run(...argv: string[]): Promise<{ code: number; output: string; errors: string }> {
    const [output, errors]: [string[], string[]] = [[], []];
    const code = await runProgram(['policies', ...argv], {
      print: (text) => void output.push(text),
      printError: (text) => void errors.push(text),
      env: { BASE_URL: api.baseUrl, API_KEY: client.key },
      readInput: () => Promise.resolve(''),
      ask: null,
      askSecretly: null,
      signal: new AbortController().signal,
    });
    return { code, output: output.join('\n'), errors: errors.join('\n') };
  }
  const edit = (file: string, change: (text: string) => string): void => {
    const at = path.join(folder, file);
    writeFileSync(at, change(readFileSync(at, 'utf8')));
  };

  it('plans, applies, and says then that nothing changes', async () => {
    const planned = await run('plan', folder);
    expect([planned.code, planned.output]).toEqual([EXIT.ok, expect.stringContaining('2 to create.')]);
    expect(planned.output).toContain('+ refunds');
    expect(planned.output).toContain('    +name: refunds');
    expect(await client.revision()).toBe(0);
    expect((await run('plan', folder, '--check')).code).toBe(EXIT.notOk);

    const applied = await run('apply', folder);
    expect([applied.code, applied.output]).toEqual([EXIT.ok, expect.stringContaining('+ refunds version 1')]);
    expect(await client.revision()).toBe(2);

    const again = await run('plan', folder, '--check', '--prune');
    expect([again.code, again.output]).toEqual([EXIT.ok, expect.stringContaining('Nothing changes: 2 unchanged.')]);
    expect((await run('apply', folder)).code).toBe(EXIT.ok);
    expect(await client.revision()).toBe(2);
  });

  it('shows what a change alters, line by line, and what prune deletes', async () => {
    await run('apply', folder);
    edit('refunds.yaml', (text) => text.replace('input.amount > 50000', 'input.amount > 40000'));
    rmSync(path.join(folder, 'nights.yaml'));
    const kept = await run('plan', folder);
    const changed = kept.output.split('\n').filter((line) => /^ {4}[+-]/.test(line));
    expect(changed).toEqual([
      '    -    when: environment.kind == "production" && input.amount > 50000',
      '    +    when: environment.kind == "production" && input.amount > 40000',
    ]);
    expect(kept.output).toContain('~ refunds');
    expect(kept.output).toContain('warning: files: nights is in no file and is left alone: prune deletes it');
    const pruned = await run('apply', folder, '--prune');
    expect(pruned.output).toContain('- nights');
    expect(pruned.output).toContain('~ refunds version 2');
  });

  it('applies the very plan that somebody looked at, and refuses it once it is stale', async () => {
    const { output } = await run('plan', folder);
    const planId = /ppl_\w+/.exec(output)?.[0] ?? '';
    const digest = /sha256:\w+/.exec(output)?.[0] ?? '';
    expect((await run('apply', '--plan', planId, '--digest', digest)).output).toContain(`Applied ${planId}`);
    edit('refunds.yaml', (text) => text.replace('50000', '40000'));
    const next = (await run('plan', folder)).output;
    await client.post('/api/v2/approval-policies', {
      document: { schema: 'approval-policy/v1', name: 'x', rules: [{ id: 'x', match: {}, effect: 'allow' }] },
    });
    const rows = await client.rows();
    const stale = await run(
      'apply',
      '--plan',
      /ppl_\w+/.exec(next)?.[0] ?? '',
      '--digest',
      /sha256:\w+/.exec(next)?.[0] ?? '',
    );
    expect([stale.code, stale.errors]).toEqual([EXIT.notOk, expect.stringContaining('PLAN_STALE')]);
    expect(await client.rows()).toEqual(rows);
  });

  it('warns of what matches nothing, by the name of its file; --strict then ends with 1 and changes nothing', async () => {
    await createRefundAction(client);
    await memberSession(api, client.tenant.workspaceId, 'admin');
    rmSync(path.join(folder, 'nights.yaml'));
    const clean = await run('plan', folder, '--strict');
    expect([clean.code, clean.output]).toEqual([EXIT.ok, expect.not.stringContaining('warning: ')]);
    edit('refunds.yaml', (text) => text.replace('refund.*', 'refnd.*'));
    const planned = await run('plan', folder);
    expect(planned.code).toBe(EXIT.ok);
    expect(planned.output).toContain(
      'warning: refunds.yaml: rules[0].match.actions[0]: refnd.* matches no action of this environment; did you mean refund.*?',
    );
    expect((await run('plan', folder, '--strict')).code).toBe(EXIT.notOk);
    const applied = await run('apply', folder, '--strict');
    expect([applied.code, applied.output]).toEqual([EXIT.notOk, expect.stringContaining('Nothing was changed')]);
    const [planId = '', digest = ''] = [/ppl_\w+/.exec(planned.output)?.[0], /sha256:\w+/.exec(planned.output)?.[0]];
    const byPlan = await run('apply', '--strict', '--plan', planId, '--digest', digest);
    expect([byPlan.code, byPlan.errors]).toEqual([EXIT.notOk, expect.stringContaining('refnd.* matches no action')]);
    expect(await client.revision()).toBe(0);
    expect((await run('apply', folder)).code).toBe(EXIT.ok);
  });

  it('tests: each verdict with its rule and what that saw; a failure ends with 1 and shows every rule', async () => {
    const passed = await run('test', folder);
    expect(passed.output).toContain('4 passed, 0 failed.');
    expect(passed.code).toBe(EXIT.ok);
    expect(passed.output).toContain(
      'require_approval: Rule large of policy refunds requires 2 approvals: environment.kind is "production", input.amount is 60000.',
    );
    edit('refunds.yaml', (text) => text.replace('input.amount > 50000', 'input.amount > 70000'));
    const failed = await run('test', folder);
    expect(failed.code).toBe(EXIT.notOk);
    expect(failed.output).toContain('3 passed, 1 failed.');
    expect(failed.output).toContain('FAIL refunds.fixtures.yaml: a large refund in production takes two approvals');
    expect(failed.output).toContain('! effect is allow, and require_approval was expected');
    expect(failed.output).toContain('refunds/large condition false');
    expect(failed.output).toContain('saw environment.kind = "production", input.amount = 60000');
    expect(await client.revision()).toBe(0);
  });

  it('names the file of a mistake, and ends with 1', async () => {
    edit('refunds.yaml', (text) => text.replace('input.amount == 0', 'nobody.knows'));
    const { code, errors } = await run('plan', folder);
    expect(code).toBe(EXIT.notOk);
    expect(errors).toContain('refunds.yaml: rules[0].when');
    edit('refunds.yaml', () => 'a: [');
    expect((await run('plan', folder)).errors).toContain('  refunds.yaml: is not YAML');
  });

  it.each([
    ['another verb', ['destroy', 'DIR']],
    ['no folder', ['plan']],
    ['two folders', ['plan', 'DIR', 'DIR']],
    ['an unknown option', ['plan', 'DIR', '--force']],
    ['an option of another verb', ['test', 'DIR', '--prune']],
    ['half of a plan', ['apply', '--plan', 'ppl_1']],
  ])('ends with 2 and says why for %s', async (_, argv) => {
    const { code, errors } = await run(...argv.map((argument) => argument.replace('DIR', folder)));
    expect([code, errors]).toEqual([EXIT.usage, expect.stringMatching(/^error: |^Apply a folder/)]);
  });

  it('ends with 2 for a folder without policies or without fixtures, or that is not there', async () => {
    const empty = path.join(folder, 'empty');
    mkdirSync(empty);
    expect((await run('apply', empty, '--prune')).code).toBe(EXIT.usage);
    expect((await run('plan', path.join(folder, 'nowhere'))).code).toBe(EXIT.usage);
    rmSync(path.join(folder, 'refunds.fixtures.yaml'));
    expect((await run('test', folder)).code).toBe(EXIT.usage);
  });

  it('ends with 5 where the service is not there, with 1 where the key may not', async () => {
    const away = await run('plan', folder, '--base-url', 'http://127.0.0.1:9');
    expect([away.code, away.errors]).toEqual([EXIT.noReply, expect.stringContaining('No reply from')]);
    const { key } = await api.createKey(client.tenant, { name: 'reader', scopes: ['policies:read'] });
    client.key = key;
    expect((await run('plan', folder)).code).toBe(EXIT.ok);
    const refused = await run('apply', folder);
    expect([refused.code, refused.errors]).toEqual([EXIT.notOk, expect.stringContaining('policies:write')]);
    expect(await client.revision()).toBe(0);
  });
});
