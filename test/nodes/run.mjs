// `npm run test:nodes [-- files or folders of tests]`: the tests on the Node.js releases that docs/versioning.md supports: the oldest, and the
// newest of each line. By default those of what a release of Node.js has broken before or may lack: deadlines whose timers the garbage collector
// took; the authorization server, whose package says that it wants a newer Node.js; the SDK with its `fetch` and WebCrypto.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildWhereStale, installWhereMissing, root } from '../../embedded/prepare.mjs';

const RELEASES = ['20.19.0', '20.20.2', '22.23.3', '24.21.0'];
const BY_DEFAULT = [
  'test/domain/deadline',
  'test/activities/adapters/http-request/deadline',
  'test/activities/calls-that-outlive-their-deadline',
  'test/api/oauth/connect',
  'test/sdk/typescript-vectors',
  'test/sdk/typescript-client',
];

/** npm's `node` package brings the binary of this machine's system. */
function binaryOf(release) {
  const folder = path.join(root, '.cache', 'nodes', release);
  const binary = path.join(folder, 'node_modules', 'node', 'bin', 'node');
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
    const install = ['install', '--no-audit', '--no-fund', '--save-exact', `node@${release}`];
    execFileSync('npm', install, { cwd: folder, stdio: 'inherit' });
  }
  const found = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim();
  if (found !== `v${release}`) throw new Error(`${binary} is Node.js ${found}, not v${release}`);
  return binary;
}

installWhereMissing();
await buildWhereStale();
const asked = process.argv.slice(2);
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const failed = [];
for (const release of RELEASES) {
  const binary = binaryOf(release);
  console.log(`\nNode.js ${release}`);
  // Child processes of the tests run on the same release.
  const env = { ...process.env, PATH: `${path.dirname(binary)}${path.delimiter}${process.env.PATH}` };
  const { status } = spawnSync(binary, [vitest, 'run', ...(asked.length > 0 ? asked : BY_DEFAULT)], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  if (status !== 0) failed.push(release);
}
console.log(
  failed.length === 0 ? `\ngreen on Node.js ${RELEASES.join(', ')}` : `\nred on Node.js ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
