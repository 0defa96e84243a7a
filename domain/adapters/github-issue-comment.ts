import { z } from 'zod';
import type { ActionDefinition, AdapterCapabilities } from '../actions.ts';
import { canonicalJson } from '../canonical-json.ts';
import { baseUrlSchema } from '../base-url.ts';
import type { JsonObject } from '../json.ts';
import type { PreviewBlock } from './preview-block.ts';
import type { AdapterDescriptor, Preparation, PreparationInput, ProviderResponse } from './adapter-descriptor.ts';
import type { Judged } from './judged.ts';
import {
  inputIssues,
  issuesOfVerify,
  parseConfigWith,
  secretNameSchema,
  storedConfig,
  withBearer,
} from './provider-request.ts';
import { USER_AGENT } from '../product.ts';

/** `github.issue_comment`: a comment on an issue or a pull request. Written as docs/adapters/writing-an-adapter.md says. */

const configSchema = z.strictObject({
  repository: z.string().regex(/^[A-Za-z0-9-]{1,39}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'must be owner/name'),
  secret: secretNameSchema.default('GITHUB_TOKEN'),
  /** For GitHub Enterprise Server: `https://github.example.com/api/v3`. */
  apiBaseUrl: z.string().max(512).pipe(baseUrlSchema).default('https://api.github.com'),
});

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  required: ['issue_number', 'body'],
  properties: {
    issue_number: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
    body: { type: 'string', minLength: 1, maxLength: 60_000 },
  },
  additionalProperties: false,
};

interface CommentInput {
  issue_number: number;
  body: string;
}

/** GitHub keeps no keys: a comment is found by the mark that it carries, and is never sent again by us. */
const CAPABILITIES: AdapterCapabilities = {
  idempotent: false,
  idempotencyWindowSeconds: null,
  lookup: 'by_key',
  replay: false,
  preview: true,
  reversible: false,
};

export const githubIssueCommentDescriptor: AdapterDescriptor = {
  type: 'github.issue_comment',
  version: '1',
  capabilitiesFor: () => CAPABILITIES,
  parseConfig: (config) => parseConfigWith(configSchema, config),
  secretNames: (definition) => [githubConfigOf(definition).secret],
  prepare,
  readsBack: () => true,
  inspects: false,
  writes: () => true,
  alwaysGoverned: true,
  inputSchema: INPUT_SCHEMA,
  definitionIssues: issuesOfVerify,
  impactDimensions: ['resource_mutations'],
  impactOf: () => ({ ok: true, quantities: [{ dimension: 'resource_mutations', amount: 1, bound: 'exact' }] }),
  previewBlocks,
};

export function githubConfigOf(definition: ActionDefinition): z.infer<typeof configSchema> {
  return storedConfig(configSchema, definition);
}

/** The last line of every comment of ours. GitHub does not show it. */
function markOf(effectId: string): string {
  return `<!-- effect: ${effectId} -->`;
}

export function commentsUrl(definition: ActionDefinition, input: JsonObject): string {
  const { apiBaseUrl, repository } = githubConfigOf(definition);
  const { issue_number } = input as unknown as CommentInput;
  return `${apiBaseUrl}/repos/${repository}/issues/${issue_number}/comments`;
}

export function githubHeaders(authorization: string): Record<string, string> {
  return {
    Accept: 'application/vnd.github+json',
    Authorization: authorization,
    'User-Agent': USER_AGENT,
    'X-GitHub-Api-Version': '2022-11-28',
  };
}

function prepare({ definition, input, identity, secrets }: PreparationInput): Preparation {
  const { repository, secret } = githubConfigOf(definition);
  const issues = inputIssues(INPUT_SCHEMA, input);
  if (issues.length > 0) return { kind: 'invalid', issues };
  const { issue_number, body } = input as unknown as CommentInput;
  const url = commentsUrl(definition, input);
  return withBearer({
    secretName: secret,
    secrets,
    target: { provider: 'github', host: new URL(url).host, repository, issue: issue_number },
    build: (authorization) => ({
      method: 'POST',
      url,
      headers: { ...githubHeaders(authorization), 'Content-Type': 'application/json' },
      body: canonicalJson({ body: `${body}\n\n${markOf(identity.effectId)}` }),
      bodyEncoding: 'utf8',
    }),
  });
}

function previewBlocks(definition: ActionDefinition, input: JsonObject): PreviewBlock[] {
  const { issue_number, body } = input as unknown as CommentInput;
  const { repository } = githubConfigOf(definition);
  return [
    { type: 'fields', title: 'Comment', fields: [{ label: 'Issue', value: `${repository}#${issue_number}` }] },
    { type: 'text_diff', title: 'Text', before: '', after: body },
    {
      type: 'limitations',
      title: 'What to know of a comment',
      items: [
        { kind: 'irreversible', text: 'A comment can be deleted; those who were notified have read it.' },
        { kind: 'unsupported', text: 'GitHub keeps no idempotency keys: there is no replay.' },
      ],
    },
  ];
}

const commentSchema = z.object({ id: z.int().min(1), body: z.string().nullish() });
const commentsSchema = z.array(commentSchema).max(100);
export type GithubComment = z.infer<typeof commentSchema>;

/** Null where the body is none. */
const readComment = (body: unknown): GithubComment | null => commentSchema.safeParse(body).data ?? null;
export const readComments = (body: unknown): GithubComment[] | null => commentsSchema.safeParse(body).data ?? null;

export function carriesMark(comment: GithubComment, effectId: string): boolean {
  return comment.body?.trimEnd().endsWith(markOf(effectId)) === true;
}

/** Not 409: the conflict may be with our own request. GitHub also answers 403 and 429 when it limits the rate. */
const REJECTIONS: readonly number[] = [400, 401, 403, 404, 410, 413, 415, 422, 429];

export function judgeCommentReply(response: ProviderResponse, effectId: string): Judged {
  const summary = `GitHub answered ${response.status}`;
  if (response.status === 201) {
    const comment = readComment(response.body);
    if (comment !== null && carriesMark(comment, effectId)) {
      const id = String(comment.id);
      return {
        outcome: 'succeeded',
        partialEffect: 'none',
        summary: `${summary}: comment ${id}`,
        providerReference: id,
        providerIds: { comment: id },
      };
    }
  }
  const nothing = { summary, providerReference: null, providerIds: {} };
  if (REJECTIONS.includes(response.status)) return { outcome: 'failed', partialEffect: 'none', ...nothing };
  return { outcome: 'unknown', partialEffect: 'possible', ...nothing };
}
