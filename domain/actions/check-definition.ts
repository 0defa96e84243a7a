import type { ActionDefinition } from '../actions.ts';
import type { AdapterDescriptor, WrittenText } from '../adapters/adapter-descriptor.ts';
import { type Issue, shortFinding } from '../errors.ts';
import { ATTACHMENT_MEMBERS } from '../files/attachments.ts';
import { parsePath, type PathStep, pathText } from '../json-path.ts';
import { parseResponsePath } from '../response-path.ts';
import { checkUrlShape, markedText } from '../adapters/template-rendering.ts';
import { parseTemplate, referencesOf, type Template } from '../adapters/templates.ts';
import { closedPartWarnings } from './closed-parts.ts';
import { type CheckedPath, checkPath, INPUT_PATHS, OBSERVED_PATHS, RESPONSE_PATHS } from './checked-path.ts';
import { literalCredential } from './literal-credentials.ts';
import { SchemaPaths } from './schema-paths.ts';
import type { Warning } from './warnings.ts';

/** `output` is null where the definition does not describe its result. */
interface Schemas {
  input: SchemaPaths;
  output: SchemaPaths | null;
}

/** What can be told of a definition before anything is invoked. Paths are relative to the definition. */
interface DefinitionFindings {
  /** What is certainly wrong: a dispatch would never work, or would reveal a credential. */
  issues: Issue[];
  warnings: Warning[];
  /** The addresses that URLs name literally. Whether they may be called is for the installation to say. */
  addresses: { path: string; host: string }[];
  /** Where each secret is referred to first. */
  secretPaths: Record<string, string>;
}

/** What is told of a definition that is written; its issues refused it before. */
export type Findings = Omit<DefinitionFindings, 'issues'>;

const FINDINGS_MAX = 100;

/** A single pair of braces, which is sent as it stands, around what is a reference in two. */
const MISSPELT = /\$?\{\s*((?:input|response)[.[][^{}\s]+|secret:[^{}\s]+|(?:invocation|effect)\.id|operationKey)\s*\}/;

/**
 * Checks a definition against itself: references against its schemas, spelling, literals that look like credentials.
 */
export function checkDefinition(
  definition: ActionDefinition,
  descriptor: Pick<AdapterDescriptor, 'texts' | 'secretNames'>,
): DefinitionFindings {
  const findings: DefinitionFindings = { issues: [], warnings: [], addresses: [], secretPaths: {} };
  const { inputSchema, outputSchema } = definition;
  const schemas: Schemas = {
    input: new SchemaPaths(inputSchema),
    output: outputSchema === null ? null : new SchemaPaths(outputSchema),
  };
  findings.warnings.push(...closedPartWarnings(inputSchema, 'inputSchema'));
  if (outputSchema !== null) findings.warnings.push(...closedPartWarnings(outputSchema, 'outputSchema'));
  const texts = descriptor.texts?.(definition) ?? [];
  const files = new FilePaths(texts);
  for (const written of texts) checkText(written, schemas, files, findings);
  for (const name of descriptor.secretNames(definition)) findings.secretPaths[name] ??= 'adapter.config';
  for (const [index, { amount, observed }] of definition.impact.entries()) {
    const at = `impact[${index}]`;
    if ('path' in amount) {
      const steps = parsePath(amount.path)?.slice(1) ?? [];
      const written = { path: `${at}.amount.path`, steps, kind: INPUT_PATHS, mayBeLeftOut: false, isAmount: true };
      checkPath(written, schemas.input, findings);
    }
    const steps = observed === undefined ? null : parseResponsePath(observed.path);
    if (steps === null) continue;
    const written = { path: `${at}.observed.path`, steps, kind: OBSERVED_PATHS, isAmount: true };
    checkResponsePath(written, schemas.output, findings);
  }
  return { ...findings, issues: unique(findings.issues), warnings: unique(findings.warnings) };
}

/** Where the input names files: the service adds to each what it is, which the schema of the input does not describe. */
class FilePaths {
  readonly #paths: string[];

  constructor(texts: readonly WrittenText[]) {
    this.#paths = texts.flatMap(({ text, place }) => {
      const parsed = parseTemplate(text, { secrets: true, response: true, files: place === 'body' });
      if (!parsed.ok) return [];
      return referencesOf(parsed.template).flatMap((one) => (one.kind === 'file' ? [pathText('', one.steps)] : []));
    });
  }

  /** Whether a path leads to what is added: `input.invoice.filename`, `input.photos[0].size`. */
  describes(steps: readonly PathStep[]): boolean {
    const [member, before] = [steps.at(-1), steps.slice(0, -1)];
    if (!ATTACHMENT_MEMBERS.some((name) => name === member)) return false;
    const file = pathText('', before);
    return this.#paths.some((path) => path === file || path === file.replace(/\[\d+\]$/, ''));
  }
}

