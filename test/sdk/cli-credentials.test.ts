import { mkdtempSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../sdk/cli/src/exit.ts';
import { clientOf } from '../../sdk/cli/src/session.ts';
import { runProgram } from '../../sdk/cli/src/program.ts';
import { credentialsFile, storeLogin } from '../../sdk/cli/src/stored-credentials.ts';

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

test('an empty variable is not set: the stored login is used, and a login asks', async () => {
  const env = { XDG_CONFIG_HOME: mkdtempSync(path.join(tmpdir(), 'login-')), BASE_URL: '', API_KEY: '' };
  storeLogin(env, 'default', { baseUrl: 'http://127.0.0.1:9', apiKey: 'service_live_key' });
  expect(clientOf({ profile: 'default' }, { env }).baseUrl).toBe('http://127.0.0.1:9');
  const asked: string[] = [];
  const answering = (answer: string) => (question: string) => {
    asked.push(question);
    return Promise.resolve(answer);
  };
  const code = await runProgram(['login'], {
    env,
    ask: answering('http://127.0.0.1:9'),
    askSecretly: answering('service_live_key'),
    print: () => undefined,
    printError: () => undefined,
    readInput: () => Promise.resolve(''),
    signal: new AbortController().signal,
  });
  expect([asked, code]).toEqual([['Address of the service: ', 'API key: '], EXIT.noReply]);
});
