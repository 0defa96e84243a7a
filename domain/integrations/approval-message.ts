import type { PreparedRequest } from '../adapters/adapter-descriptor.ts';
import type { Json } from '../json.ts';
import type { PreviewBlock } from '../previews/preview-block.ts';

/** An approval as a chat shows it. */
export interface ShownInChat {
  title: string;
  summary: string;
  reason: string;
  bindingDigest: string;
  expiresAt: Date;
  quorum: number;
  environmentName: string | null;
  blocks: readonly PreviewBlock[];
  /** The exact request of an invocation, credentials hidden; null for a free-standing approval. */
  request: PreparedRequest | null;
  /** What a free-standing approval is about; null for one of an invocation. */
  payload: Json;
}

/** A message before it takes the form of a chat system: plain texts, in order. */
export interface ChatText {
  heading: string;
  parts: readonly string[];
  footer: string;
}

export function chatTextOf(shown: ShownInChat): ChatText {
  const { payload, quorum } = shown;
  return {
    heading: `${shown.title}\n${shown.summary}\n${shown.reason}`,
    parts: [
      ...shown.blocks.map(linesOf),
      ...(shown.request === null ? [] : [`The exact request\n${JSON.stringify(shown.request, null, 2)}`]),
      ...(payload === null ? [] : [`Payload\n${JSON.stringify(payload, null, 2)}`]),
    ],
    footer: [
      ...(shown.environmentName === null ? [] : [`In ${shown.environmentName}.`]),
      `Until ${shown.expiresAt.toISOString()}.`,
      ...(quorum > 1 ? [`${quorum} people must approve.`] : []),
      shown.bindingDigest,
    ].join('\n'),
  };
}

function linesOf({ title, fields = [], quantities = [], items = [], path, before, after }: PreviewBlock): string {
  const isDiff = before !== undefined || after !== undefined;
  return [
    title,
    ...fields.map(({ label, value }) => `${label}: ${value}`),
    ...quantities.map((quantity) => JSON.stringify(quantity)),
    ...items.map(({ kind, text }) => `${kind}: ${text}`),
    ...(isDiff ? [`${path ?? ''}\n- ${before ?? ''}\n+ ${after ?? ''}`] : []),
  ].join('\n');
}

/** A text in pieces of at most `most` characters; no surrogate pair is split. */
export function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const low = text.charCodeAt(from + most);
    const to = from + most - (from + most < text.length && low >= 0xdc00 && low <= 0xdfff ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

export const DOES_NOT_FIT = 'This is more than a message holds. Read it all, and decide, on the page.';
