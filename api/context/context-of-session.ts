import type { Caller } from '../http/define-route.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { type Conversation, readConversation } from '../../db/context/read-conversation.ts';
import { getSession } from '../../db/sessions/sessions.ts';
import {
  type AssembledContext,
  type ContextFormat,
  CONTEXT_BYTES_MAX,
  MAX_TOKENS_MAX,
} from '../../domain/context/assemble.ts';
import type { ContextMemory } from '../../domain/context/parts.ts';
import { existing, validationError } from '../../domain/errors.ts';

export interface AskedContext {
  /** Null for a context of memories only. */
  sessionId: string | null;
  format: ContextFormat;
  maxTokens: number;
  /** Best first. */
  memories: readonly ContextMemory[];
}

/** Factor by which more is read when everything fits and older messages remain. Rare: most messages cost more than their text. */
const NEXT_ALLOWANCE = 4;

/**
 * Reads what can fit in one snapshot and assembles it in a token thread, once it is this workspace's turn: no connection waits for the
 * thread.
 *
 * @param maxTokensPath the request's member with the budget, for an issue.
 *
 * @throws {ServiceError} NOT_FOUND; VALIDATION_ERROR when the system messages alone exceed the budget; SERVICE_UNAVAILABLE.
 */
export async function contextOf(
  deps: { db: Pick<ApiDependencies['db'], 'withEnvironment'>; tokens: Pick<ApiDependencies['tokens'], 'assemble'> },
  { tenant }: Pick<Caller, 'tenant'>,
  { sessionId, format, maxTokens, memories }: AskedContext,
  maxTokensPath: string,
): Promise<Extract<AssembledContext, { fits: true }>> {
  const memoryBytes = memories.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  for (let allowance = maxTokens; ; allowance = Math.min(allowance * NEXT_ALLOWANCE, MAX_TOKENS_MAX)) {
    let conversation = NO_CONVERSATION;
    const assembled = await deps.tokens.assemble(tenant.workspaceId, async (bytesMax) => {
      const left = bytesMax - memoryBytes;
      if (left < 0) return null;
      const read =
        sessionId === null ? NO_CONVERSATION : await conversationOf(deps.db, tenant, sessionId, allowance, left);
      if (read === null) return null;
      conversation = read;
      refuseSystemMessages(conversation, maxTokensPath);
      const { messageCount, messages, isWhole } = conversation;
      return { format, maxTokens, memories, messageCount, messages, isWhole };
    });
    if (!assembled.fits) {
      const message = `is too small: the system messages alone need ${assembled.neededTokens} tokens in this format`;
      throw validationError([{ path: maxTokensPath, message }]);
    }
    const isAllRead = conversation.isWhole || conversation.isCut || allowance >= MAX_TOKENS_MAX;
    if (assembled.isFull || isAllRead) return assembled;
  }
}

function refuseSystemMessages({ systemTokens, systemBytes }: Conversation, maxTokensPath: string): void {
  const isTooManyTokens = systemTokens > MAX_TOKENS_MAX;
  if (!isTooManyTokens && systemBytes <= CONTEXT_BYTES_MAX) return;
  const [are, most] = isTooManyTokens
    ? [`${systemTokens} tokens`, MAX_TOKENS_MAX]
    : [`${systemBytes} bytes`, CONTEXT_BYTES_MAX];
  const message = `cannot be enough: the system messages alone are ${are}, and a context is of ${most} at most`;
  throw validationError([{ path: maxTokensPath, message }]);
}

const NO_CONVERSATION: Conversation = {
  messageCount: 0,
  systemTokens: 0,
  systemBytes: 0,
  messages: [],
  isWhole: true,
  isCut: false,
};

function conversationOf(
  db: Pick<ApiDependencies['db'], 'withEnvironment'>,
  tenant: Tenant,
  sessionId: string,
  allowance: number,
  bytesMax: number,
): Promise<Conversation | null> {
  const read = async (tx: EnvironmentTransaction): Promise<Conversation | null> => {
    const session = existing(await getSession(tx, sessionId), 'session');
    return readConversation(tx, session.id, allowance, bytesMax);
  };
  return db.withEnvironment(tenant, read, { isSnapshot: true });
}
