import type { DeclaredSweeps } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  steps: {
    'expired-chat-rows': { delete_clicks: 'delete_old_chat_clicks', delete_link_codes: 'delete_expired_link_codes' },
  },
};
