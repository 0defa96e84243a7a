import { afterAll, beforeAll } from 'vitest';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';
import { startTarget, type Target } from './target.ts';

export interface ServiceAndTarget {
  service: TestService;
  target: Target;
}

/** One service and one target for all tests of a file, from before the first to after the last. `take` is handed both. */
export function withServiceAndTarget(
  take: (started: ServiceAndTarget) => void,
  options: TestServiceOptions = {},
): void {
  let started: ServiceAndTarget | undefined;
  beforeAll(async () => {
    const [service, target] = await Promise.all([startTestService(options), startTarget()]);
    started = { service, target };
    take(started);
  });
  afterAll(async () => {
    await started?.target.stop();
    await started?.service.close();
  });
}
