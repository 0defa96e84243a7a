import type { Caller } from '../http/define-route.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { type Conversation, readConversation } from '../../db/context/read-conversation.ts';
import { getSession } from '../../db/sessions/get-session.ts';
import { type AssembledContext, type ContextFormat, MAX_TOKENS_MAX } from '../../domain/context/assemble.ts';
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

/** Where everything that was read fits and older messages are left, so many times as much is read. Rare: most messages take more than their texts. */
const NEXT_ALLOWANCE = 4;

/**
 * Reads what can fit, in one snapshot, and assembles it in the token thread: no connection waits for the thread.
 *
 * @param maxTokensPath where the request says the budget, for an issue.
 * @throws {ServiceError} NOT_FOUND; VALIDATION_ERROR where the system messages alone are too many.
 */
export async function contextOf(
  deps: { db: Pick<ApiDependencies['db'], 'withEnvironment'>; tokens: Pick<ApiDependencies['tokens'], 'assemble'> },
  { tenant }: Pick<Caller, 'tenant'>,
  { sessionId, format, maxTokens, memories }: AskedContext,
  maxTokensPath: string,
): Promise<Extract<AssembledContext, { fits: true }>> {
  for (let allowance = maxTokens; ; allowance = Math.min(allowance * NEXT_ALLOWANCE, MAX_TOKENS_MAX)) {
    const { systemTokens, ...conversation } =
      sessionId === null ? NO_CONVERSATION : await conversationOf(deps.db, tenant, sessionId, allowance);
    if (systemTokens > MAX_TOKENS_MAX) {
      const message = `cannot be enough: the system messages alone are ${systemTokens} tokens, and a context is of ${MAX_TOKENS_MAX} at most`;
      throw validationError([{ path: maxTokensPath, message }]);
    }
    const request = { format, maxTokens, memories, ...conversation };
    const assembled = await deps.tokens.assemble(tenant.workspaceId, request);
    if (!assembled.fits) {
      const message = `is too small: the system messages alone need ${assembled.neededTokens} tokens in this format`;
      throw validationError([{ path: maxTokensPath, message }]);
    }
    if (assembled.isFull || conversation.isWhole || allowance >= MAX_TOKENS_MAX) return assembled;
  }
}

const NO_CONVERSATION: Conversation = { messageCount: 0, systemTokens: 0, messages: [], isWhole: true };

function conversationOf(
  db: Pick<ApiDependencies['db'], 'withEnvironment'>,
  tenant: Tenant,
  sessionId: string,
  allowance: number,
): Promise<Conversation> {
  const read = async (tx: EnvironmentTransaction): Promise<Conversation> => {
    const session = await getSession(tx, sessionId);
    if (session === null) throw notFound('session');
    return readConversation(tx, session.id, allowance);
  };
  return db.withEnvironment(tenant, read, { isSnapshot: true });
}
