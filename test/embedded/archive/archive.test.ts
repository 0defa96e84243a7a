import { readdirSync, truncateSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Database } from '../../../db/client.ts';
import { digestOfText, readRecord } from '../../../domain/archive/archived-record.ts';
import { itemsOf, membersOf } from '../../../domain/archive/jsonb-text.ts';
import type { JsonObject } from '../../../domain/json.ts';
import {
  archiveEnvironment,
  type Archived,
  type Archiving,
  type Step,
} from '../../../embedded/archive/archive-environment.ts';
import { verifyFolder } from '../../../embedded/archive/read-archive.ts';
import { approvalSchema } from '../../../api/approvals/schemas.ts';
import { approve, keyClient, putPolicy, readApproval, untilStatus } from '../../api/approvals/support.ts';
import {
  createAction,
  dataOf,
  effectAtRest,
  errorOf,
  type Invocation,
  invocationIn,
  invoke,
} from '../../api/invocations/support.ts';
import { preview } from '../../api/previews/support.ts';
import { evidence, operatorOf, unknownOf } from '../../api/reconciliation/support.ts';
import { insert, withoutTriggers } from '../../db/harness/plant.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { Program } from '../../harness/embedded-stack.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { makeOlder, RECORD_TABLES } from './aged.ts';

/** Old invocations leave the database for files: whole, once, and only after the files were read back. docs/retention.md. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { database } = service;
const { tenant } = database;
const owner = await database.connectOwner();
const asOwner = new Database({ url: database.ownerUrl, applicationName: 'archive', poolMax: 2 });
closesWithFile(() => asOwner.close());
const operator = await operatorOf(service);
const root = await mkdtemp(path.join(os.tmpdir(), 'archive-'));
closesWithFile(() => rm(root, { recursive: true, force: true }));

const BEFORE = new Date(Date.now() - 401 * 86_400_000);
const ok = { url: `${target.baseUrl}/ok`, body: { n: '{{input.amount}}' } };
const archive = (folder: string, more: Partial<Archiving> = {}): Promise<Archived> =>
  archiveEnvironment({ owner: asOwner, folder, before: BEFORE, dryRun: false, ...more }, tenant);
const folder = (): Promise<string> => mkdtemp(path.join(root, 'to-'));
const dataFiles = async (to: string): Promise<string[]> =>
  (await readdir(path.join(to, tenant.environmentId))).filter((file) => file.endsWith('.ndjson.gz')).toSorted();
const linesIn = async (to: string): Promise<string[]> => {
  const texts = await Promise.all(
    (await dataFiles(to)).map(async (file) =>
      gunzipSync(await readFile(path.join(to, tenant.environmentId, file))).toString(),
    ),
  );
  return texts.flatMap((text) => text.trimEnd().split('\n'));
};
const idsIn = async (to: string): Promise<string[]> =>
  (await linesIn(to)).map((line) => readRecord(line).invocationId).toSorted();
const stored = async (ids: readonly string[]): Promise<string[]> => {
  const { rows } = await owner.query<{ id: string }>('SELECT id FROM invocations WHERE id = ANY ($1) ORDER BY id', [
    ids,
  ]);
  return rows.map(({ id }) => id);
};

/** All rows of the tables of records in the environment, as PostgreSQL prints them. */
async function rowsOf(): Promise<string[]> {
  const rows: string[] = [];
  await owner.query(`SET timezone = 'UTC'`);
  for (const table of RECORD_TABLES) {
    const found = await owner.query<{ text: string }>(
      `SELECT to_jsonb(r)::text AS text FROM ${table} r WHERE environment_id = $1`,
      [tenant.environmentId],
    );
    rows.push(...found.rows.map(({ text }) => `${table} ${text}`));
  }
  return rows.toSorted();
}

