import { ApiError, type Client } from 'agent-action-runtime-sdk';
import { EXIT, UsageError, type ExitCode } from '../exit.ts';
import { readPolicyFolder, type PolicyFolder } from '../policies/policy-folder.ts';
import {
  reportApplied,
  reportPlan,
  reportTest,
  type Applied,
  type Plan,
  type Tested,
} from '../policies/policy-report.ts';
import { clientOf, type CommonOptions } from '../session.ts';
import type { Terminal } from '../terminal.ts';

export interface PolicyOptions extends CommonOptions {
  prune?: boolean;
  check?: boolean;
  strict?: boolean;
  plan?: string;
  digest?: string;
}

const FIXTURES_AT_ONCE = 500;
const FILES = '/api/v2/approval-policies/files';

/** Shows what a folder's files would change. `check` and `strict` turn changes and warnings into the exit code. */
export async function planPolicies(folder: string, options: PolicyOptions, terminal: Terminal): Promise<ExitCode> {
  const files = readPolicyFolder(folder);
  const plan = await makePlan(clientOf(options, terminal), files, options);
  terminal.print(
    options.json === true ? JSON.stringify(plan) : `${reportPlan(plan, (path) => nameIn(path, files))}${nextOf(plan)}`,
  );
  const isRefused = options.strict === true && plan.warnings.length > 0;
  return isRefused || (options.check === true && !plan.unchanged) ? EXIT.notOk : EXIT.ok;
}

function nextOf({ unchanged, planId, digest }: Plan): string {
  return unchanged ? '' : `\nNext: agent-actions policies apply --plan ${planId} --digest ${digest}`;
}

/** Applies a folder, or the plan that somebody reviewed: all or nothing. */
export async function applyPolicies(
  folder: string | undefined,
  options: PolicyOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { plan: planId, digest, prune } = options;
  const isByPlan = planId !== undefined && digest !== undefined;
  if (
    isByPlan === (folder !== undefined) ||
    (!isByPlan && (planId ?? digest) !== undefined) ||
    (isByPlan && prune === true)
  )
    throw new UsageError('Apply a folder (DIR [--prune]), or a plan (--plan ppl_… --digest sha256:…).');
  const files = folder === undefined ? null : readPolicyFolder(folder);
  const client = clientOf(options, terminal);
  if (files === null) return apply(client, { planId: planId ?? '', digest: digest ?? '' }, options, terminal);
  const plan = await makePlan(client, files, options);
  if (options.json !== true) terminal.print(reportPlan(plan, (path) => nameIn(path, files)));
  if (options.strict === true && plan.warnings.length > 0) {
    terminal.print(
      options.json === true ? JSON.stringify(plan) : 'Nothing was changed: the plan has warnings (--strict).',
    );
    return EXIT.notOk;
  }
  if (!plan.unchanged) return apply(client, plan, options, terminal);
  if (options.json === true) terminal.print(JSON.stringify(plan));
  return EXIT.ok;
}

async function apply(
  client: Client,
  { planId, digest }: Pick<Plan, 'planId' | 'digest'>,
  { json, strict }: PolicyOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  // The service checks again: a warning may be new since the plan.
  const failOnWarnings = strict === true ? { failOnWarnings: true } : {};
  const applied: Applied = await client.call('POST', `${FILES}/apply`, { body: { planId, digest, ...failOnWarnings } });
  terminal.print(json === true ? JSON.stringify(applied) : reportApplied(applied));
  return EXIT.ok;
}

export async function testPolicies(folder: string, options: PolicyOptions, terminal: Terminal): Promise<ExitCode> {
  const read = readPolicyFolder(folder);
  const { files, fixtures } = read;
  if (fixtures.length === 0) throw new UsageError('There is no fixture to test with (*.fixtures.yaml).');
  const client = clientOf(options, terminal);
  const tested: Tested = { passed: true, passedCount: 0, failedCount: 0, results: [] };
  for (let from = 0; from < fixtures.length; from += FIXTURES_AT_ONCE) {
    const some = fixtures.slice(from, from + FIXTURES_AT_ONCE);
    const part: Tested = await named({ files, fixtures: some }, () =>
      client.call('POST', `${FILES}/test`, { body: { files, fixtures: some as never } }),
    );
    tested.passed &&= part.passed;
    tested.passedCount += part.passedCount;
    tested.failedCount += part.failedCount;
    tested.results.push(...part.results);
  }
  terminal.print(options.json === true ? JSON.stringify(tested) : reportTest(tested));
  return tested.passed ? EXIT.ok : EXIT.notOk;
}

function makePlan(client: Client, read: PolicyFolder, { prune = false }: PolicyOptions): Promise<Plan> {
  return named(read, () => client.call('POST', `${FILES}/plan`, { body: { files: read.files, prune } }));
}

/** Replaces the service's indexes of files and fixtures by their names. */
async function named<T>(read: PolicyFolder, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const issues = error instanceof ApiError ? error.details?.['issues'] : undefined;
    if (!(error instanceof ApiError) || !Array.isArray(issues)) throw error;
    const { code, status, requestId, retryAfterSeconds } = error;
    const details = {
      issues: (issues as { path: string; message: string }[]).map(({ path, message }) => ({
        path: nameIn(path, read),
        message,
      })),
    };
    throw new ApiError({
      code,
      status,
      requestId,
      retryAfterSeconds,
      details,
      message: 'The service refuses these files:',
    });
  }
}

function nameIn(path: string, { files, fixtures }: PolicyFolder): string {
  return path
    .replace(/^(?:body\.)?files\[(\d+)\]\.content(?:\.|$)/, (_, index: string) => `${files[Number(index)]?.path}: `)
    .replace(/^body\.fixtures\[(\d+)\](?:\.|$)/, (_, index: string) => `${fixtures[Number(index)]?.name}: `)
    .trimEnd();
}
