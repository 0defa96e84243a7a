import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { contextOf } from './context-of-session.ts';
import { contextBody, contextSchema, presentContext } from './schemas.ts';

export const assembleContextRoute = defineRoute({
  id: 'context.assemble',
  method: 'POST',
  path: '/api/v2/context',
  summary: 'Assemble a prompt-ready context',
  description:
    'System messages first, then memories, then the newest messages that fit in `maxTokens`. Tool calls stay with their results. ' +
    '`dropped` says how much was left out.',
  scope: 'context:read',
  role: 'member',
  request: { body: contextBody },
  response: { 200: contextSchema },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ownsItsTransaction: 'It assembles in a thread after its read, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  exempt: { heldCredential: 'It writes nothing that a revoked credential could have asked for.' },
  async handler({ body, caller, deps }) {
    const asked = { ...body, memories: [] };
    return { status: 200, data: presentContext(await contextOf(deps, caller, asked, 'body.maxTokens')) };
  },
});

export const contextRoutes: AnyRoute[] = [assembleContextRoute];
