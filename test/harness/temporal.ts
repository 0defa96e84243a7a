import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, inject } from 'vitest';
import { DEV_NAMESPACE } from '../../embedded/temporal.ts';
import { addSearchAttributes } from '../../embedded/search-attributes.ts';

/** The dev server of the test run: real time, and Updates as in production. Tear it down in `afterAll`; the server stays. */
export async function createDevServerEnvironment(): Promise<TestWorkflowEnvironment> {
  const { temporalAddress: address, temporalNamespace: namespace } = inject('stack');
  return TestWorkflowEnvironment.createFromExistingServer({ address, namespace });
}

/**
 * A time-skipping server for one test file, because time is global to a server. It does not skip inside an Update handler, so
 * tests that depend on Updates use the dev server. Tear it down in `afterAll`.
 */
export async function createTimeSkippingEnvironment(): Promise<TestWorkflowEnvironment> {
  const path = inject('stack').timeSkippingServerPath;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  await addSearchAttributes(environment.connection, environment.namespace ?? DEV_NAMESPACE);
  return environment;
}

/** One time-skipping server for all tests of a file, from before the first to after the last. `take` is handed it. */
export function withTimeSkippingServer(take: (environment: TestWorkflowEnvironment) => void): void {
  let environment: TestWorkflowEnvironment | undefined;
  beforeAll(async () => {
    environment = await createTimeSkippingEnvironment();
    take(environment);
  });
  afterAll(async () => environment?.teardown());
}
