import { describe, expect, test } from 'vitest';
import { INVOCATION_STATUSES } from '../../domain/lifecycle.ts';
import { MESSAGE_STATUSES } from '../../domain/messages/messages.ts';
import { loadTree } from './source-tree.ts';

/** The pages draw the states; the functions of the database refuse every move that they do not list. */

const TREE = loadTree();
const textOf = (path: string): string => TREE.find((file) => file.path === path)?.text ?? '';

interface Section {
  diagram: string;
  /** `from → to`, of the table below the diagram. */
  moves: string[];
}

function sectionOf(page: string, heading: string): Section {
  const [, after = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const [, diagram = ''] = /^```(?:mermaid)?\n([^]*?)^```$/m.exec(section) ?? [];
  const moves = [...section.matchAll(/^\| (`[^|]+)\| (`[^|]+)\|/gm)].flatMap(([, from = '', to = '']) =>
    wordsIn(from).flatMap((one) => wordsIn(to).map((other) => `${one} → ${other}`)),
  );
  return { diagram, moves };
}

const wordsIn = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);

/** What is missing in the drawing, and what in the table the database would refuse. */
function wrongIn({ diagram, moves }: Section, statuses: readonly string[], allowed: readonly string[]): string[] {
  const drawn = new Set(diagram.match(/\w+/g));
  const moved = moves.join(' ');
  return [
    ...statuses.filter((status) => !drawn.has(status)).map((status) => `draw ${status}`),
    ...statuses
      .filter((status) => !new RegExp(`\\b${status}\\b`).test(moved))
      .map((status) => `list a move of ${status}`),
    ...moves.filter((move) => !allowed.includes(move)).map((move) => `${move}: the database refuses it`),
  ];
}

/** The moves in `CASE OLD.status WHEN … THEN NEW.status IN (…)` of a function. */
function allowedBy(migration: string, name: string): string[] {
  const [, body = ''] = new RegExp(`FUNCTION ${name}\\(\\)([^]*?)END \\$\\$`).exec(migration) ?? [];
  return [...body.matchAll(/WHEN '(\w+)' THEN NEW\.status (?:IN \(([^)]*)\)|= ('\w+'))/g)].flatMap(
    ([, from = '', several = '', one = '']) =>
      [...(several + one).matchAll(/'(\w+)'/g)].map(([, to = '']) => `${from} → ${to}`),
  );
}

const INVOCATION = sectionOf(textOf('docs/invocations.md'), 'The states of an invocation');
const ALLOWED = allowedBy(textOf('db/migrations/0007-invocations.ts'), 'check_invocation_move');

describe('the diagram of the states', () => {
  test('of an invocation names every status, and moves as the database allows', () => {
    expect(ALLOWED).toContain('succeeded → failed');
    expect(wrongIn(INVOCATION, INVOCATION_STATUSES, ALLOWED)).toEqual([]);
  });

  test('of a message names every status, and moves as the database allows', () => {
    const allowed = allowedBy(textOf('db/migrations/0018-messages.ts'), 'check_message_move');
    const drawn = sectionOf(textOf('docs/messages.md'), 'Statuses');
    expect(wrongIn(drawn, MESSAGE_STATUSES, allowed)).toEqual([]);
    expect(drawn.moves.toSorted()).toEqual(allowed.toSorted());
  });

  test('is told what is wrong with it', () => {
    const { diagram, moves } = INVOCATION;
    const of = (section: Section): string[] => wrongIn(section, INVOCATION_STATUSES, ALLOWED);
    expect(of({ diagram: diagram.replace('expired', ''), moves })).toEqual(['draw expired']);
    expect(of({ diagram, moves: moves.filter((move) => !move.includes('denied')) })).toEqual(['list a move of denied']);
    expect(of({ diagram, moves: [...moves, 'failed → queued'] })).toEqual(['failed → queued: the database refuses it']);
  });
});
