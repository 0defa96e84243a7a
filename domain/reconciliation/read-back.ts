import type { Expectation } from '../actions.ts';
import type { ProviderResponse } from '../adapters/adapter-descriptor.ts';
import { jsonEquals, readPath } from '../json-path.ts';
import { parseResponsePath } from '../response-path.ts';
import type { RenderedVerify } from '../adapters/http-request-verify.ts';

export type ReadBackJudgement =
  | { kind: 'matched'; outcome: 'succeeded' | 'failed' | 'pending'; summary: string }
  | { kind: 'absent'; summary: string }
  | { kind: 'inconclusive'; summary: string };

const STATUS_NOT_FOUND = 404;
const OUTCOME_OF = { expect: 'succeeded', failed: 'failed', pending: 'pending' } as const;

/** A list counts on a 2xx, on others only if it names `status`. Two lists that hold prove nothing. */
export function judgeReadBack(lists: RenderedVerify['lists'], response: ProviderResponse): ReadBackJudgement {
  const isSuccess = response.status >= 200 && response.status < 300;
  const holding = (['expect', 'failed', 'pending'] as const).filter((name) => {
    const list = lists[name];
    if (list === undefined || list.length === 0) return false;
    if (!isSuccess && !list.some((expectation) => expectation.path === 'status')) return false;
    return list.every((expectation) => expectationHolds(expectation, response));
  });
  const [only, another] = holding;
  if (only !== undefined && another === undefined) {
    const outcome = OUTCOME_OF[only];
    return {
      kind: 'matched',
      outcome,
      summary: `the read-back answered ${response.status} and matches ${only}: ${outcome}`,
    };
  }
  if (only !== undefined) {
    return { kind: 'inconclusive', summary: `the read-back matches ${holding.join(' and ')} at once` };
  }
  if (response.status === STATUS_NOT_FOUND)
    return { kind: 'absent', summary: 'the read-back answered 404: nothing is there' };
  return { kind: 'inconclusive', summary: `the read-back answered ${response.status} and matches no expectation` };
}

/** One (rendered) expectation over `{status, headers, body}`. */
export function expectationHolds({ path, op, value }: Expectation, response: ProviderResponse): boolean {
  const steps = parseResponsePath(path);
  if (steps === null) return false;
  const { status, headers, body } = response;
  const found = readPath({ status, headers, body }, steps);
  if (!found.found) return false;
  if (op === 'exists') return true;
  if (value === undefined) return false;
  if (op === 'eq') return jsonEquals(found.value, value);
  return Array.isArray(value) && value.some((candidate) => jsonEquals(found.value, candidate));
}
