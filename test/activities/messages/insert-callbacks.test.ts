import { expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { lockMessage } from '../../../db/messages/lock-message.ts';
import { messageAssociatedData, openContent, type StoredContent } from '../../../db/messages/records.ts';
import { newId } from '../../../domain/ids.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { activityEnvironment, ActivityWorld } from '../invocations/world.ts';

const world = await ActivityWorld.start();

/** Sealed under a master key that nobody has. */
const lost = { masterKeyVersion: 99, wrappedDataKey: Buffer.from('x'), sealedValue: Buffer.from('x') };

test.each<{ parts: string; content: StoredContent; sourceBody: string | null }>([
  {
    parts: 'body',
    content: { headers: null, body: null, bodyKind: 'text', bodySealed: true, sealed: lost },
    sourceBody: null,
  },
  {
    parts: 'headers',
    content: {
      headers: { authorization: '[REDACTED]' },
      body: 'in plain text',
      bodyKind: 'text',
      bodySealed: false,
      sealed: lost,
    },
    sourceBody: Buffer.from('in plain text').toString('base64'),
  },
])('a message whose sealed $parts no longer open ends, and its callback says so', async ({ content, sourceBody }) => {
  const messageId = newId('message');
  const redact = content.bodySealed ? { body: true } : null;
  const callbackUrl = 'https://example.com/ended';
  const message = plainMessage({ id: messageId, content, redact, callbackUrl, maxRetries: 0 });
  await world.transaction((tx) => insertMessages(tx, [message]));
  const { attemptMessage } = world.activities();
  const step = await activityEnvironment().run(attemptMessage, { ...world.database.tenant, messageId });
  expect(step).toMatchObject({ next: 'end', status: 'failed', callbackIds: [expect.stringMatching(/^msg_/)] });
  const [{ id: callbackId } = { id: '' }] = await world.database.asOwner<{ id: string }>(
    'SELECT id FROM messages WHERE callback_of = $1',
    [messageId],
  );
  const callback = await world.transaction((tx) => lockMessage(tx, callbackId));
  if (callback === null || callback.content === null) throw new Error('the callback is not there');
  // A callback of a redacted body is redacted too, whatever it says.
  expect(callback.content.bodySealed).toBe(content.bodySealed);
  const { vault } = world.dependencies({});
  const { body } = openContent(vault, messageAssociatedData(world.database.tenant, callbackId), callback.content);
  expect(JSON.parse(body?.text ?? '')).toMatchObject({ messageId, status: 'failed', sourceBody });
});
