import { describe, expect, test } from 'vitest';
import { endSession } from '../../../db/auth/sessions.ts';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { call, startTestApi } from '../harness/test-api.ts';
import { type Approval, approvalIn } from '../approvals/support.ts';
import { decoded, hiddenFields, openApproval, pathOf, textOfId, Visitor } from './support.ts';

/** The pages over plain HTTP with a cookie jar: who sees them, what they refuse, and that a decision is the one of the API. */
const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant);
const owner = await createPerson(api, 'owner');
const visitor = visitorOf(owner);

function visitorOf({ token }: Pick<TestPerson, 'token'>): Visitor {
  return new Visitor(api, { 'service-session': token });
}

async function read(id: string): Promise<Approval> {
  return approvalIn(await api.call('GET', `/api/v2/approvals/${id}`, { key }));
}

describe('sign-in', () => {
  test('leads from the link to the page and back, with a session cookie that no script reads', async () => {
    const person = await createPerson(api, 'admin');
    const approval = await openApproval(api, key);
    const path = pathOf(api, approval);
    const browser = new Visitor(api);
    const sent = await browser.get(path);
    expect([sent.status, sent.location]).toEqual([
      303,
      `/console/sign-in?${new URLSearchParams({ next: path }).toString()}`,
    ]);
    const signedIn = await browser.submit(sent.location ?? '', {
      email: person.email.toUpperCase(),
      password: PASSWORD,
    });
    expect([signedIn.status, signedIn.location]).toEqual([303, path]);
    expect(signedIn.headers.get('Set-Cookie')).toMatch(/^service-session=[^;]+; Path=\/; .*HttpOnly; SameSite=Lax$/);
    expect((await browser.get(path)).text).toContain(approval.title);
    const out = await browser.post('/console/sign-out', hiddenFields((await browser.get('/console')).text));
    expect([out.status, out.location, browser.cookies.size]).toEqual([303, '/console/sign-in', 0]);
    expect((await browser.get(path)).status).toBe(303);
  });

  test('answers a wrong password and an unknown address alike, shows the address again, and is throttled', async () => {
    const { email } = await createPerson(api, 'member');
    const browser = new Visitor(api);
    const wrong = await browser.submit('/console/sign-in', { email, password: 'not this one' });
    const unknown = await browser.submit('/console/sign-in', {
      email: 'nobody@example.test',
      password: 'not this one',
    });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const alike = (text: string, address: string): string => text.replace(address, '').replace(/nonce="[^"]+"/, '');
    expect(alike(wrong.text, email)).toBe(alike(unknown.text, 'nobody@example.test'));
    expect(wrong.text).toContain(`value="${email}"`);
    expect(wrong.text).not.toContain('not this one');
    let last = wrong;
    for (let attempt = 0; attempt < 20 && last.status === 401; attempt++) {
      last = await browser.submit('/console/sign-in', { email, password: 'not this one' });
    }
    expect(last.status).toBe(429);
    expect(last.text).toMatch(/Too many failed sign-ins\. Try again in \d+ seconds/);
  });

  test.each([
    'https://evil.example/console',
    '//evil.example/console',
    '/\\evil.example',
    '/console/../..//evil.example',
    '/consoles',
    'javascript:alert(1)',
    '/api/v2/auth/session',
    '',
  ])('does not lead to %j', async (next) => {
    const person = await createPerson(api, 'member');
    const browser = new Visitor(api);
    const path = `/console/sign-in?${new URLSearchParams({ next }).toString()}`;
    expect(hiddenFields((await browser.get(path)).text)).toEqual({ next: '/console', credential: '' });
    const form = { next, email: person.email, password: PASSWORD };
    expect((await browser.post('/console/sign-in', form)).location).toBe('/console');
  });

  test('of another site is refused', async () => {
    const form = { email: owner.email, password: PASSWORD };
    const reply = await new Visitor(api).post('/console/sign-in', form, { Origin: 'https://evil.example' });
    expect([reply.status, reply.headers.get('Set-Cookie')]).toEqual([403, null]);
  });
});

