import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../../process/project-root.ts';
import { PRODUCT } from '../../../domain/product.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { runPython, type PythonCache } from './environment.ts';

const SDK = path.join(projectRoot(), 'sdk');
const VECTORS = path.join(SDK, 'vectors');
const FOLDER = path.join(projectRoot(), 'test', 'sdk', 'python');
/** mypy reads a library for the first time. */
const timeout = 3 * PATIENCE_MS;

/** The Python SDK as a user has it. */
export interface InstalledPackage {
  cache: PythonCache;
  wheel: string;
  /** Its environment has the wheel and what it declares that it needs, and nothing else. */
  python: string;
  /** For what the tests write. */
  folder: string;
}

type Line = [suite: string, name: string, problem: string | null];

/** What holds of the package by itself. `installed` is asked when the tests run. */
export function packageSuite(installed: () => InstalledPackage): void {
  async function play(vectors: string): Promise<Line[]> {
    const printed = await runPython(installed().python, [path.join(FOLDER, 'vectors.py'), vectors]);
    return printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  }

  it('has the product’s version, its types, and httpx as its one dependency', async () => {
    const { wheel, python } = installed();
    expect(path.basename(wheel)).toBe(`agent_action_runtime_sdk-${PRODUCT.version}-py3-none-any.whl`);
    const script = [
      'import importlib.metadata as m, agent_action_runtime as sdk, importlib.resources as r, json',
      'd = m.distribution("agent-action-runtime-sdk")',
      'print(json.dumps([d.version, sdk.__version__, d.requires, r.files(sdk).joinpath("py.typed").is_file()]))',
    ].join('\n');
    const [version, own, requires, isTyped] = JSON.parse(await runPython(python, ['-c', script])) as unknown[];
    expect([version, own, isTyped]).toEqual([PRODUCT.version, PRODUCT.version, true]);
    expect(requires).toEqual([expect.stringMatching(/^httpx\b/)]);
  });

  it('answers every vector as it says, blocking and asynchronous', { timeout }, async () => {
    const lines = await play(VECTORS);
    expect(lines.filter(([, , problem]) => problem !== null)).toEqual([]);
    // None was left out: those of the exchanges are played by both clients.
    const casesIn = (file: string): number => {
      const text = readFileSync(path.join(VECTORS, file), 'utf8');
      const content = JSON.parse(text) as Record<string, unknown[]>;
      const { exchanges = [], signatures: _ofSenders, ...others } = content;
      return [exchanges, exchanges, ...Object.values(others)].flat().length;
    };
    const files = readdirSync(VECTORS).filter((name) => name.endsWith('.json'));
    for (const file of files) {
      expect([file, lines.filter(([suite]) => suite.startsWith(file)).length]).toEqual([file, casesIn(file)]);
    }
  });

  it('is found out where a vector says otherwise', { timeout }, async () => {
    const planted = mkdtempSync(path.join(installed().folder, 'planted-'));
    const expected: string[] = [];
    for (const file of readdirSync(VECTORS).filter((name) => name.endsWith('.json'))) {
      const content = JSON.parse(readFileSync(path.join(VECTORS, file), 'utf8')) as Planted;
      expected.push(...falsify(content));
      writeFileSync(path.join(planted, file), JSON.stringify(content));
    }
    const names = (await play(planted)).filter(([, , problem]) => problem !== null).map(([, name]) => name);
    expect(names.toSorted()).toEqual(expected.toSorted());
  });

  it('is accepted by mypy --strict, and a program that misuses it is not', { timeout }, async () => {
    const { cache, folder, python } = installed();
    // It finds the package as it is installed, by its py.typed.
    const strict = ['-m', 'mypy', '--strict', '--no-error-summary', '--python-executable', python];
    const cached = ['--cache-dir', path.join(folder, 'mypy')];
    const check = (file: string): Promise<string> => runPython(cache.python, [...strict, ...cached, file]);
    await check(path.join(SDK, 'python', 'src', 'agent_action_runtime'));
    const misuse = await check(path.join(FOLDER, 'misuse.py')).catch((error: Error) => error.message);
    const marked = readFileSync(path.join(FOLDER, 'misuse.py'), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.includes('# wrong') ? [index + 1] : []));
    const reported = [...misuse.matchAll(/misuse\.py:(\d+): error/g)].map(([, line]) => Number(line));
    expect([...new Set(reported)], misuse).toEqual(marked);
  });
}

type Case = Partial<Record<'name' | 'code' | 'type' | 'text', string>> & {
  valid?: boolean;
  path?: string | null;
  expect?: object;
};
type Planted = Record<string, Case[]>;

/** What no SDK answers, by the section of the vectors. */
const UNTRUE: Readonly<Record<string, (first: Case) => void>> = {
  codes: (first) => (first.type = 'AnotherError'),
  canonicalTexts: (first) => (first.text = 'another'),
  idempotencyKeys: (first) => (first.valid = first.valid !== true),
  pathSegments: (first) => (first.path = null),
  checks: (first) => (first.expect = { passes: false }),
  exchanges: (first) => (first.expect = { result: { status: 'another' } }),
  deliveries: (first) => (first.expect = { valid: false }),
  receipts: (first) => (first.expect = { valid: false }),
  replies: (first) => (first.expect = { type: 'AnotherError' }),
};
/** Its cases have no expectation of their own. */
const WITHOUT_EXPECTATION: readonly string[] = ['signatures', 'malformed'];

/** Makes the first case of each section expect what is not so. Answers the names of the cases that must be found, once for each client. */
function falsify(content: Planted): string[] {
  return Object.entries(content).flatMap(([section, [first]]) => {
    if (WITHOUT_EXPECTATION.includes(section)) return [];
    const name = first?.name ?? first?.code;
    const plant = UNTRUE[section];
    if (first === undefined || name === undefined || plant === undefined)
      throw new Error(`how is ${section} falsified?`);
    plant(first);
    return section === 'exchanges' ? [name, name] : [name];
  });
}
