import { describe, expect, test } from 'vitest';
import { createAdapters } from '../../../../activities/adapters/index.ts';
import { githubIssueCommentDescriptor } from '../../../../domain/adapters/github-issue-comment.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../../domain/egress.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { startFakeGithub } from '../../../harness/providers/fake-github.ts';
import { callsOf } from '../kit.ts';

const github = await startFakeGithub();
const adapterFor = createAdapters({ egressAllow: parseEgressAllow(LOOPBACK_EGRESS) });
const config = { repository: 'acme/app', apiBaseUrl: github.baseUrl };
const comments = callsOf(adapterFor({ type: 'github.issue_comment', version: '1' }), config, {
  GITHUB_TOKEN: github.token,
});

let effects = 0;
let issues = 0;
const newEffect = (): string => `eff_${++effects}`;
const commentOn = (issue: number): JsonObject => ({ issue_number: issue, body: 'Done — see the run.' });

test('comments, with the mark of the effect as the last line', async () => {
  const [effectId, issue] = [newEffect(), ++issues];
  const result = await comments.dispatch(commentOn(issue), effectId);
  const made = github.comments.find((comment) => comment.issue === issue);
  expect(made?.body).toBe(`Done — see the run.\n\n<!-- effect: ${effectId} -->`);
  expect(result).toMatchObject({ outcome: 'succeeded', providerReference: String(made?.id) });
});

test.each([
  ['forbidden', 'failed'],
  ['not_found', 'failed'],
  ['rate_limited', 'failed'],
  ['unavailable', 'unknown'],
  ['error_after_effect', 'unknown'],
  ['malformed_reply', 'unknown'],
] as const)('%s: %s', async (fault, outcome) => {
  github.failNext(fault);
  expect(await comments.dispatch(commentOn(++issues), newEffect())).toMatchObject({ kind: 'answered', outcome });
});

describe('the read-back', () => {
  test('finds the mark on the last page', async () => {
    const [effectId, issue] = [newEffect(), ++issues];
    for (let n = 0; n < 230; n++) github.comments.push({ id: 10_000 + n, issue, body: `no. ${n}`, hiddenFor: 0 });
    github.failNext('lose_reply');
    await comments.dispatch(commentOn(issue), effectId);
    const before = github.requests.length;
    expect(await comments.readBack(commentOn(issue), effectId)).toMatchObject({
      kind: 'matched',
      outcome: 'succeeded',
    });
    expect(github.requests.slice(before).map(({ query }) => query.get('page'))).toEqual(['1', '2', '3']);
  });

  test('none is absent, two are of neither, and a quotation is none', async () => {
    const [effectId, issue] = [newEffect(), ++issues];
    const body = `> <!-- effect: ${effectId} -->\n\nWhat is this?`;
    github.comments.push({ id: 20_000, issue, body, hiddenFor: 0 });
    expect(await comments.readBack(commentOn(issue), effectId)).toMatchObject({ kind: 'absent' });
    github.failNext('two_matches');
    await comments.dispatch(commentOn(issue), effectId);
    expect(await comments.readBack(commentOn(issue), effectId)).toMatchObject({ kind: 'ambiguous' });
  });

  test.each(['unavailable', 'rate_limited', 'malformed_reply', 'reset_after_body'] as const)(
    '%s says nothing',
    async (fault) => {
      github.failReads(fault);
      expect(await comments.readBack(commentOn(++issues), newEffect())).toMatchObject({ kind: 'inconclusive' });
    },
  );
});

test.each<JsonObject>([
  { repository: 'acme' },
  { repository: '../app' },
  { repository: 'acme/..' },
  { repository: 'acme/app/issues/1' },
  { repository: 'acme/app', apiBaseUrl: 'ftp://example.com' },
  { repository: 'acme/app', apiBaseUrl: 'https://me:secret@example.com' },
  { repository: 'acme/app', apiBaseUrl: 'https://example.com/?to=' },
])('takes no config %j', (config) => {
  expect(githubIssueCommentDescriptor.parseConfig(config)).toMatchObject({ ok: false });
});