/** What others count of these records. */
async function counts(): Promise<unknown[]> {
  const tables = [
    'daily_usage',
    'monthly_usage',
    'api_key_usage',
    'impact_limit_periods',
    'analytics_facts',
    'analytics_rollups',
    'analytics_days',
  ];
  return Promise.all(
    tables.map(async (table) =>
      (await database.asOwner(`SELECT to_jsonb(r)::text AS text FROM ${table} r ORDER BY 1`)).map(({ text }) => [
        table,
        text,
      ]),
    ),
  );
}

const plain = await createAction(service, ok, { governed: false });
const governed = await createAction(service, ok);
const invoked = async (action: string, body: JsonObject = {}): Promise<Invocation> =>
  (await invoke(service, action, { input: { amount: 1 }, ...body })).invocation;

/** One of each kind that ends, as the service makes them, and the reply to the approver. */
async function everyKind(): Promise<Record<string, string>> {
  const money = [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }];
  const limited = await createAction(service, ok, { impact: money });
  const limit = await service.post('/api/v2/impact-limits', {
    name: `limit on ${limited}`,
    dimension: 'money',
    currency: 'usd',
    cap: 10,
    period: 'lifetime',
    scope: { actions: [limited] },
  });
  expect(limit.status, limit.text).toBe(201);
  const within = await invoked(limited, { input: { amount: 7 }, operationKey: 'within' });
  const beyond = await invoked(limited, { input: { amount: 7 } });
  expect([within.status, beyond.status]).toEqual(['succeeded', 'refused']);
  const { invocation: unknown, effect } = await unknownOf(service, { url: `${target.baseUrl}/status?status=503` });
  const resolved = await operator.post(`/api/v2/actions/effects/${effect.id}/resolve`, {
    outcome: 'failed',
    partialEffect: 'none',
    evidence,
  });
  expect(resolved.status, resolved.text).toBe(200);
  const first = await invoked(governed);
  const retry = await invoked(governed, { retryOf: first.id });
  const dependent = await invoked(governed, { dependsOn: [first.effectId ?? ''] });
  const seen = await preview(service, governed, { input: { amount: 2 } });
  const previewed = await invoked(governed, { input: { amount: 2 }, previewId: seen.id });
  return {
    within: within.id,
    beyond: beyond.id,
    resolved: unknown.id,
    first: first.id,
    retry: retry.id,
    dependent: dependent.id,
    previewed: previewed.id,
    approved: await approved(),
    plain: (await invoked(plain)).id,
    budgeted: await budgeted(),
  };
}

/** Invoked by a key that has a budget. */
async function budgeted(): Promise<string> {
  const { key, record } = await service.createKey(tenant);
  const caps = { total: 1_000_000_000_000 };
  const made = await service.call('PUT', `/api/v2/budgets/${record.id}`, { key: service.key, body: { caps } });
  expect(made.status, made.text).toBe(201);
  const reply = await service.call('POST', `/api/v2/actions/${plain}/invoke`, { key, body: { input: { amount: 1 } } });
  return invocationIn(reply).id;
}

/** Rows in the tables that need more than these invocations: a late answer, an observation, a post in a chat, an execution that was late. */
async function plantTheRest({ within = '', approved: approvedId = '' }: Record<string, string>): Promise<void> {
  const { workspaceId: workspace_id, environmentId: environment_id } = tenant;
  const now = new Date();
  const attempts = await owner.query<{ id: string }>('SELECT id FROM attempts WHERE invocation_id = $1', [within]);
  const approvals = await owner.query<{ id: string }>('SELECT id FROM approvals WHERE invocation_id = $1', [
    approvedId,
  ]);
  const seen = { observed_outcome: 'succeeded', response: { body: '\u2028 12', n: '12345678901234567890' } };
  await insert(owner, 'late_answers', { attempt_id: attempts.rows[0]?.id, environment_id, ...seen });
  const observed = { observed_at: now, preconditions: {}, blocks: '[]', summary: 'seen' };
  await insert(owner, 'observations', { invocation_id: approvedId, sequence: 9, environment_id, ...observed });
  const late = { kind: 'settled', workspace_id, environment_id, admitted_at: now, settled_at: now, at: now };
  await withoutTriggers(owner, async () => {
    await insert(owner, 'late_executions', { invocation_id: within, ...late });
    const post = { integration_id: 'int_1', environment_id, status: 'posted' };
    await insert(owner, 'chat_posts', { approval_id: approvals.rows[0]?.id, ...post });
  });
}

