import type { PreparedRequest, ProviderResponse } from '../../../domain/adapters/adapter-descriptor.ts';
import {
  carriesMark,
  commentsUrl,
  githubConfigOf,
  githubHeaders,
  githubIssueCommentDescriptor,
  judgeCommentReply,
  readComments,
  type GithubComment,
} from '../../../domain/adapters/github-issue-comment.ts';
import type { Adapter, ReadBackInput, ReadBackResult } from '../adapter.ts';
import { callProvider, dispatchResult } from '../call-provider.ts';
import type { SendOptions } from '../http-request/send-request.ts';

const PAGE_SIZE = 100;
/** An issue with more than ten thousand comments is not judged. */
const PAGES_MAX = 100;

export function createGithubIssueCommentAdapter(options: SendOptions): Adapter {
  return {
    descriptor: githubIssueCommentDescriptor,
    async dispatch(input) {
      const placed = { ...options, baseUrl: new URL(input.request.url).origin };
      const called = await callProvider(placed, input.request, input.secrets, input);
      const effectId = effectIdOf(input.request);
      return dispatchResult('GitHub', called, (response) => judgeCommentReply(response, effectId));
    },
    readBack: (input) => findComment(options, input),
  };
}

/** The mark ends the approved body. */
function effectIdOf({ body }: PreparedRequest): string {
  return /<!-- effect: (\S+) -->"\}$/.exec(body ?? '')?.[1] ?? '';
}

/** Finds the mark among the issue's comments. Absence proves nothing: a listing may lag, a comment may be deleted. */
async function findComment(options: SendOptions, input: ReadBackInput): Promise<ReadBackResult> {
  const found = new Map<number, GithubComment>();
  const endsAt = Date.now() + input.timeoutMs;
  for (let page = 1; page <= PAGES_MAX; page++) {
    const read = await readPage(options, input, page, endsAt - Date.now());
    if ('kind' in read) return read;
    for (const comment of read.comments) {
      if (carriesMark(comment, input.identity.effectId)) found.set(comment.id, comment);
    }
    if (read.comments.length < PAGE_SIZE) return judgeFound([...found.keys()], read.response);
  }
  return { kind: 'inconclusive', summary: 'the issue has more comments than are read', response: null };
}

type Page = { comments: GithubComment[]; response: ProviderResponse };

async function readPage(
  options: SendOptions,
  { definition, input, secrets, signal }: ReadBackInput,
  page: number,
  leftMs: number,
): Promise<Page | ReadBackResult> {
  if (leftMs <= 0) return { kind: 'inconclusive', summary: 'the time-out was reached', response: null };
  const url = `${commentsUrl(definition, input)}?per_page=${PAGE_SIZE}&page=${page}`;
  const credential = secrets.get(githubConfigOf(definition).secret) ?? '';
  const request: PreparedRequest = {
    method: 'GET',
    url,
    headers: githubHeaders(`Bearer ${credential}`),
    body: null,
    bodyEncoding: 'utf8',
  };
  const placed = { ...options, baseUrl: new URL(url).origin };
  const called = await callProvider(placed, request, secrets, { timeoutMs: leftMs, signal });
  if (called.kind !== 'response') {
    return { kind: 'inconclusive', summary: `the comments could not be read: ${called.reason}`, response: null };
  }
  const { response, unreadable } = called;
  const comments = response.status === 200 && unreadable === null ? readComments(response.body) : null;
  if (comments !== null) return { comments, response };
  const summary = `reading the comments, GitHub answered ${response.status}`;
  const mayNot = response.status === 401 || response.status === 403;
  return mayNot ? { kind: 'unreadable', summary } : { kind: 'inconclusive', summary, response };
}

function judgeFound(ids: number[], response: ProviderResponse): ReadBackResult {
  const [id, ...others] = ids;
  if (id === undefined) return { kind: 'absent', summary: 'no comment of the issue carries the mark', response };
  if (others.length > 0) {
    const summary = `${ids.length} comments carry the mark: ${ids.join(', ')}`;
    return { kind: 'ambiguous', summary, response };
  }
  const summary = `comment ${id} carries the mark`;
  return { kind: 'matched', outcome: 'succeeded', summary, response, providerReference: String(id) };
}
