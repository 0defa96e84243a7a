import type { Caller } from '../http/define-route.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { readConversation } from '../../db/context/read-conversation.ts';
import { getSession } from '../../db/sessions/get-session.ts';
import type { AssembledContext, ContextFormat } from '../../domain/context/assemble.ts';
import type { ContextMemory } from '../../domain/context/parts.ts';
import { notFound, validationError } from '../../domain/errors.ts';

export interface AskedContext {
  /** Null: a context of memories alone. */
  sessionId: string | null;
  format: ContextFormat;
  maxTokens: number;
  /** Found for it, the best first. */
  memories: readonly ContextMemory[];
}

/**
 * Reads what can fit, in one transaction, and assembles it in the token thread: no connection waits for the thread.
 *
 * @param maxTokensPath where the request says the budget, for an issue.
 * @throws {ServiceError} NOT_FOUND; VALIDATION_ERROR where the system messages alone are too many.
 */
export async function contextOf(
  deps: Pick<ApiDependencies, 'db' | 'tokens'>,
  { tenant }: Pick<Caller, 'tenant'>,
  { sessionId, format, maxTokens, memories }: AskedContext,
  maxTokensPath: string,
): Promise<Extract<AssembledContext, { fits: true }>> {
  const conversation =
    sessionId === null
      ? { messageCount: 0, systemTokens: 0, messages: [] }
      : await deps.db.withEnvironment(
          tenant,
          async (tx) => {
            const session = await getSession(tx, sessionId);
            if (session === null) throw notFound('session');
            return readConversation(tx, session.id, maxTokens);
          },
          { readOnly: true },
        );
  const { messageCount, systemTokens, messages } = conversation;
  const tooSmall = (needed: number) =>
    validationError([
      { path: maxTokensPath, message: `is too small: the system messages alone need ${needed} tokens in this format` },
    ]);
  if (systemTokens > maxTokens) throw tooSmall(systemTokens);
  const request = { format, maxTokens, messages, messageCount, memories };
  const assembled = await deps.tokens.assemble(tenant.workspaceId, request);
  if (!assembled.fits) throw tooSmall(assembled.neededTokens);
  return assembled;
}
