import type { EnvironmentTransaction } from '../../db/client.ts';
import type { IngestInput, IngestMessage } from '../../db/memory/jobs.ts';
import type { IngestChunk } from '../../domain/memory/memory-jobs.ts';
import { splitText } from '../../domain/memory/split-text.ts';

/** The chunks of what a job was given, in order. A message is never joined with another one: each says who spoke. */
export function splitInput(_: EnvironmentTransaction, input: IngestInput): Promise<IngestChunk[]> {
  const { charactersMax } = input;
  if ('text' in input) {
    return Promise.resolve(splitText(input.text, charactersMax).map((content) => ({ content, metadata: {} })));
  }
  const messages = 'messages' in input ? input.messages : [];
  return Promise.resolve(messages.flatMap((message) => chunksOf(message, charactersMax)));
}

function chunksOf({ role, name, content }: IngestMessage, charactersMax: number): IngestChunk[] {
  const metadata = { role, ...(name === undefined ? {} : { name }) };
  return splitText(content, charactersMax).map((chunk) => ({ content: chunk, metadata }));
}
