import type { Issue } from '../errors.ts';
import { type PathStep, pathText } from '../json-path.ts';
import { nearNames } from '../near-names.ts';
import type { SchemaPaths } from './schema-paths.ts';
import type { Warning } from './warnings.ts';

/** What a path is written for: into which schema, and the name that it begins with. */
export const INPUT_PATHS = { root: 'input', schema: 'inputSchema', notDescribed: 'input_not_described' } as const;
/** `observed.path` begins with a member of the response: `body.charged`. */
export const OBSERVED_PATHS = { root: '', schema: 'outputSchema', notDescribed: 'output_not_described' } as const;
/** In templates a response has a name: `{{response.body.id}}`. */
export const RESPONSE_PATHS = { ...OBSERVED_PATHS, root: 'response' } as const;

type PathKind = typeof INPUT_PATHS | typeof OBSERVED_PATHS | typeof RESPONSE_PATHS;

export interface CheckedPath {
  path: string;
  steps: readonly PathStep[];
  kind: PathKind;
  mayBeLeftOut: boolean;
  isAmount: boolean;
  /** It names a file, or a list of files, by id. */
  isFile?: boolean;
}

const NAMES_SHOWN_MAX = 10;
const NUMBERS: readonly string[] = ['integer', 'number'];

/** Looks a path up in its schema: a path that no value can have is an issue, one that a value may lack is a warning. */
export function checkPath(
  { path, steps, kind, mayBeLeftOut, isAmount, isFile = false }: CheckedPath,
  paths: SchemaPaths,
  { issues, warnings }: { issues: Issue[]; warnings: Warning[] },
): void {
  const shown = pathText(kind.root, steps);
  const answer = paths.answer(steps);
  if (answer.kind === 'impossible') {
    issues.push({ path, message: impossibleMessage(kind, steps, answer) });
    return;
  }
  if (answer.kind === 'open') {
    const message = `refers to ${shown}, which the ${kind.schema} does not describe`;
    warnings.push({ path, code: kind.notDescribed, message });
    return;
  }
  const { types } = answer;
  if (isAmount && types !== null && !NUMBERS.some((type) => types.has(type))) {
    const message = `leads to ${shown}, which the ${kind.schema} makes ${[...types].join(' or ')}; an amount is a whole number`;
    issues.push({ path, message });
  } else if (isFile && types !== null && !types.has('string') && !types.has('array')) {
    const message = `takes ${shown} for a file, which the ${kind.schema} makes ${[...types].join(' or ')}; a file is named by its id, a text`;
    issues.push({ path, message });
  } else if (!answer.required && !mayBeLeftOut) {
    const message = `needs ${shown}, which the ${kind.schema} does not require`;
    warnings.push({ path, code: 'input_may_be_missing', message });
  }
}

function impossibleMessage(
  { root, schema }: PathKind,
  steps: readonly PathStep[],
  { step, why, names }: { step: number; why: 'closed' | 'no_container'; names: string[] },
): string {
  const shown = pathText(root, steps);
  const before = pathText(root, steps.slice(0, step)) || 'the result';
  const name = steps[step];
  if (why === 'no_container') {
    const container = typeof name === 'number' ? 'array' : 'object';
    return `refers to ${shown}, and by the ${schema} ${before} is no ${container}`;
  }
  const refused = `refers to ${shown}, which the ${schema} does not allow`;
  const [near] = typeof name === 'string' ? nearNames(name, names) : [];
  if (near !== undefined) {
    const meant = steps.map((one, index) => (index === step ? near : one));
    return `${refused}; did you mean ${pathText(root, meant)}?`;
  }
  if (names.length === 0) return refused;
  const members = names.slice(0, NAMES_SHOWN_MAX).join(', ');
  return `${refused}; ${before} has ${members}${names.length > NAMES_SHOWN_MAX ? ', …' : ''}`;
}
