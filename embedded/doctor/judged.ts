import type { Check, Finding } from './check.ts';
import type { ServerFacts } from './server-facts.ts';
import type { Settings } from './settings.ts';

/** A check that judges what PostgreSQL says of itself. */
export function judged(
  name: string,
  page: string,
  holds: string,
  judge: (facts: ServerFacts, settings: Settings) => Finding,
): Check {
  return {
    name,
    page,
    holds,
    needs: ['postgres'],
    run: async (subject) => judge(await subject.server(), subject.settings),
  };
}
