import type { Status } from './check.ts';
import type { Result } from './run-checks.ts';

const LABELS: Record<Status, string> = { ok: 'ok', fail: 'FAIL', skipped: 'skipped' };

/** The results as text: failures last, where a terminal shows them. */
export function reportOf(results: readonly Result[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  const line = ({ name, status, message }: Result): string =>
    `${LABELS[status].padEnd(8)}${name.padEnd(width + 2)}${message}`;
  const of = (status: Status): Result[] => results.filter((result) => result.status === status);
  const [passed, skipped, failed] = [of('ok'), of('skipped'), of('fail')];
  const sum = `${results.length} checks: ${passed.length} ok, ${skipped.length} skipped, ${failed.length} failed.`;
  return [...passed, ...skipped, ...failed].map(line).concat('', sum).join('\n');
}
