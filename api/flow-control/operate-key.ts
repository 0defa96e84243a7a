import { limitsOf } from '../../domain/flow-control/flow-control.ts';
import { defineRoute } from '../http/define-route.ts';
import { changeKey, type ChangedKey } from './change-key.ts';
import { changedLimitsBody, keyParams, keySchema, presentKey, unpinBody } from './schemas.ts';

/** What all operations of a key have in common. */
const OF_A_KEY = {
  scope: 'flow-control:write',
  role: 'admin',
  response: { 200: keySchema },
  errors: ['NOT_FOUND'],
  idempotent: true,
} as const;

const PATH = '/api/v2/flow-control/{flowControlKeyId}';

function doneWith({ record, audit }: ChangedKey) {
  return { reply: { status: 200, data: presentKey(record) }, audit };
}

export const updateKeyRoute = defineRoute({
  of: 'environment',
  ...OF_A_KEY,
  id: 'flowControl.update',
  method: 'PATCH',
  path: PATH,
  summary: 'Change the rate or the parallelism of a flow-control key',
  description:
    'What is left out stays as it is. Higher limits let waiting messages through at once. Lower ones recall no call that is in ' +
    'flight. A message that brings other limits changes them again: pin them to keep them.',
  request: { params: keyParams, body: changedLimitsBody },
  async change(tx, { params, body }) {
    const changed = await changeKey(tx, params.flowControlKeyId, 'flow_control_key.updated', limitsOf(body));
    return doneWith(changed);
  },
});

export const pauseKeyRoute = defineRoute({
  of: 'environment',
  ...OF_A_KEY,
  id: 'flowControl.pause',
  method: 'POST',
  path: `${PATH}/pause`,
  summary: 'Hold the messages of a flow-control key',
  description:
    'No call begins from now on; those in flight go on to their end. New messages are accepted and wait. A call that begins at ' +
    'this very moment may still be sent.',
  request: { params: keyParams },
  async change(tx, { params }) {
    const changed = await changeKey(tx, params.flowControlKeyId, 'flow_control_key.paused', { paused: true });
    return doneWith(changed);
  },
});

export const resumeKeyRoute = defineRoute({
  of: 'environment',
  ...OF_A_KEY,
  id: 'flowControl.resume',
  method: 'POST',
  path: `${PATH}/resume`,
  summary: 'Let the messages of a held flow-control key through again',
  description:
    'In the order of their due times, within its limits. It also ends a hold that a destination asked for (`heldUntil`). Answers 200 for a ' +
    'key that is not paused, too.',
  request: { params: keyParams },
  async change(tx, { params }) {
    const changed = await changeKey(tx, params.flowControlKeyId, 'flow_control_key.resumed', { paused: false });
    return doneWith(changed);
  },
});

export const pinKeyRoute = defineRoute({
  of: 'environment',
  ...OF_A_KEY,
  id: 'flowControl.pin',
  method: 'POST',
  path: `${PATH}/pin`,
  summary: 'Keep the limits of a flow-control key, whatever messages bring',
  description:
    'Sets the limits that are given and pins them; without any, pins both as they are. `rate` and `periodSeconds` are pinned ' +
    'together.',
  request: { params: keyParams, body: changedLimitsBody },
  async change(tx, { params, body }) {
    const limits = limitsOf(body);
    const pinsBoth = limits.rate === undefined && limits.parallelism === undefined;
    const changed = await changeKey(tx, params.flowControlKeyId, 'flow_control_key.pinned', {
      ...limits,
      ...(pinsBoth || limits.rate !== undefined ? { ratePinned: true } : {}),
      ...(pinsBoth || limits.parallelism !== undefined ? { parallelismPinned: true } : {}),
    });
    return doneWith(changed);
  },
});

export const unpinKeyRoute = defineRoute({
  of: 'environment',
  ...OF_A_KEY,
  id: 'flowControl.unpin',
  method: 'POST',
  path: `${PATH}/unpin`,
  summary: 'Let messages change the limits of a flow-control key again',
  description: 'Without members, unpins both. The limits stay as they are until a message brings others.',
  request: { params: keyParams, body: unpinBody },
  async change(tx, { params, body }) {
    const unpinsBoth = body.rate === undefined && body.parallelism === undefined;
    const changed = await changeKey(tx, params.flowControlKeyId, 'flow_control_key.unpinned', {
      ...(unpinsBoth || body.rate === true ? { ratePinned: false } : {}),
      ...(unpinsBoth || body.parallelism === true ? { parallelismPinned: false } : {}),
    });
    return doneWith(changed);
  },
});

export const resetRateRoute = defineRoute({
  of: 'environment',
  ...OF_A_KEY,
  id: 'flowControl.resetRate',
  method: 'POST',
  path: `${PATH}/reset-rate`,
  summary: 'Begin the window of a flow-control key anew',
  description: 'Its count is 0 from now on, so that waiting messages go through without waiting for the window to end.',
  request: { params: keyParams },
  async change(tx, { params }) {
    const changed = await changeKey(tx, params.flowControlKeyId, 'flow_control_key.rate_reset', { resetsWindow: true });
    return doneWith(changed);
  },
});