describe('a decision', () => {
  test('is the one of the API: counted, audited, by this session; reloading decides nothing again', async () => {
    const approval = await openApproval(api, key, { quorum: 2 });
    const path = pathOf(api, approval);
    const decided = await visitor.submit(path, { decision: 'approve', note: 'Looked at it.\r\nFine.' });
    expect([decided.status, decided.location]).toEqual([303, path]);
    const { status, quorum, decisions } = await read(approval.id);
    expect([status, quorum.received]).toEqual(['pending', 1]);
    expect(decisions).toMatchObject([
      {
        actor: { type: 'user', id: owner.userId },
        decision: 'approve',
        note: 'Looked at it.\nFine.',
        bindingDigest: approval.bindingDigest,
        authentication: { method: 'password', sessionId: owner.sessionId, role: 'owner' },
      },
    ]);
    const entries = await api.database.asOwner(
      `SELECT actor_id FROM audit_log WHERE action = 'approval.approved' AND target_id = $1`,
      [approval.id],
    );
    expect(entries).toEqual([{ actor_id: owner.userId }]);
    const page = await visitor.get(path);
    expect(page.text).toContain('You have approved this.');
    expect(page.text).not.toContain('value="approve"');
    // The same form, sent again from an old tab.
    const form = { csrfToken: owner.csrfToken, bindingDigest: approval.bindingDigest, decision: 'approve' };
    const again = await visitor.post(path, form);
    expect(again.status).toBe(409);
    expect(again.text).toContain('You have decided on this approval already');
    expect((await read(approval.id)).decisions).toHaveLength(1);
  });

  test('to deny needs a note, and ends it', async () => {
    const approval = await openApproval(api, key);
    const path = pathOf(api, approval);
    const bare = await visitor.submit(path, { decision: 'deny', note: ' ' });
    expect([bare.status, (await read(approval.id)).status]).toEqual([400, 'pending']);
    expect(bare.text).toContain('Say in the note why you deny it.');
    expect((await visitor.submit(path, { decision: 'deny', note: 'Not on a Friday.' })).status).toBe(303);
    expect(await read(approval.id)).toMatchObject({ status: 'denied', decisions: [{ note: 'Not on a Friday.' }] });
  });

  test('on another digest, an ended or an expired approval is refused on the page, which says so', async () => {
    const [changed, ended, expired] = await Promise.all([
      openApproval(api, key),
      openApproval(api, key),
      openApproval(api, key),
    ]);
    const form = (approval: Approval): Record<string, string> => ({
      csrfToken: owner.csrfToken,
      bindingDigest: approval.bindingDigest,
      decision: 'approve',
      note: 'My words.',
    });
    const other = await visitor.post(pathOf(api, changed), { ...form(changed), bindingDigest: ended.bindingDigest });
    expect(other.status).toBe(409);
    expect(other.text).toContain('This bindingDigest is not that of the approval.');
    expect(other.text).toContain('My words.</textarea>');
    await api.call('POST', `/api/v2/approvals/${ended.id}/deny`, {
      key: (await api.createKey(api.database.tenant)).key,
      body: { note: 'no' },
    });
    const late = await visitor.post(pathOf(api, ended), form(ended));
    expect(late.status).toBe(409);
    expect(late.text).toContain('This approval is denied: it takes no decision any more.');
    await api.database.asOwner(
      `ALTER TABLE approvals DISABLE TRIGGER USER;
       UPDATE approvals SET created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour' WHERE id = '${expired.id}';
       ALTER TABLE approvals ENABLE TRIGGER USER`,
    );
    const gone = await visitor.post(pathOf(api, expired), form(expired));
    expect(gone.status).toBe(409);
    expect(gone.text).toMatch(/This approval expired at .+: it takes no decision any more\./);
    for (const { id } of [changed, expired]) expect((await read(id)).decisions).toEqual([]);
  });

  test('takes the role: a member who is no approver sees the page and cannot decide', async () => {
    const member = await createPerson(api, 'member');
    const approval = await openApproval(api, key);
    const page = await visitorOf(member).get(pathOf(api, approval));
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<button class=');
    const form = { csrfToken: member.csrfToken, bindingDigest: approval.bindingDigest, decision: 'approve' };
    const refused = await visitorOf(member).post(pathOf(api, approval), form);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('You are not among the approvers');
    expect((await read(approval.id)).decisions).toEqual([]);
  });

  test('of another site, without the token of this session or after it ended, is not taken', async () => {
    const person = await createPerson(api, 'admin');
    const browser = visitorOf(person);
    const approval = await openApproval(api, key);
    const path = pathOf(api, approval);
    const form = { csrfToken: person.csrfToken, bindingDigest: approval.bindingDigest, decision: 'approve' };
    expect((await browser.post(path, form, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await browser.post(path, form, { Origin: 'null' })).status).toBe(403);
    expect((await browser.post(path, form, { Origin: '' })).status).toBe(403);
    expect((await browser.post(path, { ...form, csrfToken: '' })).status).toBe(403);
    const stale = await browser.post(path, { ...form, csrfToken: owner.csrfToken });
    expect(stale.status).toBe(403);
    expect(stale.text).toContain('This page is of an earlier sign-in.');
    // The API's header does not replace the field of the form.
    expect((await browser.post(path, { ...form, csrfToken: '' }, { 'X-CSRF-Token': person.csrfToken })).status).toBe(
      403,
    );
    await api.database.db.withUser(person.userId, (tx) => endSession(tx, person.sessionId));
    const signedOut = await browser.post(path, form);
    expect(signedOut.status).toBe(401);
    expect(signedOut.text).toContain('What you sent was not carried out');
    expect(signedOut.text).toContain(`href="/console/sign-in?${new URLSearchParams({ next: path }).toString()}"`);
    expect((await read(approval.id)).decisions).toEqual([]);
  });
});

describe('a page', () => {
  test('shows what others wrote as text, to the character, and marks what cannot be seen', async () => {
    const nasty = `</code></pre><script>alert(1)</script>&amp;"'\`\r\n\ttab \u202Egnp.exe \u200B\u{E0041} ä 𝄞`;
    const approval = await openApproval(api, key, {
      title: '<b>Title</b>',
      summary: '"><img src=x onerror=1>',
      payload: nasty,
    });
    const page = await visitor.get(pathOf(api, approval));
    expect(textOfId(page.text, 'payload')).toBe(nasty);
    expect(page.text).not.toMatch(/<script|<img|<b>/);
    for (const code of ['U+202E', 'U+200B', 'U+E0041', 'U+000D']) expect(page.text).toContain(`data-code="${code}"`);
  });

  test('marks what cannot be seen also in its heading and in the title of its tab', async () => {
    const title = 'Pay \u202Egnp.exe\u200B ⟨U+202E⟩';
    const { text } = await visitor.get(pathOf(api, await openApproval(api, key, { title })));
    const [, heading = ''] = /<h1>(.*)<\/h1>/.exec(text) ?? [];
    expect(decoded(heading)).toBe(title);
    expect([...heading.matchAll(/data-code="([^"]+)"/g)].map(([, code]) => code)).toEqual(['U+202E', 'U+200B']);
    expect(text).toContain('<title>Pay ⟨U+202E⟩gnp.exe⟨U+200B⟩ ⟨U+27E8⟩U+202E⟩ · ');
  });

  test('is never cached, framed or given a script, and tells nobody where it was', async () => {
    const { headers } = await visitor.get('/console');
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Referrer-Policy')).toBe('same-origin');
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec((await visitor.get('/console')).text) ?? [];
    expect((await new Visitor(api).get(style)).headers.get('Content-Type')).toBe('text/css; charset=utf-8');
  });

  test('whose address has a character that PostgreSQL does not hold is unknown', async () => {
    const environment = pathOf(api, { id: '%00' });
    expect((await visitor.get(environment)).status).toBe(404);
  });

  test('of an unknown address, and a form that is none, are answered as pages', async () => {
    const lost = await visitor.get('/console/nothing-here');
    expect([lost.status, lost.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect((await visitor.get('/console/environments/not-an-id/approvals')).status).toBe(404);
    const json = await visitor.post('/console/sign-in', {}, { 'Content-Type': 'application/json' });
    expect(json.status).toBe(415);
    const large = await visitor.post('/console/sign-in', { email: 'x'.repeat(70_000) });
    expect(large.status).toBe(413);
    expect((await visitor.post('/console/sign-in', {})).status).toBe(400);
  });

  test('of an approval leads to all of it as a file, for members of its workspace alone', async () => {
    const payload = { text: 'Pay \u202Egnp.exe\u200B' };
    const approval = await openApproval(api, key, { payload });
    const path = pathOf(api, approval);
    expect((await visitor.get(path)).text).toContain(`href="${path}/content"`);
    const file = await visitor.get(`${path}/content`);
    expect(file.headers.get('Content-Disposition')).toBe(`attachment; filename="${approval.id}.json"`);
    expect(JSON.parse(file.text)).toMatchObject({ id: approval.id, payload, bindingDigest: approval.bindingDigest });
    expect(file.text).toContain('gnp.exe\\u200b');
    const { workspaceId } = (await api.database.anotherWorkspace()).production;
    const stranger = visitorOf(await createPerson(api, 'owner', { workspaceId }));
    expect((await stranger.get(`${path}/content`)).status).toBe(404);
    expect((await new Visitor(api).get(`${path}/content`)).status).toBe(303);
  });

  test.each(['*/*', 'application/json', 'text/plain'])('is named at / for programs (Accept: %s)', async (accept) => {
    const { status, headers, text } = await call(`${api.baseUrl}/`, 'GET', { headers: { Accept: accept } });
    const type = 'application/json; charset=utf-8';
    expect([status, headers.get('Content-Type'), headers.get('Vary')]).toEqual([200, type, 'Accept']);
    const paths = ['/console', '/reference', '/api/v2/openapi.json', '/mcp', '/docs/', '/llms.txt', '/openapi.json'];
    for (const path of paths) expect(text).toContain(`"${path}"`);
    for (const path of ['/console/sign-in', '/reference', '/api/v2/openapi.json', '/healthz']) {
      expect((await call(`${api.baseUrl}${path}`, 'GET')).status, path).toBe(200);
    }
    expect((await call(`${api.baseUrl}/`, 'POST')).status).toBe(404);
  });

  test('is linked from the record of the approval', async () => {
    const approval = await openApproval(api, key);
    expect(approval.url).toBe(`https://runtime.example.com${pathOf(api, approval)}`);
  });
});
