import { DatabaseError } from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { loggerOptions } from '../../domain/logging.ts';

it.each(['err', 'error'])(
  'logs of an error under "%s" what it is, and nothing of the row that PostgreSQL refused',
  (member) => {
    const lines: string[] = [];
    const logger = pino(loggerOptions('info', 'test'), { write: (line: string) => void lines.push(line) });
    const refused = Object.assign(new DatabaseError('violates check constraint "c"', 1, 'error'), {
      severity: 'ERROR',
      code: '23514',
      constraint: 'c',
      detail: 'Failing row contains (msg_1, the body of somebody).',
      where: 'PL/pgSQL function f(text) with the body of somebody',
    });
    logger.error({ [member]: new Error('could not record', { cause: refused }) }, 'failed');
    expect(lines.join('')).not.toContain('the body of somebody');
    expect(JSON.parse(lines.join(''))).toMatchObject({
      [member]: { message: 'could not record', cause: { code: '23514', constraint: 'c', stack: expect.any(Array) } },
    });
  },
);

it.each([
  [
    'of a failed call the code and the message',
    'Status { code: Unavailable, message: "connection refused", metadata: MetadataMap { headers: {"authorization": "Bearer abc"} } }',
    'Unavailable: connection refused',
  ],
  ['elsewhere the text without what is quoted', 'no workflow "refund for alice" is known', 'no workflow "…" is known'],
  ['no credential', 'sent Bearer abc.def to the server', 'sent Bearer … to the server'],
])('keeps of a text of the Temporal SDK %s', (_what, text, kept) => {
  const lines: string[] = [];
  const logger = pino(loggerOptions('info', 'test'), { write: (line: string) => void lines.push(line) });
  logger.warn({ error: text }, 'failed');
  expect(JSON.parse(lines.join(''))).toMatchObject({ error: kept });
});