async function approved(): Promise<string> {
  const action = await createAction(service, ok);
  await putPolicy(service, {
    schema: 'approval-policy/v1',
    name: `asks for ${action}`,
    rules: [{ id: 'ask', match: { actions: [action] }, effect: 'require_approval', approval: { quorum: 1 } }],
  });
  const { id, approvalId } = await invoked(action);
  const approver = await keyClient(service, tenant);
  const reply = await approve(approver, await readApproval(service, approvalId));
  expect(dataOf(reply, approvalSchema).id).toBe(approvalId);
  await untilStatus(service, id, ['succeeded']);
  await effectAtRest(service, id);
  return id;
}

/** Waits until no workflow is to run any more, and no fact of analytics is waiting. */
async function settled(): Promise<void> {
  await expect.poll(() => database.asOwner('SELECT id, kind FROM workflow_starts')).toEqual([]);
}

async function oldPlain(count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await invoked(plain)).id);
  await settled();
  await makeOlder(owner, 500);
  return ids.toSorted();
}

describe('an archive', () => {
  test('holds every row of what leaves, and nothing else that is counted changes', async () => {
    const made = await everyKind();
    const ids = Object.values(made);
    await settled();
    await plantTheRest(made);
    await makeOlder(owner, 500);
    const [rows, counted, requests] = [await rowsOf(), await counts(), (await target.requests()).length];
    const to = await folder();

    const wouldBe = await archive(to, { dryRun: true });
    expect(wouldBe).toEqual({ archived: ids.length, files: 1, staying: {}, leftovers: [] });
    expect([await rowsOf(), await readdir(to)]).toEqual([rows, []]);

    expect(await archive(to)).toEqual(wouldBe);
    expect(await idsIn(to)).toHaveLength(ids.length);
    const written = (await linesIn(to)).flatMap((line) =>
      [...membersOf(line)].flatMap(([table, of]) => itemsOf(of).map((row) => `${table} ${row}`)),
    );
    expect(written.toSorted()).toEqual(rows);
    const tables = new Set(rows.map((row) => row.slice(0, row.indexOf(' '))));
    expect(RECORD_TABLES.filter((table) => !tables.has(table))).toEqual([]);

    expect(await rowsOf()).toEqual([]);
    expect(await counts()).toEqual(counted);
    expect(await verifyFolder(to)).toEqual({ files: 1, invocations: ids.length, faults: [] });
    expect(await archive(to)).toEqual({ archived: 0, files: 0, staying: {}, leftovers: [] });

    const repeat = { input: { amount: 1 }, operationKey: made['first'] };
    expect((await service.post(`/api/v2/actions/${governed}/invoke`, repeat)).status).toBe(409);
    expect((await target.requests()).length).toBe(requests);
  });

  test('answers a repeated request honestly, and sends nothing', async () => {
    const action = await createAction(service, ok);
    const body = { input: { amount: 3 }, operationKey: 'order 3' };
    const { invocation } = await invoke(service, action, body);
    await settled();
    await makeOlder(owner, 500);
    const to = await folder();
    await archive(to);
    const requests = (await target.requests()).length;
    const again = await service.post(`/api/v2/actions/${action}/invoke`, body);
    expect([again.status, errorOf(again)]).toMatchObject([
      409,
      {
        code: 'CONFLICT',
        details: { invocationId: invocation.id, effectId: invocation.effectId, grade: 'acknowledged' },
      },
    ]);
    expect(errorOf(again).message).toMatch(/never sent again.* is in the archive /);
    const another = await service.post(`/api/v2/actions/${action}/invoke`, { ...body, input: { amount: 4 } });
    expect([another.status, errorOf(another)]).toMatchObject([
      409,
      { code: 'OPERATION_KEY_REUSE', details: { invocationId: invocation.id } },
    ]);
    const looked = await service.post(`/api/v2/actions/${action}/previews`, body);
    expect([looked.status, errorOf(looked).code]).toEqual([409, 'OPERATION_KEY_REUSE']);
    for (const gone of [
      `invocations/${invocation.id}`,
      `effects/${invocation.effectId}`,
      `effects/${invocation.effectId}/verify`,
    ]) {
      const reply = await service.get(`/api/v2/actions/${gone}`);
      expect([reply.status, errorOf(reply).code]).toEqual([404, 'NOT_FOUND']);
      expect(errorOf(reply).message).toMatch(
        /grade acknowledged\. Its record has left the database and is in the archive /,
      );
    }
    const { key } = await service.createKey(database.tenants.staging);
    const elsewhere = await service.call('GET', `/api/v2/actions/invocations/${invocation.id}`, { key });
    expect(errorOf(elsewhere).message).toMatch(/^No such invocation/);
    expect((await service.call('DELETE', `/api/v2/actions/${action}`, { key: service.key })).status).toBe(200);
    const later = await service.post(`/api/v2/actions/${invocation.action.id}/invoke`, body);
    expect([later.status, errorOf(later)]).toMatchObject([409, { message: errorOf(again).message }]);
    expect((await target.requests()).length).toBe(requests);
  });

  test('leaves what is younger, unknown, or referred to by what stays', async () => {
    const { invocation: unknown } = await unknownOf(service, { url: `${target.baseUrl}/status?status=503` });
    await expect
      .poll(async () => (await database.asOwner('SELECT FROM attempts WHERE status = $1', ['started'])).length)
      .toBe(0);
    const base = await invoked(governed);
    const between = await invoked(governed, { retryOf: base.id });
    const free = await invoked(governed);
    await makeOlder(owner, 500);
    const young = await invoked(governed, { retryOf: between.id });
    const done = await archive(await folder());
    expect(done).toMatchObject({ archived: 1, staying: { not_at_rest: 1, referred_to: 2 } });
    expect(await stored([unknown.id, base.id, between.id, free.id, young.id])).toEqual(
      [unknown.id, base.id, between.id, young.id].toSorted(),
    );
    await settledByHand(unknown.id);
    await makeOlder(owner, 500);
    expect(await archive(await folder())).toMatchObject({ archived: 4, staying: {} });
  });

  test('leaves an invocation whose receipt is broken', async () => {
    const { id, effectId } = await invoked(governed);
    await settled();
    await makeOlder(owner, 500);
    await withoutTriggers(owner, () =>
      owner.query(`UPDATE evidence SET summary = 'another' WHERE effect_id = $1`, [effectId]),
    );
    expect(await archive(await folder())).toMatchObject({ archived: 0, staying: { receipt_broken: 1 } });
    expect(await stored([id])).toEqual([id]);
    await makeOlder(owner, 1);
    await archive(await folder());
  });
});

