import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long, of each project, the longest first. In a fresh clone vitest knows only how large a file is, and the short
 * file that tests every route would begin last, beside idle workers. An omission costs time and nothing else.
 */
const SLOWEST: readonly string[] = [
  'contract/contract.test.ts',
  'faults/deliveries-lost.test.ts',
  'api/console/browser.test.ts',
  'embedded/start.test.ts',
  'sdk/stack.test.ts',
  'faults/worker-away.test.ts',
  'faults/failover.test.ts',
  'ops/helm/chart.test.ts',
  'embedded/quickstart.test.ts',
  'api/pages/approval-look.test.ts',
  'embedded/processes.test.ts',
  'workflows/approvals/await-approval.test.ts',
  'faults/clean-way-killed.test.ts',
  'faults/everything-killed.test.ts',
  'faults/deliveries-killed.test.ts',
  'faults/places-killed.test.ts',
  'faults/worker-killed.test.ts',
  'faults/metrics.test.ts',
  'api/suites/every-route.test.ts',
  'api/http/event-loop.test.ts',
  'faults/providers/resend-email.test.ts',
  'faults/providers/stripe-refund.test.ts',
  'faults/providers/github-issue-comment.test.ts',
  'api/actions/import/documents.test.ts',
  'api/actions/import/habits.test.ts',
  'api/invocations/outcomes.test.ts',
];

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOWEST.findIndex((file) => moduleId.endsWith(`/test/${file}`));
  return rank === -1 ? SLOWEST.length : rank;
}

/** Projects one after the other, as vitest orders them: a worker is kept for the next file of its project. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => rankOf(a) - rankOf(b)),
    );
  }
}
