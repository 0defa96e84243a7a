import { z } from 'zod';
import { getKey, listKeys, readStatus } from '../../db/flow-control/keys.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  DUE_COUNTED_MAX,
  keyParams,
  keySchema,
  listKeysQuery,
  presentKey,
  presentStatus,
  statusSchema,
} from './schemas.ts';

export const listKeysRoute = defineRoute({
  of: 'environment',
  id: 'flowControl.list',
  method: 'GET',
  path: '/api/v2/flow-control',
  summary: 'List flow-control keys, newest first',
  scope: 'flow-control:read',
  role: 'member',
  request: { query: listKeysQuery },
  response: { 200: z.array(keySchema) },
  list: async (tx, { query, page }) => presented(await listKeys(tx, { ...query, ...page }), presentKey),
});

export const getKeyRoute = defineRoute({
  of: 'environment',
  id: 'flowControl.get',
  method: 'GET',
  path: '/api/v2/flow-control/{flowControlKeyId}',
  summary: 'Get a flow-control key with what waits and what is in flight',
  scope: 'flow-control:read',
  role: 'member',
  request: { params: keyParams },
  response: { 200: keySchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params }) {
    const record = existing(await getKey(tx, params.flowControlKeyId), 'flow-control key');
    return presentKey(record);
  },
});

export const getStatusRoute = defineRoute({
  of: 'environment',
  id: 'flowControl.status',
  method: 'GET',
  path: '/api/v2/flow-control/{flowControlKeyId}/status',
  summary: 'Get why the messages of a flow-control key wait, and for how long',
  scope: 'flow-control:read',
  role: 'member',
  request: { params: keyParams },
  response: { 200: statusSchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params }) {
    const record = existing(await getKey(tx, params.flowControlKeyId), 'flow-control key');
    return presentStatus(record, await readStatus(tx, record.id, DUE_COUNTED_MAX));
  },
});
