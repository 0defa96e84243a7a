import { z } from 'zod';
import { issuesOfZod } from '../adapters/http-request-rules.ts';
import type { Issue } from '../errors.ts';
import { atOnce, type InSteps } from '../in-steps.ts';
import { isJsonObject, jsonDepthExceeds } from '../json.ts';
import { ROLES } from '../roles.ts';
import { plainMessages } from '../json-schema/schema-messages.ts';
import { boundDocument, parseDocumentText } from './document-text.ts';
import { isoDurationSeconds } from './durations.ts';
import { DOCUMENT_PATTERN_PROGRAMS_MAX, EXPRESSION_CHARACTERS_MAX } from '../cel/limits.ts';
import { compileCondition } from './condition.ts';
import { POLICY_EFFECTS } from './verdict.ts';

export const POLICY_SCHEMA = 'approval-policy/v1';
export const RULES_MAX = 200;
export const GLOBS_MAX = 50;
export const GLOB_CHARACTERS_MAX = 128;
export const APPROVERS_MAX = 100;
/** All conditions of a document together: parsing them is the costliest part of writing one. */
export const CONDITION_CHARACTERS_MAX = 32_000;
export const EXPIRES_IN_DEFAULT = 'PT24H';
const EXPIRES_IN_SECONDS_MIN = 60;
const EXPIRES_IN_SECONDS_MAX = 30 * 86_400;
const PRIORITY_MAX = 1_000_000;
const DOCUMENT_DEPTH_MAX = 10;
const ISSUES_MAX = 50;
/** Reading YAML of this length takes a few milliseconds. */
const FORM_CHARACTERS_MAX = 16_384;

const RULE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;

const text = (charactersMax: number) =>
  z.string().min(1).max(charactersMax).regex(PRINTABLE, 'holds a character that cannot be shown');

const globsOf = (glob: z.ZodType<string>) =>
  z.array(glob).min(1, 'names nothing, so that the rule could never match: leave it out to match all').max(GLOBS_MAX);
const globs = globsOf(text(GLOB_CHARACTERS_MAX));
/** An action's name is never `Refund.*` or an id: a deny rule for one would match nothing and let everything pass. */
const nameGlobs = globsOf(
  text(GLOB_CHARACTERS_MAX).regex(
    /^[a-z0-9_.*?-]+$/,
    'could match no name: names are in lower case, and ids are no names',
  ),
);

const matchSchema = z.strictObject({
  actions: nameGlobs.optional(),
  adapters: nameGlobs.optional(),
  agents: globs.optional(),
  keys: globs.optional(),
  tags: globs.optional(),
});

const names = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1, 'names nobody, so that nobody could approve: leave it out').max(APPROVERS_MAX);

const approversSchema = z.strictObject({
  roles: names(z.enum(ROLES)).optional(),
  users: names(text(320)).optional(),
  keys: names(text(100)).optional(),
});

const expiresInSchema = z.string().superRefine((value, context) => {
  const seconds = isoDurationSeconds(value);
  if (seconds === null) {
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 duration such as PT24H or P7D' });
  } else if (seconds < EXPIRES_IN_SECONDS_MIN || seconds > EXPIRES_IN_SECONDS_MAX) {
    context.addIssue({ code: 'custom', message: 'must be from PT1M to P30D' });
  }
});

const approvalSchema = z.strictObject({
  quorum: z.int().min(1).max(10).default(1),
  approvers: approversSchema.default({}),
  preventSelf: z.boolean().default(true),
  expiresIn: expiresInSchema.default(EXPIRES_IN_DEFAULT),
  onExpiry: z.literal('deny').default('deny'),
});

const ruleSchema = z
  .strictObject({
    id: z
      .string()
      .regex(
        RULE_ID,
        'must be 1 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit',
      ),
    match: matchSchema,
    when: z.string().min(1).max(EXPRESSION_CHARACTERS_MAX).optional(),
    effect: z.enum(POLICY_EFFECTS),
    approval: approvalSchema.optional(),
  })
  .superRefine((rule, context) => {
    if (rule.approval !== undefined && rule.effect !== 'require_approval') {
      context.addIssue({ code: 'custom', path: ['approval'], message: 'is only for the effect require_approval' });
    }
  });

