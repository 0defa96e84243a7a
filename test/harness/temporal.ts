import { TestWorkflowEnvironment } from '@temporalio/testing';
import { inject } from 'vitest';
import { DEV_NAMESPACE } from '../../embedded/temporal.ts';
import { addSearchAttributes } from '../../embedded/search-attributes.ts';
import { closesWithFile } from './closes-with-file.ts';

/** The dev server of the test run: real time, and Updates as in production. The environment closes with the file; the server stays. */
export async function createDevServerEnvironment(): Promise<TestWorkflowEnvironment> {
  const { temporalAddress: address, temporalNamespace: namespace } = inject('stack');
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address, namespace });
  environment.teardown = closesWithFile(environment.teardown.bind(environment));
  return environment;
}

/**
 * A time-skipping server for one test file, because time is global to a server. It does not skip inside an Update handler, so
 * tests that depend on Updates use the dev server. It closes with the file.
 */
export async function createTimeSkippingEnvironment(): Promise<TestWorkflowEnvironment> {
  const path = inject('stack').timeSkippingServerPath;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  environment.teardown = closesWithFile(environment.teardown.bind(environment));
  await addSearchAttributes(environment.connection, environment.namespace ?? DEV_NAMESPACE);
  return environment;
}
