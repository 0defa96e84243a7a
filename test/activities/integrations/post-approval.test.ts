import { describe, expect, test } from 'vitest';
import type { PostRef } from '../../../activities/integrations/post-approval.ts';
import { connectIntegration } from '../../../db/integrations/integrations.ts';
import { newId } from '../../../domain/ids.ts';
import type { ChatClient, ChatReply } from '../../../domain/integrations/chat-client.ts';
import { TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { ActivityWorld } from '../invocations/world.ts';

/** The post of an approval to a chat, with a worker that is lost at each place. */
const world = await ActivityWorld.start();
const { integration } = await world.transaction((tx) =>
  connectIntegration(tx, world.vault, world.database.tenant, {
    provider: 'slack',
    name: 'ops',
    account: { id: 'T0', name: 'Ops' },
    channel: { id: 'C0123456789', name: 'approvals' },
    applicationId: null,
    publicKey: null,
    takesClicks: true,
    credential: { botToken: 'xoxb-0000000000', signingSecret: 'a-signing-secret' },
  }),
);
const integrationId = integration.id;

const DONE: ChatReply = { kind: 'done', data: {} };

function chatThat(...replies: ChatReply[]): { chat: ChatClient; posts: string[] } {
  const posts: string[] = [];
  const unused = () => Promise.reject(new Error('only Slack is posted to here'));
  const slack: ChatClient['slack'] = (_call, _token, method) => {
    posts.push(method);
    return Promise.resolve(replies.shift() ?? DONE);
  };
  return { chat: { slack, discord: unused, respond: unused }, posts };
}

async function pending(): Promise<PostRef> {
  const approvalId = newId('approval');
  await world.database.asOwner(
    `INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers,
       prevent_self, requested_by, expires_at)
     VALUES ($1, $2, 'free_standing', 'Ship', 'Ships it.', '{}', $3, 'caller', 'It asked.', 1, '[{}]', true, $4, now() + interval '1 hour')`,
    [
      approvalId,
      world.database.tenant.environmentId,
      `sha256:${'a'.repeat(64)}`,
      JSON.stringify({ type: 'api_key', id: 'key_test' }),
    ],
  );
  return { ...world.database.tenant, approvalId, invocationId: null, integrationId };
}

const recorded = ({ approvalId }: PostRef) =>
  world.database.asOwner<{ status: string }>('SELECT status FROM chat_posts WHERE approval_id = $1', [approvalId]);

describe('a post', { timeout: TEST_TIMEOUT_MS }, () => {
  test('whose record was lost is made again, and recorded once; then nothing is posted', async () => {
    const ref = await pending();
    const { chat, posts } = chatThat();
    await expect(world.losing([null, 'before_commit'], { chat }).postApproval(ref)).rejects.toThrow(/terminat/i);
    expect([posts.length, await recorded(ref)]).toEqual([1, []]);
    // Its record commits, and the worker does not hear of it.
    await expect(world.losing([null, 'after_commit'], { chat }).postApproval(ref)).rejects.toThrow(/terminat/i);
    await world.activities({ chat }).postApproval(ref);
    expect([posts.length, await recorded(ref)]).toEqual([2, [{ status: 'posted' }]]);
  });

  test('that the chat refuses is recorded as refused and not tried again; one that it puts off is', async () => {
    const ref = await pending();
    const { chat, posts } = chatThat(
      { kind: 'again', reason: 'ratelimited', afterSeconds: 3 },
      { kind: 'refused', reason: 'channel_not_found' },
    );
    const { postApproval } = world.activities({ chat });
    await expect(postApproval(ref)).rejects.toMatchObject({ type: 'ChatUnavailable', nextRetryDelay: 3_000 });
    await postApproval(ref);
    await postApproval(ref);
    expect([posts.length, await recorded(ref)]).toEqual([2, [{ status: 'refused' }]]);
  });

  test('of an approval that has ended is not made', async () => {
    const ref = await pending();
    await world.database.asOwner(`UPDATE approvals SET status = 'cancelled', decided_at = now() WHERE id = $1`, [
      ref.approvalId,
    ]);
    const { chat, posts } = chatThat();
    await world.activities({ chat }).postApproval(ref);
    expect(posts).toEqual([]);
  });
});
