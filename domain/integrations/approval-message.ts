import type { PreparedRequest } from '../adapters/adapter-descriptor.ts';
import { quantityText } from '../impact.ts';
import type { Json } from '../json.ts';
import { type PreviewBlock, TRUNCATED_NOTE } from '../adapters/preview-block.ts';
import { visibleText } from '../unseen-characters.ts';

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

/** A message before it takes the form of a chat system: plain texts, in order, in which nothing is unseen. */
export interface ChatText {
  heading: string;
  parts: readonly string[];
  footer: string;
  /** False where a part was cut before it came here: who reads all of this has not read everything. */
  isWhole: boolean;
}

export function chatTextOf(shown: ShownInChat): ChatText {
  const { payload, quorum, blocks } = shown;
  return {
    heading: [shown.title, shown.summary, shown.reason].map(visible).join('\n'),
    parts: [
      ...blocks.map(linesOf),
      ...(shown.request === null ? [] : [`The exact request\n${jsonOf(shown.request)}`]),
      ...(payload === null ? [] : [`Payload\n${jsonOf(payload)}`]),
    ],
    footer: [
      ...(shown.environmentName === null ? [] : [`In ${visible(shown.environmentName)}.`]),
      `Until ${shown.expiresAt.toISOString()}.`,
      ...(quorum > 1 ? [`${quorum} people must approve.`] : []),
      shown.bindingDigest,
    ].join('\n'),
    isWhole: !blocks.some(({ truncated }) => truncated === true),
  };
}

function linesOf(block: PreviewBlock): string {
  const { title, fields = [], quantities = [], items = [], path, before, after, truncated } = block;
  const isDiff = before !== undefined || after !== undefined;
  return [
    visible(title),
    ...fields.map(({ label, value }) => `${visible(label)}: ${visible(value)}`),
    ...quantities.map((quantity) => visible(quantityText(quantity))),
    ...items.map(({ kind, text }) => `${kind}: ${visible(text)}`),
    ...(path === undefined ? [] : [`Path: ${visible(path)}`]),
    ...(isDiff ? [`- ${visible(before ?? '')}`, `+ ${visible(after ?? '')}`] : []),
    ...(truncated === true ? [TRUNCATED_NOTE] : []),
  ].join('\n');
}

/** The beginning of a line that continues a value. */
const GOES_ON = '│ ';

/** Marks unseen characters, line beginnings and brackets that open a mark: no foreign text looks like ours. */
function visible(text: string): string {
  return visibleText(text).replaceAll('\n', `\n${GOES_ON}`);
}

/** The line breaks of indented JSON are ours: those within its strings are escaped. */
function jsonOf(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2));
}

/** A part of a message in texts of at most `most` characters. Each but the first says that it goes on: it begins no line of its own. */
export function sectionsOf(part: string, most: number): string[] {
  return piecesOf(part, most - CUT.length).map((piece, index) => (index === 0 ? piece : `${CUT}${piece}`));
}

const CUT = '…';

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