/** Resolves an unknown invocation, as its time does not matter here. */
async function settledByHand(id: string): Promise<void> {
  const { effectId } = invocationIn(await service.get(`/api/v2/actions/invocations/${id}`));
  const reply = await operator.post(`/api/v2/actions/effects/${effectId}/resolve`, {
    outcome: 'failed',
    partialEffect: 'none',
    evidence,
  });
  expect(reply.status, reply.text).toBe(200);
  await settled();
}

describe('a command that is killed', () => {
  class Killed extends Error {}
  const killedAfter = (at: Step): Partial<Archiving> => ({
    batch: 2,
    after: (step) => {
      if (step === at) throw new Killed(step);
    },
  });

  test.each<[Step, { inDatabase: number; inFiles: number }]>([
    ['written', { inDatabase: 3, inFiles: 2 }],
    ['manifested', { inDatabase: 3, inFiles: 2 }],
    ['verified', { inDatabase: 3, inFiles: 2 }],
    ['archived', { inDatabase: 1, inFiles: 2 }],
  ])('after a file was %s loses nothing, and the next goes on', async (step, left) => {
    const ids = await oldPlain(3);
    const to = await folder();
    await expect(archive(to, killedAfter(step))).rejects.toThrow(Killed);
    const [there, written] = [await stored(ids), await idsIn(to)];
    expect({ inDatabase: there.length, inFiles: written.length }).toEqual(left);
    expect([...new Set([...there, ...written])].toSorted()).toEqual(ids);
    expect(await archive(to, { batch: 2 })).toMatchObject({ archived: there.length, leftovers: [] });
    expect([await stored(ids), await idsIn(to)]).toEqual([[], ids]);
    expect(await verifyFolder(to)).toEqual({ files: 2, invocations: 3, faults: [] });
  });

  test('while it writes a file leaves a temporary one, which the next removes', async () => {
    const ids = await oldPlain();
    const to = await folder();
    await archive(to); // makes the folder
    const [again] = await oldPlain();
    await writeFile(path.join(to, tenant.environmentId, '.tmp-2024-01-9.ndjson.gz'), 'a part');
    expect(await verifyFolder(to)).toMatchObject({ files: 1, faults: [] });
    expect(await archive(to)).toMatchObject({ archived: 1 });
    expect(await idsIn(to)).toEqual([...ids, again ?? ''].toSorted());
    expect((await readdir(path.join(to, tenant.environmentId))).filter((file) => file.startsWith('.'))).toEqual([]);
  });

  test('meets a record that changes meanwhile: it leaves the file’s out, and goes on', async () => {
    const ids = await oldPlain(3);
    const to = await folder();
    let isChanged = false;
    const change = (step: Step): void => {
      if (step !== 'written' || isChanged) return;
      isChanged = true;
      changing = withoutTriggers(owner, () =>
        owner.query(
          `UPDATE invocations SET agent_id = 'another' WHERE id = (SELECT max(id) FROM invocations WHERE id = ANY ($1))`,
          [ids],
        ),
      );
    };
    let changing: Promise<unknown> = Promise.resolve();
    const done = await archive(to, { batch: 2, after: change });
    await changing;
    expect(done).toMatchObject({ archived: 1, staying: { changed: 2 }, leftovers: [] });
    expect(await verifyFolder(to)).toEqual({ files: 1, invocations: 1, faults: [] });
    expect(await archive(to)).toMatchObject({ archived: 2, leftovers: [] });
  });

  test('meets a disk that gives back other bytes: it says so, and all stay in the database', async () => {
    const ids = await oldPlain(2);
    const to = await folder();
    const spoil = (step: Step): void => {
      if (step !== 'manifested') return;
      const at = path.join(to, tenant.environmentId);
      truncateSync(path.join(at, readdirSync(at).find((name) => name.endsWith('.gz')) ?? ''), 40);
    };
    expect(await archive(to, { after: spoil })).toMatchObject({ archived: 0, staying: { file_not_verified: 2 } });
    expect([await stored(ids), await idsIn(to)]).toEqual([ids, []]);
    expect(await archive(to)).toMatchObject({ archived: 2, leftovers: [] });
  });

  test('leaves a file of records that differ by now, and archives them again', async () => {
    const ids = await oldPlain();
    const to = await folder();
    await expect(archive(to, killedAfter('verified'))).rejects.toThrow(Killed);
    await withoutTriggers(owner, () => owner.query(`UPDATE invocations SET agent_id = 'another' WHERE id = $1`, ids));
    const done = await archive(to);
    expect(done).toMatchObject({ archived: 1, leftovers: [expect.stringContaining(tenant.environmentId)] });
    expect(await stored(ids)).toEqual([]);
  });
});

