import type { ContextMemory } from '../../domain/context/parts.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { requireAlso } from '../http/rights.ts';
import { admitMemoryOperation, MEMORY_OPERATION_ERRORS } from '../memory/admit-operation.ts';
import { searchMemories } from '../memory/search-memories.ts';
import { contextOf } from './context-of-session.ts';
import { getContextRoute } from './get-context.ts';
import { contextBody, contextSchema, presentContext } from './schemas.ts';

export const assembleContextRoute = defineRoute({
  of: 'environment',
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
  errors: [...MEMORY_OPERATION_ERRORS],
  ownsItsTransaction: 'It searches memory and assembles in a thread after its read, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  exempt: { heldCredential: 'It writes nothing that a revoked credential could have asked for.' },
  async handler({ body, caller, deps, transaction }) {
    const { sessionId = null, format, maxTokens, query, memory } = body;
    let memories: ContextMemory[] = [];
    if (memory !== undefined && query !== undefined) {
      requireAlso(caller, 'memory:read');
      await transaction((tx) => admitMemoryOperation(tx, caller));
      const { collectionIds, userId, limit } = memory;
      const search = { query, collectionIds, filter: { userId }, limit, mode: 'hybrid' } as const;
      const found = await searchMemories(deps, caller.tenant, search);
      memories = found.map(({ memory: { id, content }, score }) => ({ id, content, score }));
    }
    const asked = { sessionId, format, maxTokens, memories };
    return { status: 200, data: presentContext(await contextOf(deps, caller, asked, 'body.maxTokens')) };
  },
});

export const contextRoutes: AnyRoute[] = [getContextRoute, assembleContextRoute];
