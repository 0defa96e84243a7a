import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findTool, fromGo, runTool, type Tool } from './tool.ts';

const MODULE = 'github.com/prometheus/prometheus/cmd/promtool@v0.316.0';

/** Prometheus' checker of rules. The package of Debian takes seconds, compiling it minutes. */
export function findPromtool(): Tool {
  return findTool('promtool', '--version', [fromDebian, fromGo(MODULE)]);
}

/** Only the one program of the package: nothing is installed. Returns why it failed. */
function fromDebian(folder: string): string[] {
  const download = runTool('apt-get', ['download', 'prometheus'], folder);
  if (download !== null) return [download];
  const file = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  const unpacked = path.join(folder, 'package');
  const unpack = runTool('dpkg-deb', ['--extract', file, unpacked], folder);
  if (unpack !== null) return [unpack];
  copyFileSync(path.join(unpacked, 'usr', 'bin', 'promtool'), path.join(folder, 'promtool'));
  chmodSync(path.join(folder, 'promtool'), 0o755);
  for (const rest of [unpacked, path.join(folder, file)]) rmSync(rest, { recursive: true });
  return [];
}
