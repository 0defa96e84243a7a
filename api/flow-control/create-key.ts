import { createKey, deleteKey } from '../../db/flow-control/changes.ts';
import { getKey } from '../../db/flow-control/keys.ts';
import { limitsOf } from '../../domain/flow-control/flow-control.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { changeable } from './change-key.ts';
import { flowControlSchema, keyParams, keySchema, presentKey } from './schemas.ts';

export const createKeyRoute = defineRoute({
  of: 'environment',
  id: 'flowControl.create',
  method: 'POST',
  path: '/api/v2/flow-control',
  summary: 'Create a flow-control key',
  description:
    'Before its first message, for limits that are set, pinned or paused in advance. A message creates its key by itself.',
  scope: 'flow-control:write',
  role: 'admin',
  request: { body: flowControlSchema },
  response: { 201: keySchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body: { key, ...limits } }) {
    const id = await createKey(tx, key, limitsOf(limits));
    const record = await getKey(tx, id);
    if (record === null) throw new Error(`flow-control key ${id} was made and is gone`);
    return {
      reply: { status: 201, data: presentKey(record) },
      audit: {
        action: 'flow_control_key.created',
        target: { type: 'flow_control_key', id },
        details: changeable(record),
      },
    };
  },
});

export const deleteKeyRoute = defineRoute({
  of: 'environment',
  id: 'flowControl.delete',
  method: 'DELETE',
  path: '/api/v2/flow-control/{flowControlKeyId}',
  summary: 'Delete a flow-control key',
  description:
    'Answers 409 while messages of the key wait or are in flight. A later message with the same key creates it anew, without a ' +
    'pin and not paused.',
  scope: 'flow-control:write',
  role: 'admin',
  request: { params: keyParams },
  response: { 200: keySchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async change(tx, { params: { flowControlKeyId: id } }) {
    const record = existing(await getKey(tx, id), 'flow-control key');
    await deleteKey(tx, id);
    return {
      reply: { status: 200, data: presentKey(record) },
      audit: {
        action: 'flow_control_key.deleted',
        target: { type: 'flow_control_key', id },
        details: changeable(record),
      },
    };
  },
});
