import { deleteChatLinks, redeemLinkCode } from '../../db/integrations/chat.ts';
import { getEnvironment } from '../../db/environments/environments.ts';
import { getIntegration } from '../../db/integrations/integrations.ts';
import { existing, notFound, ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePasskeyIn } from '../http/second-factor.ts';
import { hashOfCode } from './link-code.ts';
import { chatLinkSchema, linkBody, linkParams, linksParams, presentChatLink, unlinkedSchema } from './schemas.ts';

export const linkChatUserRoute = defineRoute({
  of: 'workspace',
  id: 'integrations.links.create',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/chat-links',
  summary: 'Say who you are in a chat',
  description:
    'Redeems the code that the chat showed you when you clicked. From then on your clicks there are decisions of yours, with your role. ' +
    'Redeem no code that somebody else sends you: their clicks would be yours. 409: the code is unknown, used or past its ten minutes, ' +
    'or the chat user is linked already. In a protected environment, who has a passkey confirms with it.',
  role: 'member',
  request: { params: linksParams, body: linkBody },
  response: { 201: chatLinkSchema },
  errors: ['CONFLICT'],
  inEnvironment: ({ params }) => params.environmentId.toLowerCase(),
  async change(tx, { params, body, caller }) {
    // A click in a chat shows no passkey, and decides for as long as the link stands.
    requirePasskeyIn(existing(await getEnvironment(tx, params.environmentId), 'environment'), caller.authentication);
    const link = await redeemLinkCode(tx, hashOfCode(body.code), caller.userId);
    if (link === null) {
      const message =
        'This code does not hold: it is unknown, used or past its time. Click in the chat again for a new one.';
      throw new ServiceError('CONFLICT', { message });
    }
    return {
      reply: { status: 201, data: presentChatLink(link) },
      audit: {
        action: 'chat_user.linked',
        target: { type: 'integration', id: link.integrationId },
        details: { chatUserId: link.chatUser.id, chatUserName: link.chatUser.name },
      },
    };
  },
});

export const unlinkChatUserRoute = defineRoute({
  of: 'workspace',
  id: 'integrations.links.delete',
  method: 'DELETE',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/chat-links/{integrationId}',
  summary: 'End your links with a chat',
  description: 'No click there is a decision of yours any more.',
  role: 'member',
  request: { params: linkParams },
  response: { 200: unlinkedSchema },
  inEnvironment: ({ params }) => params.environmentId.toLowerCase(),
  async change(tx, { params: { environmentId, integrationId }, caller }) {
    existing(await getEnvironment(tx, environmentId), 'environment');
    if ((await getIntegration(tx, integrationId)) === null) throw notFound('integration');
    const unlinked = await deleteChatLinks(tx, integrationId, caller.userId);
    const reply = { status: 200, data: { unlinked } };
    if (unlinked.length === 0) return { reply, audit: 'none: there was no link' };
    return {
      reply,
      audit: {
        action: 'chat_user.unlinked',
        target: { type: 'integration', id: integrationId },
        details: { chatUserIds: unlinked },
      },
    };
  },
});
