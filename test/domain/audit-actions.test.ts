import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AUDIT_ACTIONS } from '../../domain/audit-actions.ts';
import { projectRoot } from '../../process/project-root.ts';

/** Where entries are made. */
const FOLDERS = ['api', 'activities', 'db', 'embedded'];

const SOURCE = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(projectRoot(), folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(projectRoot(), folder, file), 'utf8')),
).join('\n');

/** The actions that code composes, by the text that composes them. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  '`approval.${status}`': ['approval.expired', 'approval.cancelled'],
  '`${target.type}.resolved`': ['effect.resolved', 'invocation.resolved'],
};

/** Written as it is, or composed by a text that is listed and still there. */
function isRecorded(action: string): boolean {
  if (SOURCE.includes(`'${action}'`)) return true;
  return Object.entries(COMPOSED).some(([text, actions]) => actions.includes(action) && SOURCE.includes(text));
}

describe('the table of audit actions', () => {
  test('holds no action that no code records; the compiler finds one that it lacks', () => {
    const actions = Object.values(AUDIT_ACTIONS).flatMap((area) => Object.keys(area));
    expect(actions.filter((action) => !isRecorded(action))).toEqual([]);
    for (const unknown of ['secret.forgotten', 'approval.forgotten', 'run.resolved']) {
      expect(isRecorded(unknown), unknown).toBe(false);
    }
  });
});
