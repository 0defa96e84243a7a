import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { ApiAccess } from './policy-api.ts';
import { ApiError, postPolicies } from './policy-api.ts';
import { FolderError, type PolicyFolder, readPolicyFolder } from './policy-folder.ts';
import { type Applied, type Plan, reportApplied, reportPlan, reportTest, type Tested } from './policy-report.ts';

export const USAGE = `Usage: npm run policies -- plan DIR [--prune] [--check]
       npm run policies -- apply DIR [--prune]
       npm run policies -- apply --plan <ppl_…> --digest <sha256:…>
       npm run policies -- test DIR
  --prune      delete the policies that no file names
  --check      end with 1 where the plan would change something
  --base-url   where the API is, in place of API_URL
The key is that of API_KEY; it names the environment. Without API_URL: the stack of \`npm start\`, its development environment.`;

/** Exit codes of the command, for CI jobs. */
export const EXIT = { ok: 0, notOk: 1, usage: 2 } as const;

const FIXTURES_AT_ONCE = 500;

export interface PoliciesCommand {
  argv: readonly string[];
  /** Where the API is and what key to use; `baseUrl` is what the command line named. */
  access(baseUrl: string | undefined): ApiAccess;
  print(text: string): void;
  printError(text: string): void;
}

class UsageError extends Error {}

/**
 * `npm run policies`: policies that live in a repository, planned, tested and applied from it. Returns the exit code: 0 if
 * all is well, 1 for a failed fixture, a change under `--check`, or a refusal, 2 for an invalid command line.
 */
export async function runPolicies(command: PoliciesCommand): Promise<number> {
  try {
    return await run(command);
  } catch (error) {
    if (error instanceof UsageError || error instanceof FolderError) {
      command.printError(error.message);
      return EXIT.usage;
    }
    if (!(error instanceof ApiError)) throw error;
    command.printError([error.message, ...error.issues.map(({ path, message }) => `  ${path} ${message}`)].join('\n'));
    return EXIT.notOk;
  }
}

async function run(command: PoliciesCommand): Promise<number> {
  const { verb, folder, options } = readArguments(command.argv);
  if (verb === 'apply' && options.plan !== undefined) {
    const access = command.access(options['base-url']);
    return apply(command, access, { planId: options.plan, digest: options.digest ?? '' });
  }
  const read = readPolicyFolder(folder);
  const access = command.access(options['base-url']);
  if (verb === 'test') return test(command, access, read);
  const plan = (await posting(read, () =>
    postPolicies(access, 'files/plan', { files: read.files, prune: options.prune }),
  )) as Plan;
  command.print(reportPlan(plan));
  if (verb === 'plan') return options.check && !plan.unchanged ? EXIT.notOk : EXIT.ok;
  return plan.unchanged ? EXIT.ok : apply(command, access, plan);
}

async function apply(
  command: PoliciesCommand,
  access: ApiAccess,
  { planId, digest }: Pick<Plan, 'planId' | 'digest'>,
): Promise<number> {
  const headers = { 'Idempotency-Key': randomUUID() };
  command.print(reportApplied((await postPolicies(access, 'files/apply', { planId, digest }, headers)) as Applied));
  return EXIT.ok;
}

async function test(command: PoliciesCommand, access: ApiAccess, read: PolicyFolder): Promise<number> {
  const { files, fixtures } = read;
  if (fixtures.length === 0) throw new FolderError('There is no fixture to test with (*.fixtures.yaml).');
  const tested: Tested = { passed: true, passedCount: 0, failedCount: 0, results: [] };
  for (let from = 0; from < fixtures.length; from += FIXTURES_AT_ONCE) {
    const some = fixtures.slice(from, from + FIXTURES_AT_ONCE);
    const part = (await posting({ files, fixtures: some }, () =>
      postPolicies(access, 'files/test', { files, fixtures: some }),
    )) as Tested;
    tested.passed &&= part.passed;
    tested.passedCount += part.passedCount;
    tested.failedCount += part.failedCount;
    tested.results.push(...part.results);
  }
  command.print(reportTest(tested));
  return tested.passed ? EXIT.ok : EXIT.notOk;
}

/** The service identifies files and fixtures by their index in the request; the user of the command knows them by name. */
async function posting<T>({ files, fixtures }: PolicyFolder, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.issues.length === 0) throw error;
    const issues = error.issues.map(({ path, message }) => ({ path: named(path, { files, fixtures }), message }));
    const code = error.code === null ? {} : { code: error.code };
    throw new ApiError(`The service refuses this (${error.code}):`, { ...code, issues, cause: error });
  }
}

function named(path: string, { files, fixtures }: PolicyFolder): string {
  return path
    .replace(/^body\.files\[(\d+)\]\.content(?:\.|$)/, (_, index: string) => `${files[Number(index)]?.path}: `)
    .replace(/^body\.fixtures\[(\d+)\](?:\.|$)/, (_, index: string) => `${fixtures[Number(index)]?.name}: `)
    .trimEnd();
}

interface Arguments {
  verb: 'plan' | 'apply' | 'test';
  folder: string;
  options: { prune: boolean; check: boolean; plan?: string; digest?: string; 'base-url'?: string };
}

/** @throws {UsageError} */
function readArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parsedArguments(argv);
  const { prune = false, check = false, ...named } = values;
  const [verb, folder, ...rest] = positionals;
  if (verb !== 'plan' && verb !== 'apply' && verb !== 'test') throw new UsageError(USAGE);
  const isByPlan = verb === 'apply' && named.plan !== undefined && named.digest !== undefined;
  const isLostOption =
    (prune && (verb === 'test' || isByPlan)) ||
    (check && verb !== 'plan') ||
    (!isByPlan && (named.plan ?? named.digest) !== undefined);
  if ((folder === undefined) !== isByPlan || rest.length > 0 || isLostOption) throw new UsageError(USAGE);
  return { verb, folder: folder ?? '', options: { prune, check, ...named } };
}

function parsedArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        prune: { type: 'boolean' },
        check: { type: 'boolean' },
        plan: { type: 'string' },
        digest: { type: 'string' },
        'base-url': { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : ''}\n${USAGE}`, { cause: error });
  }
}
