import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { UsageError } from '../exit.ts';

const DOCUMENT = /\.(ya?ml|json)$/;
const FIXTURES = /\.fixtures\.(ya?ml|json)$/;

export interface PolicyFolder {
  /** Paths are relative to the folder, with forward slashes. */
  files: { path: string; content: string }[];
  fixtures: Fixture[];
}

export interface Fixture {
  name: string;
  [member: string]: unknown;
}

/** Reads policies and `*.fixtures.yaml` from a folder and its subfolders, except dotfiles and `node_modules`. @throws {UsageError} */
export function readPolicyFolder(folder: string): PolicyFolder {
  const paths = filesBelow(folder, '').sort();
  const files = paths
    .filter((file) => !FIXTURES.test(file))
    .map((file) => ({ path: file, content: read(folder, file) }));
  const fixtures = paths.filter((file) => FIXTURES.test(file)).flatMap((file) => fixturesOf(file, read(folder, file)));
  if (files.length === 0) throw new UsageError(`${folder} holds no policy file (*.yaml, *.yml, *.json).`);
  return { files, fixtures };
}

function filesBelow(folder: string, below: string): string[] {
  const entries = entriesOf(path.join(folder, below)).filter(
    ({ name }) => !name.startsWith('.') && name !== 'node_modules',
  );
  return entries.flatMap((entry) => {
    const file = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(folder, file);
    return entry.isFile() && DOCUMENT.test(entry.name) ? [file] : [];
  });
}

function entriesOf(folder: string): { name: string; isDirectory(): boolean; isFile(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw new UsageError(`${folder} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`, {
      cause: error,
    });
  }
}

function read(folder: string, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path.join(folder, file)));
  } catch (error) {
    throw new UsageError(`${file} cannot be read as UTF-8 text.`, { cause: error });
  }
}

/** A list of fixtures, or `{ fixtures: [ … ] }`. Results name the fixture's file. */
function fixturesOf(file: string, content: string): Fixture[] {
  const value = parsed(file, content);
  const list = Array.isArray(value) ? value : (value as { fixtures?: unknown } | null)?.fixtures;
  if (!Array.isArray(list)) throw new UsageError(`${file} holds no list of fixtures.`);
  return list.map((fixture: unknown, index) => {
    const name = (fixture as { name?: unknown } | null)?.name;
    if (typeof name !== 'string') throw new UsageError(`${file}: fixture ${index + 1} has no name.`);
    return { ...(fixture as object), name: `${file}: ${name}` };
  });
}

function parsed(file: string, content: string): unknown {
  try {
    return load(content, { schema: CORE_SCHEMA, maxAliases: 0 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const place = error.mark === undefined ? '' : `, at line ${error.mark.line + 1}, column ${error.mark.column + 1}`;
    throw new UsageError(`${file} is not YAML: ${error.reason}${place}`, { cause: error });
  }
}
