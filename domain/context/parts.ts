import type { MessagePart } from '../sessions/sessions.ts';
import type { ContextMessage, Unit } from './units.ts';

export interface ContextMemory {
  id: string;
  content: string;
  score: number;
}

export interface ContextContent {
  system: readonly ContextMessage[];
  memories: readonly ContextMemory[];
  units: readonly Unit[];
  /** Whether messages were left out before the first unit. */
  isCut: boolean;
}

/** One paragraph for all memories. Empty where there are none. */
export function memoryText(memories: readonly ContextMemory[]): string {
  if (memories.length === 0) return '';
  return ['What is known from earlier:', ...memories.map(({ content }) => `- ${content}`)].join('\n');
}

export function partsOf({ content }: Pick<ContextMessage, 'content'>): MessagePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The text of a message. An image is named where only text can stand. */
export function textOfMessage(message: Pick<ContextMessage, 'content'>): string {
  return partsOf(message)
    .map((part) => (part.type === 'text' ? part.text : imageMark(part.url)))
    .join('\n');
}

export function imageMark(url: string): string {
  return url.startsWith('data:') ? '[image]' : `[image: ${url}]`;
}

const LEGAL_NAME_CHARACTERS_MAX = 64;

/** Both APIs take letters, digits, `_` and `-` in the names of tools, 64 of them. */
export function legalToolName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, LEGAL_NAME_CHARACTERS_MAX);
}
