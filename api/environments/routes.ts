import type { AnyRoute } from '../http/define-route.ts';
import { createEnvironmentRoute } from './create-environment.ts';
import { getEnvironmentRoute } from './get-environment.ts';
import { haltEnvironmentRoute, resumeEnvironmentRoute } from './halt-environment.ts';
import { listEnvironmentsRoute } from './list-environments.ts';
import { updateEnvironmentRoute } from './update-environment.ts';

export const environmentRoutes: AnyRoute[] = [
  listEnvironmentsRoute,
  createEnvironmentRoute,
  getEnvironmentRoute,
  updateEnvironmentRoute,
  haltEnvironmentRoute,
  resumeEnvironmentRoute,
];
