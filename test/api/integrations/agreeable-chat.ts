import type { ChatClient } from '../../../domain/integrations/chat-client.ts';
import type { JsonObject } from '../../../domain/json.ts';

/** Chat systems for suites over all routes: they send nothing and accept everything. Each bot token belongs to another workspace. */
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
