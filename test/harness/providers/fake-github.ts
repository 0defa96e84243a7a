import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { startProvider, type ProviderReply, type ProviderServer } from './provider-server.ts';

/**
 * A GitHub with one repository, `acme/app`, whose issues take comments: `POST` and `GET /repos/acme/app/issues/{n}/comments`.
 * It keeps no idempotency keys: a request sent twice makes two comments.
 *
 * Beside the faults of provider-server.ts, for `failNext`:
 * - `forbidden` 403; `not_found` 404
 * - `lag`: the comment is made, the reply is lost, and the first two listings do not show the comment
 * - `two_matches`: the comment is made twice (someone else copied it), and the reply is lost
 */
export const GITHUB_FAULTS = ['forbidden', 'not_found', 'lag', 'two_matches'] as const;
export type GithubFault = (typeof GITHUB_FAULTS)[number];

const LAGGING_LISTINGS = 2;
const isGithubFault = (fault: string): fault is GithubFault => (GITHUB_FAULTS as readonly string[]).includes(fault);

export interface FakeComment {
  id: number;
  issue: number;
  body: string;
  hiddenFor: number;
}

export interface FakeGithub extends ProviderServer<GithubFault> {
  token: string;
  comments: FakeComment[];
}

export async function startFakeGithub(): Promise<FakeGithub> {
  const token = 'ghp_FakeFakeFakeFakeFake';
  const comments: FakeComment[] = [];

  const add = (issue: number, body: string, hiddenFor: number): JsonObject => {
    const comment = { id: comments.length + 1, issue, body, hiddenFor };
    comments.push(comment);
    return { id: comment.id, body };
  };

  const list = (issue: number, query: URLSearchParams): ProviderReply => {
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)];
    const all = comments.filter((comment) => comment.issue === issue);
    const shown = all.filter(({ hiddenFor }) => hiddenFor === 0);
    if (page === 1) for (const comment of all) if (comment.hiddenFor > 0) comment.hiddenFor--;
    return { status: 200, body: shown.slice((page - 1) * size, page * size).map(({ id, body }) => ({ id, body })) };
  };

  const server = await startProvider<GithubFault>(
    {
      handle(request, fault) {
        if (request.headers.authorization !== `Bearer ${token}`) return message(401, 'Bad credentials');
        if (request.headers['user-agent'] === undefined || fault === 'forbidden') return message(403, 'Forbidden');
        const [, issue] = /^\/repos\/acme\/app\/issues\/(\d+)\/comments$/.exec(request.path) ?? [];
        if (issue === undefined || fault === 'not_found') return message(404, 'Not Found');
        if (request.method === 'GET') return list(Number(issue), request.query);
        const sent = JSON.parse(request.body) as unknown;
        if (!isJsonObject(sent) || typeof sent['body'] !== 'string') return message(422, 'Validation Failed');
        const made = add(Number(issue), sent['body'], fault === 'lag' ? LAGGING_LISTINGS : 0);
        if (fault === 'two_matches') add(Number(issue), sent['body'], 0);
        return fault === 'lag' || fault === 'two_matches' ? { status: 0, body: null } : { status: 201, body: made };
      },
      refusal: (status) => message(status, 'GitHub has a bad day'),
    },
    isGithubFault,
  );
  return Object.assign(server, { token, comments });
}

function message(status: number, text: string): ProviderReply {
  return { status, body: { message: text } };
}
