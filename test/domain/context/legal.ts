import { type Json, type JsonObject, textOf as textIn } from '../../../domain/json.ts';

/** What the two model APIs refuse, as their references say; each finding is a sentence. */
interface OpenAiMessage {
  role: string;
  content: Json;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** Chat Completions: an assistant's calls are followed at once by one result for each, and no result stands elsewhere. */
export function openAiIssues(messages: readonly Json[]): string[] {
  const issues: string[] = [];
  let waiting = new Set<string>();
  for (const message of messages as unknown as OpenAiMessage[]) {
    if (message.role === 'tool') {
      if (!waiting.delete(message.tool_call_id ?? '')) issues.push('a result without its call');
      continue;
    }
    if (waiting.size > 0) issues.push('a call without its result');
    waiting = new Set(message.tool_calls?.map(({ id }) => id));
    if (message.content === null && message.tool_calls === undefined) issues.push('a message without content');
    for (const call of message.tool_calls ?? []) {
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(call.function.name)) issues.push(`the name ${call.function.name}`);
    }
  }
  if (waiting.size > 0) issues.push('a call without its result at the end');
  return issues;
}

interface AnthropicTurn {
  role: string;
  content: JsonObject[];
}

/** The Messages API: turns alternate from the user's; results come first in the turn behind their calls; ids are unique; no text is empty. */
export function anthropicIssues(messages: readonly Json[]): string[] {
  const turns = messages as unknown as AnthropicTurn[];
  const issues: string[] = [];
  const ids = new Set<string>();
  for (const [index, { role, content }] of turns.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) issues.push(`turn ${index} is the ${role}’s`);
    if (content.length === 0) issues.push(`turn ${index} is empty`);
    const results = content.filter(({ type }) => type === 'tool_result');
    const asked = (turns[index - 1]?.content ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const answered = results.map((block) => block['tool_use_id']);
    if (asked.length !== answered.length || asked.some((id) => !answered.includes(id)))
      issues.push(`turn ${index} answers other calls`);
    if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      issues.push(`turn ${index} answers late`);
    for (const block of content) {
      if (block['type'] === 'text' && textIn(block, 'text').trim() === '')
        issues.push(`turn ${index} has an empty text`);
      if (block['type'] !== 'tool_use') continue;
      const id = textIn(block, 'id');
      if (!/^[A-Za-z0-9_-]+$/.test(id) || ids.has(id)) issues.push(`the id ${id}`);
      ids.add(id);
    }
  }
  const last = turns.at(-1);
  const lastText = last?.content.at(-1)?.['text'];
  if (last?.role === 'assistant' && typeof lastText === 'string' && lastText !== lastText.trimEnd())
    issues.push('trailing white space');
  if (last?.content.some(({ type }) => type === 'tool_use') === true)
    issues.push('a call without its result at the end');
  return issues;
}
