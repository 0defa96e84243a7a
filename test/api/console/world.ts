import type { Browser } from 'playwright-core';
import { foldAllFacts } from '../../../db/analytics/directory.ts';
import { startBrowser } from '../../harness/browser.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import type { TestPerson } from '../harness/people.ts';
import { openApproval } from '../pages/support.ts';
import { seed, type Seeded } from './seed.ts';
import { personOf } from './support.ts';

/** What the browser tests of the console share: one service, one browser, one record of each kind. */
export interface World {
  service: TestService;
  target: Target;
  browser: Browser;
  owner: TestPerson;
  seeded: Seeded;
  approvalId: string;
  environmentId: string;
  /** A path of the console below the development environment. */
  at(path: string): string;
}

export async function makeWorld(executable: string): Promise<World> {
  const [service, target, browser] = await Promise.all([startTestService(), startTarget(), startBrowser(executable)]);
  closesWithFile(() => browser.close());
  const { environmentId } = service.database.tenant;
  const [owner, seeded] = await Promise.all([personOf(service, 'owner'), seed(service, target)]);
  // What a worker process of the installation does every few seconds: analytics counts what happened.
  await foldAllFacts(service.database.db);
  const { id: approvalId } = await openApproval(service, service.key);
  const at = (path: string): string => `/console/e/${environmentId}${path}`;
  return { service, target, browser, owner, seeded, approvalId, environmentId, at };
}
