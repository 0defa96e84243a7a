import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../process/project-root.ts';

export interface QuickStart {
  name: string;
  /** Its program, and the name that the page gives to the file. */
  program: string;
  file: string;
  /** The commands of its `sh` blocks, in order. */
  commands: string[];
}

/** @throws {Error} where the page has not exactly one program with the name of its file before it. */
export function readQuickStart(name: string): QuickStart {
  const page = readFileSync(path.join(projectRoot(), 'docs', 'quickstarts', `${name}.md`), 'utf8');
  const programs = [...page.matchAll(/^`([\w.]+)`:\n\n```(?:python|ts)\n([\s\S]*?)^```$/gm)];
  const blocks = page.match(/^```(?:python|ts)$/gm) ?? [];
  const [[, file = '', program = ''] = []] = programs;
  if (programs.length !== 1 || blocks.length !== 1) throw new Error(`${name}.md: one program, named before its block`);
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, command = '']) => command.trimEnd());
  return { name, program, file, commands };
}

/** What a page installs, as `name==version` or `name@version`. The SDK itself is named by its folder. */
export function installedBy({ commands }: QuickStart): string[] {
  return commands.flatMap((command) =>
    [...command.matchAll(/^(?:pip|npm) install (.+)$/gm)].flatMap(([, packages = '']) => packages.split(' ')),
  );
}
