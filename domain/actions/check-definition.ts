import type { ActionDefinition } from '../actions.ts';
import type { AdapterDescriptor } from '../adapters/adapter-descriptor.ts';
import type { WrittenText } from '../adapters/adapter-descriptor.ts';
import type { Issue } from '../errors.ts';
import { type PathStep, parsePath, pathText } from '../json-path.ts';
import { nearNames } from '../near-names.ts';
import { checkUrlShape, markedText } from '../template-rendering.ts';
import { parseTemplate, referencesOf, type Template } from '../templates.ts';
import { literalCredential } from './literal-credentials.ts';
import { SchemaPaths } from './schema-paths.ts';
import type { Warning } from './warnings.ts';

/** What can be told of a definition before anything is invoked. Paths are relative to the definition. */
export interface DefinitionFindings {
  /** What is certainly wrong: a dispatch would never work, or would reveal a credential. */
  issues: Issue[];
  warnings: Warning[];
  /** The addresses that URLs name literally. Whether they may be called is for the installation to say. */
  addresses: { path: string; host: string }[];
  /** Where each secret is referred to first. */
  secretPaths: Record<string, string>;
}

const FINDINGS_MAX = 100;
const NAMES_SHOWN_MAX = 10;
const NUMBERS: readonly string[] = ['integer', 'number'];

/** A single pair of braces, which is sent as it stands, around what is a reference in two. */
const MISSPELT = /\$?\{\s*((?:input|response)[.[][^{}\s]+|secret:[^{}\s]+|(?:invocation|effect)\.id|operationKey)\s*\}/;

/**
 * Checks what a definition says against itself: references against its input schema, their spelling, and literals that look like
 * credentials. The config and the schemas were checked before.
 */
export function checkDefinition(
  definition: ActionDefinition,
  descriptor: Pick<AdapterDescriptor, 'texts' | 'secretNames'>,
): DefinitionFindings {
  const findings: DefinitionFindings = { issues: [], warnings: [], addresses: [], secretPaths: {} };
  const paths = new SchemaPaths(definition.inputSchema);
  for (const written of descriptor.texts?.(definition) ?? []) checkText(written, paths, findings);
  for (const name of descriptor.secretNames(definition)) findings.secretPaths[name] ??= 'adapter.config';
  for (const [index, { amount }] of definition.impact.entries()) {
    if (!('path' in amount)) continue;
    const steps = parsePath(amount.path)?.slice(1) ?? [];
    checkInputPath(
      { path: `impact[${index}].amount.path`, steps, mayBeLeftOut: false, isAmount: true },
      paths,
      findings,
    );
  }
  return { ...findings, issues: unique(findings.issues), warnings: unique(findings.warnings) };
}

function checkText(written: WrittenText, paths: SchemaPaths, findings: DefinitionFindings): void {
  const { path, text, place, mayBeLeftOut, ofVerify } = written;
  const parsed = parseTemplate(text, { secrets: true, response: ofVerify });
  if (!parsed.ok) return; // its own parser has reported it
  checkSpelling(path, parsed.template, findings);
  if (place === 'url') collectAddress(path, parsed.template, findings);
  if (place !== 'expected') checkLiteral({ ...written, place }, parsed.template, findings);
  for (const reference of referencesOf(parsed.template)) {
    if (reference.kind === 'secret') findings.secretPaths[reference.name] ??= path;
    else if (reference.root === 'input') {
      checkInputPath({ path, steps: reference.steps, mayBeLeftOut, isAmount: false }, paths, findings);
    }
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

interface CheckedPath {
  /** Where it is written. */
  path: string;
  steps: readonly PathStep[];
  mayBeLeftOut: boolean;
  isAmount: boolean;
}

function checkInputPath(
  { path, steps, mayBeLeftOut, isAmount }: CheckedPath,
  paths: SchemaPaths,
  { issues, warnings }: DefinitionFindings,
): void {
  const shown = pathText('input', steps);
  const answer = paths.answer(steps);
  if (answer.kind === 'impossible') {
    const { step, why, names } = answer;
    const before = pathText('input', steps.slice(0, step));
    issues.push({ path, message: impossibleMessage(shown, before, steps, { step, why, names }) });
    return;
  }
  if (answer.kind === 'open') {
    const message = `refers to ${shown}, which the inputSchema does not describe`;
    warnings.push({ path, code: 'input_not_described', message });
    return;
  }
  const { types } = answer;
  if (isAmount && types !== null && !NUMBERS.some((type) => types.has(type))) {
    const message = `leads to ${shown}, which the inputSchema makes ${[...types].join(' or ')}; an amount is a whole number`;
    issues.push({ path, message });
  } else if (!answer.required && !mayBeLeftOut) {
    const message = `needs ${shown}, which the inputSchema does not require`;
    warnings.push({ path, code: 'input_may_be_missing', message });
  }
}

function impossibleMessage(
  shown: string,
  before: string,
  steps: readonly PathStep[],
  { step, why, names }: { step: number; why: 'closed' | 'no_container'; names: string[] },
): string {
  const name = steps[step];
  if (why === 'no_container') {
    const kind = typeof name === 'number' ? 'array' : 'object';
    return `refers to ${shown}, and by the inputSchema ${before} is no ${kind}`;
  }
  const [near] = typeof name === 'string' ? nearNames(name, names) : [];
  if (near !== undefined) {
    const meant = pathText(
      'input',
      steps.map((one, index) => (index === step ? near : one)),
    );
    return `refers to ${shown}, which the inputSchema does not allow; did you mean ${meant}?`;
  }
  const members = names.slice(0, NAMES_SHOWN_MAX).join(', ');
  const there = names.length === 0 ? '' : `; ${before} has ${members}${names.length > NAMES_SHOWN_MAX ? ', …' : ''}`;
  return `refers to ${shown}, which the inputSchema does not allow${there}`;
}

const SHOWN_CHARACTERS_MAX = 80;

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

/** One text may refer to an input twice. */
function unique<Finding extends { path: string; message: string }>(findings: readonly Finding[]): Finding[] {
  const seen = new Map(findings.map((finding) => [`${finding.path} ${finding.message}`, finding]));
  return [...seen.values()].slice(0, FINDINGS_MAX);
}
