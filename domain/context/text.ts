import { type ContextContent, memoryText, textOfMessage } from './parts.ts';
import { type ContextMessage, messagesOf } from './units.ts';

/** One text for a model without roles: a paragraph for each message, which begins with who speaks. */
export function renderText({ system, memories, units }: ContextContent): string {
  const known = memoryText(memories);
  return [
    ...system.map(paragraph),
    ...(known === '' ? [] : [`memory: ${known}`]),
    ...units.flatMap(messagesOf).map(paragraph),
  ].join('\n\n');
}

function paragraph(message: ContextMessage): string {
  const { role, name, toolCallId, toolCalls } = message;
  const speaker = `${role}${name === null ? '' : ` ${name}`}${toolCallId === null ? '' : ` [${toolCallId}]`}`;
  const calls = (toolCalls ?? []).map((call) => `${call.name}(${JSON.stringify(call.arguments)}) [${call.id}]`);
  const said = textOfMessage(message);
  return `${speaker}: ${[...(said === '' ? [] : [said]), ...calls.map((call) => `calls ${call}`)].join('\n')}`;
}
