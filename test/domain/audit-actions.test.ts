import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AUDIT_ACTIONS } from '../../domain/audit-actions.ts';
import { projectRoot } from '../../embedded/project-root.ts';

/** Where entries are made. */
const FOLDERS = ['api', 'activities', 'db', 'embedded'];

const SOURCE = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(projectRoot(), folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(projectRoot(), folder, file), 'utf8')),
).join('\n');

/** Written as it is, or as `what.${…}` or `${…}.happened`. */
function isRecorded(action: string): boolean {
  const [what = '', happened = ''] = action.split('.');
  return [`'${action}'`, `\`${what}.\${`, `}.${happened}\``].some((spelling) => SOURCE.includes(spelling));
}

describe('the table of audit actions', () => {
  test('holds no action that no code records; the compiler finds one that it lacks', () => {
    const actions = Object.values(AUDIT_ACTIONS).flatMap((area) => Object.keys(area));
    expect(actions.filter((action) => !isRecorded(action))).toEqual([]);
    expect(isRecorded('secret.forgotten')).toBe(false);
  });
});
