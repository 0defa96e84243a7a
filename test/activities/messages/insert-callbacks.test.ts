import { expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { messageAssociatedData, openContent, type StoredContent } from '../../../db/messages/records.ts';
import { newId } from '../../../domain/ids.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { ActivityWorld } from '../invocations/world.ts';
import { attemptDue, claimDue } from './attempts.ts';

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
  await attemptDue(world);
  const ended = await world.database.asOwner('SELECT status FROM messages WHERE id = $1', [messageId]);
  expect(ended).toEqual([{ status: 'failed' }]);
  const [callback] = await claimDue(world); // nothing but the callback is due
  if (callback === undefined || callback.content === null) throw new Error('the callback is not there');
  expect([callback.kind, callback.url]).toEqual(['callback', callbackUrl]);
  // A callback of a redacted body is redacted too, whatever it says.
  expect(callback.content.bodySealed).toBe(content.bodySealed);
  const { vault } = world.dependencies({});
  const { body } = openContent(vault, messageAssociatedData(world.database.tenant, callback.id), callback.content);
  expect(JSON.parse(body?.text ?? '')).toMatchObject({ messageId, status: 'failed', sourceBody });
});
