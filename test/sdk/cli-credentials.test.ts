import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { credentialsFile } from '../../sdk/cli/src/stored-credentials.ts';

/** Where `agent-actions login` keeps the key: never in a folder that follows from the current directory. */

const FILE = 'agent-action-runtime/credentials.json';

test.each([
  [{ XDG_CONFIG_HOME: '/x', HOME: '/h' }, `/x/${FILE}`],
  [{ HOME: '/h' }, `/h/.config/${FILE}`],
  [{ XDG_CONFIG_HOME: '', HOME: '/h' }, `/h/.config/${FILE}`],
  [{ XDG_CONFIG_HOME: 'x', HOME: '/h' }, `/h/.config/${FILE}`],
  [{ HOME: '' }, `${userInfo().homedir}/.config/${FILE}`],
  [{ HOME: 'h' }, `${userInfo().homedir}/.config/${FILE}`],
  [{}, `${userInfo().homedir}/.config/${FILE}`],
])('under %j', (env, file) => {
  expect(credentialsFile(env)).toBe(file);
});
