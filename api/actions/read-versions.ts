import { z } from 'zod';
import { getAction, getVersion, listVersions } from '../../db/actions/queries.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { missingAction } from '../http/failures.ts';
import {
  actionRefParams,
  actionVersionParams,
  actionVersionSchema,
  listedVersionSchema,
  presentVersion,
} from './action-schemas.ts';

export const listVersionsRoute = defineRoute({
  of: 'environment',
  id: 'actions.versions.list',
  method: 'GET',
  path: '/api/v2/actions/{ref}/versions',
  summary: 'List the immutable versions of an action, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { params: actionRefParams },
  response: { 200: z.array(listedVersionSchema) },
  async list(tx, { params, page }) {
    const action = await requireAction(tx, params.ref);
    return presented(await listVersions(tx, action.id, page), presentVersion);
  },
});

export const getVersionRoute = defineRoute({
  of: 'environment',
  id: 'actions.versions.get',
  method: 'GET',
  path: '/api/v2/actions/{ref}/versions/{number}',
  summary: 'Get one version of an action by its number',
  scope: 'actions:read',
  role: 'member',
  request: { params: actionVersionParams },
  response: { 200: actionVersionSchema },
  async read(tx, { params: { ref, number } }) {
    const action = await requireAction(tx, ref);
    const version = existing(await getVersion(tx, action.id, number), 'version of an action');
    return presentVersion(version);
  },
});

/** @throws {ServiceError} NOT_FOUND, which names similar actions. */
async function requireAction(tx: EnvironmentTransaction, ref: string): Promise<ActionRecord> {
  const action = await getAction(tx, ref);
  if (action === null) throw await missingAction(tx, ref);
  return action;
}
