import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from '../../process/project-root.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';

const BUNDLE = path.join('dist', 'workflow-bundle.js');
/** What the bundler makes of the head of `invokeAction`; the name of the SDK's module is in its first statement. */
const HEAD = /async function invokeAction\((\w+)\) \{\n\s+const \w+ = (\w+)\.CancellationScope/;
const PATCH = 'another-release';

/**
 * The build of the test run with a changed workflow, as the next release has it: `invokeAction` begins with a timer, for executions that
 * its code began (`patched`). A history that this code began does not replay on the code before. Returns its folder, which goes with the
 * file.
 */
export function makeAnotherRelease(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
  closesWithFile(async () => rmSync(folder, { recursive: true, force: true }));
  cpSync(path.join(projectRoot(), 'dist'), path.join(folder, 'dist'), { recursive: true });
  for (const name of ['package.json', 'node_modules'])
    symlinkSync(path.join(projectRoot(), name), path.join(folder, name));
  const code = readFileSync(path.join(folder, BUNDLE), 'utf8');
  const changed = code.replace(HEAD, (head, _ref, sdk: string) => {
    const at = head.indexOf('{\n') + 2;
    return `${head.slice(0, at)}if ((0,${sdk}.patched)('${PATCH}')) await (0,${sdk}.sleep)(1, { summary: 'changed' });\n${head.slice(at)}`;
  });
  if (changed === code) throw new Error('the head of invokeAction was not found in the bundle');
  writeFileSync(path.join(folder, BUNDLE), changed);
  return folder;
}

export const bundleOf = (release: string): string => path.join(release, BUNDLE);