describe('npm run archive', () => {
  async function run(
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number | null; output: string }> {
    const program = new Program(['embedded/run.mjs', 'embedded/commands/archive.js', ...args], env);
    return { code: await program.exited, output: program.output };
  }
  const env = { DATABASE_URL: database.applicationUrl, MIGRATION_DATABASE_URL: database.ownerUrl };
  const before = `--before=${BEFORE.toISOString().slice(0, 10)}`;

  test('archives, and names a file that was tampered with', async () => {
    const ids = [...(await oldPlain()), (await invoked(governed)).id];
    await settled();
    await makeOlder(owner, 500);
    const to = await folder();
    const dry = await run([before, `--to=${to}`, `--environment=${tenant.environmentId}`, '--dry-run'], env);
    expect([dry.code, dry.output]).toEqual([0, expect.stringContaining('2 invocations would be archived in 2 files.')]);
    const done = await run([before, `--to=${to}`], env);
    expect([done.code, done.output]).toEqual([
      0,
      expect.stringContaining(`${tenant.environmentId}: 2 invocations are archived in 2 files.`),
    ]);
    expect(await stored(ids)).toEqual([]);
    const whole = await run([`--verify=${to}`]);
    expect([whole.code, whole.output.trim()]).toEqual([0, 'Whole: 2 invocations in 2 files.']);

    const file = path.join(to, tenant.environmentId, (await dataFiles(to)).at(-1) ?? '');
    const text = gunzipSync(await readFile(file)).toString();
    await writeFile(file, gzipSync(text.replace('"acknowledged"', '"confirmed"')));
    const tampered = await run([`--verify=${to}`]);
    expect([tampered.code, tampered.output]).toEqual([
      1,
      expect.stringMatching(/Broken \(of 2 files\):\n.*the line is not the one of the manifest/),
    ]);
  });

  test.each([
    [['--before=2999-01-01', '--to=somewhere'], /--before is at most/],
    [['--before=yesterday', '--to=somewhere'], /--before takes a date/],
    [['--to=somewhere'], /Usage/],
    [['--verify=/no/such/folder'], /There is no folder/],
    [[before, '--to=somewhere', '--environment=00000000-0000-0000-0000-000000000000'], /There is no environment/],
  ])('refuses %s', async (args, message) => {
    const { code, output } = await run(args, env);
    expect([code, output]).toEqual([1, expect.stringMatching(message)]);
  });
});

