import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../process/project-root.ts';

/** The packages of sdk/, packed and installed as a user gets them. No registry is asked: what they depend on is packed from node_modules. */

export const PACKAGES = ['sdk/typescript', 'sdk/cli'] as const;

export interface Ended {
  code: number;
  output: string;
  errors: string;
}

/** Runs a program to its end. It takes over nothing of this process but what any program needs. */
export async function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string>; input?: string },
): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...options.env };
  try {
    const running = promisify(execFile)(command, [...args], {
      cwd: options.cwd,
      env,
      maxBuffer: 32 * 1024 * 1024,
    });
    // A program that ends before it has read everything is judged by how it ended.
    running.child.stdin?.on('error', () => undefined).end(options.input ?? '');
    const { stdout, stderr } = await running;
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: unknown; stdout: string; stderr: string };
    if (typeof code !== 'number') throw error;
    return { code, output: stdout, errors: stderr };
  }
}

export async function done(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output, errors } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}${errors}`);
  return output;
}

/** A package as it was packed. */
export interface PackedPackage {
  name: string;
  version: string;
  tarball: string;
  integrity: string;
  /** What its package.json says. */
  manifest: object;
}

export interface InstalledPackages {
  folder: string;
  /** The files of each package, as a registry would show them. */
  files: Readonly<Record<string, readonly string[]>>;
  /** Ours, and what they depend on. */
  packed: readonly PackedPackage[];
}

/** Compiles and packs what is in sdk/, and installs it into this folder. */
export async function installPackages(folder: string): Promise<InstalledPackages> {
  const root = projectRoot();
  await done(process.execPath, [path.join(root, 'sdk', 'build.mjs')], root);
  const packed = path.join(folder, 'packed');
  mkdirSync(packed, { recursive: true });
  const sources = [...PACKAGES, ...dependenciesOf(PACKAGES)].map((one) => path.join(root, one));
  const list = await done(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', packed, ...sources],
    root,
  );
  type Listed = { name: string; version: string; filename: string; integrity: string; files: { path: string }[] };
  const found = JSON.parse(list) as Listed[];
  const manifests = sources.map((source) => readManifest(source));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const tarballs = found.map(({ filename }) => path.join(packed, filename));
  await done('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs], folder);
  copyFileSync(path.join(root, 'test', 'sdk', 'run-scenario.mjs'), path.join(folder, 'run-scenario.mjs'));
  return {
    folder,
    files: Object.fromEntries(found.map(({ name, files }) => [name, files.map((file) => file.path)])),
    packed: found.map(({ name, version, integrity }, index) => ({
      name,
      version,
      integrity,
      tarball: tarballs[index] ?? '',
      manifest: manifests.find((manifest) => manifest.name === name) ?? {},
    })),
  };
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The folders below node_modules that these packages need, and what those need. */
export function dependenciesOf(packages: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    const { dependencies = {} } = readManifest(path.join(projectRoot(), folder));
    for (const name of Object.keys(dependencies)) {
      const below = `node_modules/${name}`;
      if (name.startsWith('agent-action-runtime-') || found.has(below)) continue;
      found.add(below);
      visit(below);
    }
  };
  for (const one of packages) visit(one);
  return [...found];
}

/** The first block of code of a page, in this language. */
export function firstBlock(page: string, language: string): string {
  const [, block] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (block === undefined) throw new Error(`the page has no block of ${language}`);
  return block;
}
