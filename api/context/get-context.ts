import { defineRoute } from '../http/define-route.ts';
import { sessionParams } from '../sessions/schemas.ts';
import { contextOf } from './context-of-session.ts';
import { contextQuery, contextSchema, presentContext } from './schemas.ts';

export const getContextRoute = defineRoute({
  of: 'environment',
  id: 'sessions.context',
  method: 'GET',
  path: '/api/v2/sessions/{id}/context',
  summary: 'Get a prompt-ready context of a session',
  description:
    'System messages first, then the newest messages that fit in `maxTokens`. Tool calls stay with their results. `dropped` says how much was left out.',
  scope: 'sessions:read',
  role: 'member',
  request: { params: sessionParams, query: contextQuery },
  response: { 200: contextSchema },
  errors: ['SERVICE_UNAVAILABLE'],
  ownsItsTransaction: 'It assembles in a thread after its read, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  async handler({ params, query, caller, deps }) {
    const asked = { ...query, sessionId: params.id, memories: [] };
    return { status: 200, data: presentContext(await contextOf(deps, caller, asked, 'query.maxTokens')) };
  },
});