function checkText(written: WrittenText, schemas: Schemas, files: FilePaths, findings: DefinitionFindings): void {
  const { path, text, place, mayBeLeftOut, ofVerify } = written;
  const parsed = parseTemplate(text, { secrets: true, response: ofVerify, files: place === 'body' });
  if (!parsed.ok) return; // its own parser has reported it
  checkSpelling(path, parsed.template, findings);
  if (place === 'url') collectAddress(path, parsed.template, findings);
  if (place !== 'expected') checkLiteral({ ...written, place }, parsed.template, findings);
  for (const reference of referencesOf(parsed.template)) {
    if (reference.kind === 'secret') findings.secretPaths[reference.name] ??= path;
    else if (reference.kind === 'file') {
      const found = { path, steps: reference.steps, kind: INPUT_PATHS, mayBeLeftOut, isAmount: false, isFile: true };
      checkPath(found, schemas.input, findings);
    } else if (reference.root === 'input') {
      if (files.describes(reference.steps)) continue;
      const found = { path, steps: reference.steps, kind: INPUT_PATHS, mayBeLeftOut, isAmount: false };
      checkPath(found, schemas.input, findings);
    } else if (reference.root === 'response') {
      const found = { path, steps: reference.steps, kind: RESPONSE_PATHS, isAmount: false };
      checkResponsePath(found, schemas.output, findings);
    }
  }
}

/** A path into `{status, headers, body}`. Where there is an outputSchema, it says what the status and the body can be. */
function checkResponsePath(
  written: Omit<CheckedPath, 'mayBeLeftOut'>,
  output: SchemaPaths | null,
  findings: DefinitionFindings,
): void {
  const { path, steps, kind, isAmount } = written;
  const [root, ...rest] = steps;
  const shown = pathText(kind.root, steps);
  if (root === 'status' && rest.length > 0) {
    findings.issues.push({ path, message: `refers to ${shown}, and the status is a number` });
  } else if (root === 'headers' && rest.length > 1) {
    findings.issues.push({ path, message: `refers to ${shown}, and a header is a text` });
  } else if (root === 'headers' && isAmount && rest.length === 0) {
    findings.issues.push({ path, message: 'leads to all headers; name one, such as headers.x-used' });
  } else if (root !== 'headers' && output !== null) {
    // A member that an answer lacks is no mistake: the impact counts in full then, and the read-back is not made.
    checkPath({ ...written, mayBeLeftOut: true }, output, findings);
  }
}

function checkSpelling(path: string, template: Template, { issues }: DefinitionFindings): void {
  for (const segment of template.segments) {
    const [found, inner] = 'text' in segment ? (MISSPELT.exec(segment.text) ?? []) : [];
    if (found === undefined) continue;
    issues.push({
      path,
      message: `has ${shortened(found)}, which is sent as it stands; write {{${shortened(inner ?? '')}}}`,
    });
    return;
  }
}

function checkLiteral(
  { path, place, name }: WrittenText & { place: 'url' | 'query' | 'header' | 'body' },
  template: Template,
  { issues }: DefinitionFindings,
): void {
  const hasReference = referencesOf(template).length > 0;
  const kind = literalCredential({ place, name, literal: markedText(template), hasReference });
  if (kind === null) return;
  const where = place === 'url' ? ' in query or headers' : '';
  issues.push({
    path,
    message: `holds ${kind}, and everyone who may read the action reads it; store it by PUT /api/v2/secrets/NAME and write {{secret:NAME}}${where}`,
  });
}

function collectAddress(path: string, template: Template, { addresses }: DefinitionFindings): void {
  const shape = checkUrlShape(template);
  if (!shape.ok || shape.hostIsTemplated) return;
  const [origin = ''] = /^[^:/?#]+:\/\/[^/?#]+/.exec(template.source) ?? [];
  if (!URL.canParse(origin)) return;
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  if (/^[\d.]+$|:|^(?:.+\.)?localhost$/.test(host)) addresses.push({ path, host });
}

const SHOWN_CHARACTERS_MAX = 80;

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

/** One text may refer to an input twice. */
function unique<Finding extends { path: string; message: string }>(findings: readonly Finding[]): Finding[] {
  const seen = new Map(findings.map((finding) => [`${finding.path} ${finding.message}`, finding]));
  return [...seen.values()].slice(0, FINDINGS_MAX).map(shortFinding);
}
