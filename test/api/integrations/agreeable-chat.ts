import type { ChatClient } from '../../../domain/integrations/chat-client.ts';
import type { JsonObject } from '../../../domain/json.ts';

/** For suites over all routes: chat systems that call nobody and agree to everything. Each bot token is one of another workspace. */
export const agreeableChat: ChatClient = {
  slack: (_call, botToken, method, body) => {
    const channel = { id: body['channel'] ?? 'C0123456789', name: 'approvals', is_private: false, is_member: true };
    const answers: Record<string, JsonObject> = {
      'auth.test': { team: 'Acme', team_id: `T${botToken.slice('xoxb'.length)}` },
      'conversations.list': { channels: [channel] },
      'conversations.info': { channel },
    };
    return Promise.resolve({ kind: 'done', data: answers[method] ?? {} });
  },
  discord: (_call, { id }) =>
    Promise.resolve({
      kind: 'done',
      data: { id, name: 'Approvals', channel_id: '700000000000000001', application_id: '900000000000000001' },
    }),
  respond: () => Promise.resolve({ kind: 'done', data: {} }),
};
