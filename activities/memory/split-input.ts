import type { EnvironmentTransaction } from '../../db/client.ts';
import type { IngestInput, IngestMessage } from '../../db/memory/jobs.ts';
import { getSession } from '../../db/sessions/get-session.ts';
import { listMessages } from '../../db/sessions/list-messages.ts';
import type { SessionMessageRecord } from '../../db/sessions/records.ts';
import { CHUNKS_MAX, type IngestChunk } from '../../domain/memory/memory-jobs.ts';
import { splitText } from '../../domain/memory/split-text.ts';

const MESSAGES_A_READ = 500;

/**
 * The chunks of what a job was given, in order. A message is never joined with another one: each says who spoke. Null: the session is not
 * there any more. A session that makes too many chunks is not read to its end.
 */
export async function splitInput(tx: EnvironmentTransaction, input: IngestInput): Promise<IngestChunk[] | null> {
  const { charactersMax } = input;
  if ('text' in input) return splitText(input.text, charactersMax).map((content) => ({ content, metadata: {} }));
  if ('messages' in input) return input.messages.flatMap((message) => chunksOf(message, charactersMax));
  const session = await getSession(tx, input.sessionId);
  if (session === null) return null;
  const chunks: IngestChunk[] = [];
  for (let after = 0; chunks.length <= CHUNKS_MAX;) {
    const { items } = await listMessages(tx, session.id, { order: 'asc', after, limit: MESSAGES_A_READ, offset: 0 });
    for (const message of items) {
      const said = { role: message.role, content: textOf(message), name: message.name ?? undefined };
      const of = { messageId: message.id, sequence: message.sequence };
      for (const { content, metadata } of chunksOf(said, charactersMax)) {
        chunks.push({ content, metadata: { ...metadata, ...of } });
      }
    }
    const last = items.at(-1);
    if (last === undefined || items.length < MESSAGES_A_READ) break;
    after = last.sequence;
  }
  return chunks;
}

function chunksOf({ role, name, content }: IngestMessage, charactersMax: number): IngestChunk[] {
  const metadata = { role, ...(name === undefined ? {} : { name }) };
  return splitText(content, charactersMax).map((chunk) => ({ content: chunk, metadata }));
}

/** What was said in words: an image has none, and neither has a call of a tool. */
function textOf({ content }: Pick<SessionMessageRecord, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
