import type { EnvironmentTransaction } from '../../db/client.ts';
import type { IngestInput, IngestMessage } from '../../db/memory/jobs.ts';
import { getSession } from '../../db/sessions/sessions.ts';
import { listTexts, measureMessages } from '../../db/sessions/messages.ts';
import { CHUNKS_MAX, type IngestChunk, SESSION_BYTES_MAX } from '../../domain/memory/memory-jobs.ts';
import { splitText } from '../../domain/memory/split-text.ts';

const MESSAGES_A_READ = 500;

export type Split = { chunks: IngestChunk[] } | { refused: 'no session' | 'too large' };

/** The chunks of a job's input, in order. Messages are never joined, because each says who spoke. */
export async function splitInput(tx: EnvironmentTransaction, input: IngestInput): Promise<Split> {
  const { charactersMax } = input;
  if ('text' in input) {
    return { chunks: splitText(input.text, charactersMax).map((content) => ({ content, metadata: {} })) };
  }
  if ('messages' in input) return { chunks: input.messages.flatMap((message) => chunksOf(message, charactersMax)) };
  const session = await getSession(tx, input.sessionId);
  if (session === null) return { refused: 'no session' };
  // The chunks are in memory at once, and several jobs are split at the same time.
  const { bytes, lastSequence } = await measureMessages(tx, session.id);
  if (bytes > SESSION_BYTES_MAX) return { refused: 'too large' };
  return { chunks: await chunksOfSession(tx, session.id, lastSequence, charactersMax) };
}

/** Up to the message with the number `to`: what is appended meanwhile was not measured. */
async function chunksOfSession(
  tx: EnvironmentTransaction,
  sessionId: string,
  to: number,
  charactersMax: number,
): Promise<IngestChunk[]> {
  const chunks: IngestChunk[] = [];
  for (let after = 0; chunks.length <= CHUNKS_MAX;) {
    const messages = await listTexts(tx, sessionId, { after, to, limit: MESSAGES_A_READ });
    for (const { id: messageId, sequence, role, name, text } of messages) {
      for (const { content, metadata } of chunksOf({ role, name: name ?? undefined, content: text }, charactersMax)) {
        chunks.push({ content, metadata: { ...metadata, messageId, sequence } });
      }
    }
    const last = messages.at(-1);
    if (last === undefined || messages.length < MESSAGES_A_READ) break;
    after = last.sequence;
  }
  return chunks;
}

function chunksOf({ role, name, content }: IngestMessage, charactersMax: number): IngestChunk[] {
  const metadata = { role, ...(name === undefined ? {} : { name }) };
  return splitText(content, charactersMax).map((chunk) => ({ content: chunk, metadata }));
}
