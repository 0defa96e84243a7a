import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { expect, test } from 'vitest';
import { sealedPayloads } from '../../process/payload-sealing.ts';

const key = () => randomBytes(32).toString('base64');
const [first, second] = [key(), key()];
const WORKFLOW = { type: 'workflow', namespace: 'default', workflowId: 'invocation/inv_1' } as const;
const ACTIVITY = { ...WORKFLOW, type: 'activity', activityId: '5', isLocal: true } as const;
const VALUE = { invocationId: 'inv_1' };
const PLAIN: Payload = defaultPayloadConverter.toPayload(VALUE);

function codecOf(keys: string) {
  const [codec] = sealedPayloads(keys).dataConverter?.payloadCodecs ?? [];
  if (codec === undefined) throw new Error('keys were given');
  return codec;
}

const sealed = (keys: string, context: SerializationContext = WORKFLOW) => codecOf(keys).encode([PLAIN], context);
async function opened(keys: string, payloads: Payload[], context: SerializationContext = WORKFLOW): Promise<unknown[]> {
  const plain = await codecOf(keys).decode(payloads, context);
  return plain.map((payload) => defaultPayloadConverter.fromPayload(payload));
}

test('what is sealed shows nothing, differs each time, and opens in its workflow and the activities of it', async () => {
  const [one, other] = [await sealed(`1:${first}`), await sealed(`1:${first}`)];
  expect(Buffer.from(one[0]?.data ?? []).includes('inv_1')).toBe(false);
  expect(one).not.toEqual(other);
  for (const context of [WORKFLOW, ACTIVITY]) expect(await opened(`1:${first}`, one, context)).toEqual([VALUE]);
});

test('does not open in another workflow', async () => {
  const context = { ...WORKFLOW, workflowId: 'invocation/inv_2' };
  await expect(opened(`1:${first}`, await sealed(`1:${first}`), context)).rejects.toThrow('did not open');
});

test('does not open when it was changed', async () => {
  const [payload] = await sealed(`1:${first}`);
  const data = Buffer.from(payload?.data ?? []);
  data[20] = (data[20] ?? 0) ^ 1;
  await expect(opened(`1:${first}`, [{ ...payload, data }])).rejects.toThrow('did not open');
});

test('the arguments of a schedule open in the workflows that it starts', async () => {
  const schedule = { ...WORKFLOW, workflowId: 'schedule/sch_1' };
  const firing = { ...WORKFLOW, workflowId: 'schedule/sch_1-2026-11-28T09:00:00Z' };
  expect(await opened(`1:${first}`, await sealed(`1:${first}`, schedule), firing)).toEqual([VALUE]);
});

test('a marked key opens and does not seal, and the highest of the others seals', async () => {
  const both = `1:${first},2:${second}`;
  await expect(opened(`1:${first}`, await sealed(both))).rejects.toThrow(
    'TEMPORAL_PAYLOAD_KEYS has no key of version 2, which a payload was sealed with',
  );
  expect(await opened(`1:${first}`, await sealed(`1:${first},~2:${second}`))).toEqual([VALUE]);
  expect(await sealed(`~1:${first}`)).toEqual([PLAIN]);
  expect(await opened(`~1:${first},2:${second}`, await sealed(`1:${first}`))).toEqual([VALUE]);
});

test('what was never sealed is read as it is', async () => {
  expect(await opened(`1:${first}`, [PLAIN])).toEqual([VALUE]);
});
