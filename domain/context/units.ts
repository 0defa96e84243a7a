import type { ChatMessage } from '../sessions/sessions.ts';

/** A message of a session, as far as a context needs it. */
export interface ContextMessage extends ChatMessage {
  id: string;
  tokens: number;
}

/** Kept or dropped as a whole: a message, or tool calls with all their results. Models refuse one without the other. */
export interface Unit {
  message: ContextMessage;
  results: ContextMessage[];
}

/** A unit with calls, and the ids of those without a result. */
interface Asking {
  unit: Unit;
  missing: Set<string>;
}

/**
 * The units of a conversation, in order, without system messages. A result belongs to the newest call before it with
 * its id and no result yet: some models reuse ids. Calls without results, and the reverse, are in no unit.
 */
export function unitsOf(messages: readonly ContextMessage[]): Unit[] {
  const units: Unit[] = [];
  const asking: Asking[] = [];
  // By the id of a call, those that lack its result; the newest is the last.
  const open = new Map<string, Asking[]>();
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role === 'tool') {
      const callId = message.toolCallId ?? '';
      const asked = open.get(callId)?.pop();
      if (asked === undefined) continue;
      asked.missing.delete(callId);
      asked.unit.results.push(message);
      continue;
    }
    const unit: Unit = { message, results: [] };
    units.push(unit);
    if (message.toolCalls === null) continue;
    const asks = { unit, missing: new Set(message.toolCalls.map(({ id }) => id)) };
    asking.push(asks);
    for (const id of asks.missing) {
      const others = open.get(id);
      if (others === undefined) open.set(id, [asks]);
      else others.push(asks);
    }
  }
  const unanswered = new Set(asking.filter(({ missing }) => missing.size > 0).map(({ unit }) => unit));
  return units.filter((unit) => !unanswered.has(unit));
}

export function messagesOf({ message, results }: Unit): ContextMessage[] {
  return [message, ...results];
}
