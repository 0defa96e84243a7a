import { type Check, fail, type Finding, skipped, type Status } from './check.ts';
import { redact } from './redact.ts';
import type { Subject } from './subject.ts';

export interface Result {
  name: string;
  status: Status;
  message: string;
}

/** How long one check may take, and all of them together: what needs an answer begins when the answer is there. */
const CHECK_TIMEOUT_MS = 4_000;
const DEADLINE_MS = 8_000;
const PAGES = 'docs/';

export interface Times {
  checkMs?: number;
  allMs?: number;
}

/** Runs the checks at once, each with a time-out. One that needs others waits for them, and is skipped where one did not pass. */
export async function runChecks(
  checks: readonly Check[],
  subject: Subject,
  { checkMs = CHECK_TIMEOUT_MS, allMs = DEADLINE_MS }: Times = {},
): Promise<Result[]> {
  const endsAtMs = performance.now() + allMs;
  const findings = new Map<string, Promise<Finding>>();
  for (const check of checks) {
    const needed = (check.needs ?? []).map((name) => [name, findings.get(name)] as const);
    findings.set(check.name, afterNeeded(check, needed, subject, { checkMs, endsAtMs }));
  }
  return Promise.all(
    checks.map(async ({ name, page }) => {
      const finding = (await findings.get(name)) ?? skipped('It was not run.');
      const message = redact(messageOf(finding, page), subject.settings.environment);
      return { name, status: finding.status, message };
    }),
  );
}

async function afterNeeded(
  check: Check,
  needed: readonly (readonly [string, Promise<Finding> | undefined])[],
  subject: Subject,
  { checkMs, endsAtMs }: { checkMs: number; endsAtMs: number },
): Promise<Finding> {
  for (const [name, finding] of needed) {
    if (finding === undefined) throw new Error(`${check.name} needs ${name}, which does not stand above it`);
    const { status } = await finding;
    if (status !== 'ok')
      return skipped(`It was not checked, because ${name} ${status === 'fail' ? 'failed' : 'was skipped'}.`);
  }
  const timeoutMs = Math.max(1, Math.min(checkMs, endsAtMs - performance.now()));
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Finding>((resolve) => {
    const late = fail(`It had no answer within ${Math.ceil(timeoutMs / 1_000)} s`, 'find out what holds it up');
    timer = setTimeout(() => resolve(late), timeoutMs);
  });
  try {
    return await Promise.race([check.run(subject), timeout]);
  } catch (error) {
    return fail(`It could not be checked: ${textOf(error)}`, 'mend that');
  } finally {
    clearTimeout(timer);
  }
}

/** One sentence, and where it fails what to do and where that is explained. */
function messageOf(finding: Finding, page: string): string {
  if (finding.status !== 'fail') return finding.found;
  const found = finding.found.replace(/\.$/, '');
  return `${found}: ${finding.remedy.replace(/\.$/, '')}. See ${PAGES}${page}`;
}

/** The innermost error tells most: others wrap it. An AggregateError of a socket has no message of its own. */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return textOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return textOf(error.cause);
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  return (details === '' ? error.message : details).split('\n')[0] ?? '';
}