describe('a file that was tampered with', () => {
  const cases: [string, RegExp, (text: string) => string][] = [
    ['an answer that was seen', /is not what was hashed/, (text) => text.replace('"status": 200', '"status": 201')],
    [
      'an entry that was removed',
      /does not follow from the entry before/,
      (text) => text.replace(/\{"hash": "sha256:[0-9a-f]+", "kind": "attempt_claimed".*?\}, /, ''),
    ],
    [
      'the end of a chain',
      /does not end where it ended/,
      (text) => text.replace(/("receipt_chains": \[\{.*?"sequence": )(\d+)/, '$199'),
    ],
    ['a line that was cut', /cannot be read/, (text) => text.slice(0, -10)],
    ['a line that is there twice', /it is there twice/, (text) => text + text],
    [
      'another environment',
      /of another environment/,
      (text) => text.replaceAll(tenant.environmentId, database.tenants.staging.environmentId),
    ],
  ];

  test('is found though its manifest was made to fit', async () => {
    await invoked(governed);
    await settled();
    await makeOlder(owner, 500);
    const to = await folder();
    await archive(to);
    const [name = ''] = await dataFiles(to);
    const file = path.join(to, tenant.environmentId, name);
    const manifest = file.replace('.ndjson.gz', '.manifest.json');
    const [text, said] = [gunzipSync(await readFile(file)).toString(), await readFile(manifest, 'utf8')];
    for (const [what, fault, tamper] of cases) {
      const changed = tamper(text);
      expect(changed, what).not.toBe(text);
      const data = gzipSync(changed);
      const fitting = { ...(JSON.parse(said) as JsonObject), sha256: digestOfText(data), bytes: data.length };
      await writeFile(file, data);
      await writeFile(manifest, JSON.stringify(fitting));
      expect((await verifyFolder(to)).faults, what).toEqual([expect.stringMatching(fault)]);
    }
    await rm(manifest);
    expect((await verifyFolder(to)).faults).toHaveLength(1);
  });
});
