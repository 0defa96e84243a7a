import { describe, expect, it } from 'vitest';
import { differences } from '../../embedded/walkthrough/differences.ts';
import { readSteps } from '../../embedded/walkthrough/page.ts';
import { walk } from '../../embedded/walkthrough/walk.ts';

const ID = 'inv_0351NTD3qWD5NOUKP6mMGv';
const PAGE = `# One
Say it:

\`\`\`sh
A=1; echo '{"a":1,"b":2}'
\`\`\`

\`\`\`json
{ "a": 1 }
\`\`\`

## Two

\`\`\`sh
echo "{\\"a\\":$A}"
\`\`\`

\`\`\`json
{ "a": 2 }
\`\`\`
`;

const run = (page: string) =>
  walk(readSteps(page), { cwd: '.', env: process.env, onStep: () => undefined, onOutput: () => undefined });

describe('the commands of a page', () => {
  it('are read with their heading, their text and what they print', () => {
    expect(readSteps(PAGE)).toMatchObject([
      { heading: 'One', prose: 'Say it:', expected: { a: 1 }, line: 4 },
      { heading: 'Two', prose: '', expected: { a: 2 }, line: 14 },
    ]);
  });

  it('run in one shell, and each departure from the page is named with its line', async () => {
    expect((await run(PAGE)).findings).toEqual(['line 14: a is 1, not 2']);
  });

  it.each([
    ['fails', 'echo oh no >&2; false', 'oh no'],
    ['ends the shell', 'exit 0', 'it ended the shell'],
  ])('end the walk where one %s', async (_, command, says) => {
    await expect(run(`\`\`\`sh\n${command}\n\`\`\``)).rejects.toThrow(says);
  });

  it('print JSON where the page shows JSON', async () => {
    const { findings } = await run('```sh\necho hello\n```\n\n```json\n{}\n```');
    expect(findings).toEqual(['line 1: prints no JSON: hello']);
  });

  it('come before what they print', () => {
    expect(() => readSteps('```json\n{}\n```')).toThrow('line 1: no command prints this block');
  });
});

describe('a reply', () => {
  it('may have more members, other ids and times, and the rest of a text that the page cuts', () => {
    const reply = { id: ID, at: '2026-11-21T10:12:07.435Z', says: 'refused: no room', more: [] };
    const page = { id: 'inv_0000000000000000000000', at: '2026-01-01T00:00:00.000Z', says: 'refused: …' };
    expect(differences(page, reply)).toEqual([]);
  });

  it.each([
    [{ grade: 'confirmed' }, { grade: 'unknown' }, 'grade is "unknown", not "confirmed"'],
    [{ id: ID }, { id: ID.replace('inv', 'eff') }, 'id is "eff_'],
    [{ id: ID }, { id: 'other' }, 'id is "other"'],
    [{ a: { b: 1 } }, {}, 'a is no object: missing'],
    [{ a: [1] }, { a: [1, 2] }, 'a has 2 entries, not 1'],
    [{ a: null }, {}, 'a is missing, not null'],
    [{ a: 'refused: …' }, { a: 'denied' }, 'a is "denied"'],
  ])('departs: %j', (page, reply, says) => {
    expect(differences(page, reply)).toEqual([expect.stringContaining(says)]);
  });
});