const rulesSchema = z
  .array(ruleSchema)
  .min(1)
  .max(RULES_MAX)
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    rules.forEach((rule, index) => {
      if (seen.has(rule.id))
        context.addIssue({ code: 'custom', path: [index, 'id'], message: 'is the id of an earlier rule' });
      seen.add(rule.id);
    });
    if (conditionCharactersOf({ rules }) > CONDITION_CHARACTERS_MAX) {
      context.addIssue({
        code: 'custom',
        message: `hold more than ${CONDITION_CHARACTERS_MAX} characters of conditions together`,
      });
    }
  });

/** A policy document. The database and the API keep it with its defaults filled in. The members: docs/approval-policies.md. */
export const policyDocumentSchema = z.strictObject({
  schema: z.literal(POLICY_SCHEMA),
  name: text(100),
  priority: z.int().min(-PRIORITY_MAX).max(PRIORITY_MAX).default(0),
  rules: rulesSchema,
});

export type PolicyDocument = z.infer<typeof policyDocumentSchema>;
export type PolicyRule = PolicyDocument['rules'][number];

export type ParsedPolicyDocument = { ok: true; document: PolicyDocument } | { ok: false; issues: Issue[] };

/** Checks a policy document (an object, or YAML or JSON). Compiles each condition as a step. `root`: path of issues. */
export function* policyDocumentInSteps(
  value: unknown,
  root = 'document',
  { isFormOnly = false } = {},
): InSteps<ParsedPolicyDocument> {
  const read = typeof value === 'string' ? parseDocumentText(value, root) : boundDocument(value, root);
  if (!read.ok) return read;
  yield;
  if (jsonDepthExceeds(read.value, DOCUMENT_DEPTH_MAX)) {
    return { ok: false, issues: [{ path: root, message: 'is nested too deeply' }] };
  }
  const tooMany = tooManyRules(read.value, root);
  if (tooMany !== null) return { ok: false, issues: [tooMany] };
  const parsed = policyDocumentSchema.safeParse(read.value, { error: plainMessages });
  if (!parsed.success) {
    const issues = issuesOfZod(parsed.error).map((issue) => ({ ...issue, path: rooted(root, issue.path) }));
    return { ok: false, issues: issues.slice(0, ISSUES_MAX) };
  }
  const issues = isFormOnly ? [] : yield* conditionIssues(parsed.data, root);
  return issues.length > 0 ? { ok: false, issues } : { ok: true, document: parsed.data };
}

/** Issues of a document's form, without its conditions, which take time. For requests that are refused anyway. */
export function documentFormIssues(value: unknown, root: string): Issue[] {
  if (typeof value === 'string' ? value.length > FORM_CHARACTERS_MAX : !isJsonObject(value)) return [];
  const steps = policyDocumentInSteps(value, root, { isFormOnly: true });
  const parsed = atOnce(steps);
  return parsed.ok ? [] : parsed.issues;
}

export function parsePolicyDocument(value: unknown, root?: string): ParsedPolicyDocument {
  return atOnce(policyDocumentInSteps(value, root));
}

/** The time to compile a document grows with this, and so does the memory of its compiled conditions. */
export function conditionCharactersOf({ rules }: { rules: readonly { when?: string | undefined }[] }): number {
  return rules.reduce((sum, { when }) => sum + (when?.length ?? 0), 0);
}

/** Counted before the schema runs: it checks every rule before it counts them. */
function tooManyRules(value: unknown, root: string): Issue | null {
  const rules = isJsonObject(value) ? value['rules'] : undefined;
  if (!Array.isArray(rules) || rules.length <= RULES_MAX) return null;
  return { path: `${root}.rules`, message: `has more than ${RULES_MAX} rules` };
}

function rooted(root: string, path: string): string {
  return path === '' ? root : `${root}.${path}`;
}

function* conditionIssues(document: PolicyDocument, root: string): InSteps<Issue[]> {
  const issues: Issue[] = [];
  let patternSize = 0;
  for (const [index, { when }] of document.rules.entries()) {
    if (when === undefined) continue;
    yield;
    const compiled = compileCondition(when);
    const path = `${root}.rules[${index}].when`;
    if (!compiled.ok) {
      issues.push({ path, message: compiled.message });
      continue;
    }
    patternSize += compiled.expression.patternSize;
    if (patternSize <= DOCUMENT_PATTERN_PROGRAMS_MAX) continue;
    const message = `has patterns that, with those before it, are larger than a document may have: write fewer or shorter repetitions such as {1,64}`;
    return [...issues, { path, message }];
  }
  return issues;
}
