import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { emailWorkflowId } from '../../../temporal/notifications/send-email.ts';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { type Captured, LOGIN, linkIn, startMailbox } from '../../harness/mail/test-mailbox.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { MAIL_FROM, PAGES_URL, startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { keyClient, readApproval, untilStatus } from '../approvals/support.ts';
import { createPerson, PASSWORD } from '../harness/people.ts';
import { createAction, errorOf, invoke } from '../invocations/support.ts';
import { textOfId, Visitor } from '../pages/support.ts';
import { notificationsIn } from './support.ts';

/** Notifications by e-mail, to a real SMTP server that stores them: recipients, content, and the target of the link. */
const executable = chromiumPath();
const ROOT = '/api/v2/notifications';
const OUTSIDE = 'on-call@customer.example';
const SECRET = 'pk_live_12345678';
/** Line ends, unseen characters, markup: what a page could show otherwise than it is sent. */
const REASON = ` <b>late</b> &amp; "quoted" '\`\r\nline two\n\ttab \u200B end\u00A0ä 𝄞 `;

const [mailbox, target] = await Promise.all([startMailbox(), startTarget()]);
const service = await startTestService({ relay: true, smtp: mailbox.settings });
const bob = await createPerson(service, 'owner', { email: `bob.${randomUUID()}@agents.example` });
const agent = await keyClient(service, service.database.tenant);
await agent.call('PUT', '/api/v2/secrets/pay_key', { value: SECRET });
const action = await createAction(
  service,
  {
    url: `${target.baseUrl}/echo?of=e-mail`,
    headers: { authorization: 'Bearer {{secret:pay_key}}', 'content-type': 'text/plain; charset=utf-8' },
    body: '{{input.reason}}',
  },
  { approval: { required: true } },
);
await sendTo(OUTSIDE, bob.email);
afterAll(async () => {
  await mailbox?.close();
});

async function sendTo(...emailRecipients: string[]): Promise<void> {
  const reply = await service.call('PATCH', `${ROOT}/preferences`, { key: service.key, body: { emailRecipients } });
  if (reply.status !== 200) throw new Error(reply.text);
  // The change sends e-mails too: no later test waits for these.
  const open =
    "SELECT 1 FROM raised_events UNION ALL SELECT 1 FROM notification_emails WHERE status = 'sending' OR (status = 'queued' AND attempts = 0)";
  await vi.waitFor(async () => expect(await service.database.asOwner(open)).toEqual([]), { timeout: PATIENCE_MS });
}

/** Waits for the mails of one subject line, to these recipients. */
async function mailsAbout(subject: string, recipients: readonly string[]): Promise<Captured[]> {
  const found = () => mailbox.mails.filter(({ headers }) => headers.get('subject')?.includes(subject));
  await vi.waitFor(
    () =>
      expect(
        found()
          .map(({ to }) => to)
          .toSorted(),
      ).toEqual([...recipients].toSorted()),
    {
      timeout: PATIENCE_MS,
    },
  );
  return found();
}

/** Halts and resumes, which sends two notifications. Returns the notifications that existed before. */
async function haltOnce(): Promise<Set<string>> {
  const known = new Set(notificationsIn(await service.get(`${ROOT}?limit=100`)).map(({ id }) => id));
  const { workspaceId, environmentId } = service.database.tenant;
  const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}`;
  expect((await service.post(`${path}/halt`, { reason: 'The provider is down.' })).status).toBe(200);
  expect((await service.post(`${path}/resume`, {})).status).toBe(200);
  return known;
}

/** The new notification of a type once none of its e-mails is pending. */
async function settled(type: string, known: ReadonlySet<string>): Promise<ReturnType<typeof notificationsIn>[number]> {
  return vi.waitFor(
    async () => {
      const found = notificationsIn(await service.get(`${ROOT}?type=${type}`)).find(({ id }) => !known.has(id));
      if (found === undefined || found.emails.pending > 0) throw new Error(`${type} is not settled`);
      return found;
    },
    { timeout: PATIENCE_MS, interval: 100 },
  );
}

describe('e-mail', { timeout: TEST_TIMEOUT_MS }, () => {
  test('goes to each recipient, one who has muted the type included, and leaves nothing of it in histories and logs', async () => {
    const headers = { 'X-Environment-Id': service.database.tenant.environmentId };
    const body = { mutedTypes: ['environment.halted'] };
    expect((await bob.call('PATCH', `${ROOT}/preferences/me`, { headers, body })).status).toBe(200);
    const known = await haltOnce();
    const mails = await mailsAbout('Environment halted', [OUTSIDE, bob.email]);
    for (const mail of mails) {
      expect(mail).toMatchObject({ from: MAIL_FROM, secure: true, user: LOGIN.user });
      expect(mail.text).toContain('Reason: The provider is down.');
      expect(mail.text).not.toContain(mail.to === OUTSIDE ? bob.email : OUTSIDE);
    }
    const halted = await settled('environment.halted', known);
    expect(halted.emails).toEqual({ pending: 0, sent: 2, refused: 0, failed: 0, unknown: 0 });
    const seen = notificationsIn(await bob.call('GET', `${ROOT}?limit=100`, { headers }));
    expect(seen.map(({ id }) => id)).not.toContain(halted.id);

    const emails = await service.database.asOwner<{ id: string }>(
      'SELECT id FROM notification_emails WHERE notification_id = $1',
      [halted.id],
    );
    for (const { id } of emails) {
      const handle = service.client.workflow.getHandle(emailWorkflowId(id));
      expect(await handle.result()).toEqual({ status: 'sent' });
      // The bytes as the server keeps them, in which payloads are plain JSON.
      const history = temporal.api.history.v1.History.encode(await handle.fetchHistory()).finish();
      const kept = Buffer.from(history).toString('latin1');
      expect(kept).toContain(id);
      expect(kept).not.toMatch(/\.example|provider is down|correct horse/);
    }
    expect(service.workerLogLines.join('')).not.toMatch(/customer\.example|correct horse/);
  });

  test('whose answer was lost is not sent again, and the notification says so', async () => {
    await sendTo(OUTSIDE);
    const before = mailbox.attempts.length;
    mailbox.next('hang up after', 'reject recipient');
    const known = await haltOnce();
    const both = [await settled('environment.halted', known), await settled('environment.resumed', known)];
    const sum = (status: 'unknown' | 'failed') => both.reduce((total, { emails }) => total + emails[status], 0);
    expect([sum('unknown'), sum('failed')]).toEqual([1, 1]);
    expect(mailbox.attempts).toHaveLength(before + 2);
  });

  test('beyond the monthly allowance of the plan is refused, and both say so', async () => {
    const { workspaceId } = service.database.tenant;
    await service.database.asOwner(`UPDATE workspaces SET plan = 'early_beta_access' WHERE id = $1`, [workspaceId]);
    await service.database.asOwner(
      `WITH gone AS (DELETE FROM monthly_usage WHERE allowance = 'notification_emails' RETURNING month)
       INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used)
       SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'notification_emails', 17, 500 FROM (SELECT count(*) FROM gone) g`,
      [workspaceId],
    );
    const before = mailbox.attempts.length;
    const known = await haltOnce();
    const refused = { pending: 0, sent: 0, refused: 1, failed: 0, unknown: 0 };
    for (const type of ['environment.halted', 'environment.resumed']) {
      expect((await settled(type, known)).emails).toEqual(refused);
    }
    expect(mailbox.attempts).toHaveLength(before);
    const { json } = await service.get(`${ROOT}/preferences`);
    expect(json).toMatchObject({ data: { emailAllowance: { used: 500, allowed: 500 } } });
    await service.database.asOwner(`UPDATE workspaces SET plan = 'enterprise' WHERE id = $1`, [workspaceId]);
  });

  test.each([
    [{}, 'must change something'],
    [{ emailRecipients: ['not an address'] }, 'emailRecipients'],
    [{ emailRecipients: ['a@b.example', 'A@b.example'] }, 'twice'],
    [{ emailRecipients: ['a@b.example\r\nBcc: c@d.example'] }, 'emailRecipients'],
    [{ emailRecipients: Array.from({ length: 21 }, (_, number) => `a${number}@b.example`) }, 'emailRecipients'],
  ])('recipients %j are refused', async (body, word) => {
    const reply = await service.call('PATCH', `${ROOT}/preferences`, { key: service.key, body });
    expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.text).toContain(word);
  });
});

describe('the link of an e-mail', { timeout: TEST_TIMEOUT_MS }, () => {
  beforeAll(() => sendTo(bob.email));

  /** Parks an invocation and returns the path of the link that its e-mail has. */
  async function mailed(): Promise<{ invocationId: string; approvalId: string; path: string; sentBefore: number }> {
    const sentBefore = (await target.requests('/echo')).length;
    const before = mailbox.mails.length;
    const { invocation } = await invoke(agent, action, { input: { reason: REASON } });
    const { approvalId } = invocation;
    if (approvalId === null) throw new Error('it waits for no approval');
    const mail = await vi.waitFor(
      () => {
        const found = mailbox.mails.slice(before).find(({ text }) => text.includes(approvalId));
        if (found === undefined) throw new Error('its mail is not there');
        return found;
      },
      { timeout: PATIENCE_MS },
    );
    const link = linkIn(mail);
    const { pathname } = new URL(link);
    if (link !== `${PAGES_URL}${pathname}`) throw new Error(`the link leads elsewhere: ${link}`);
    return { invocationId: invocation.id, approvalId, path: pathname, sentBefore };
  }

  interface Request {
    method: string;
    url: string;
    body: string;
  }

  /** What the target got of it once it has succeeded, and who approved it. */
  async function arrived({ invocationId, approvalId, sentBefore }: Awaited<ReturnType<typeof mailed>>) {
    await untilStatus(agent, invocationId, ['succeeded']);
    const requests = (await target.requests('/echo')).slice(sentBefore);
    const { decisions } = await readApproval(agent, approvalId);
    return {
      requests: requests.map(({ method, url, body, headers }) => ({
        method,
        url: `${target.baseUrl}${url}`,
        body,
        authorization: headers['authorization'],
      })),
      approvedBy: decisions.filter(({ decision }) => decision === 'approve').map(({ actor }) => actor.id),
    };
  }

  const asShown = (shown: Request) => ({
    requests: [{ ...shown, authorization: `Bearer ${SECRET}` }],
    approvedBy: [bob.userId],
  });

  test('leads over the sign-in to the page that decides; what it shows is byte for byte what the target gets', async () => {
    const parked = await mailed();
    const visitor = new Visitor(service);
    const toSignIn = await visitor.get(parked.path);
    expect(toSignIn.status).toBe(303);
    const signedIn = await visitor.submit(toSignIn.location ?? '', { email: bob.email, password: PASSWORD });
    expect(signedIn.location).toBe(parked.path);
    const { text } = await visitor.get(parked.path);
    const shown = {
      method: textOfId(text, 'request-method'),
      url: textOfId(text, 'request-url'),
      body: textOfId(text, 'request-body'),
    };
    expect(text).not.toContain(SECRET);
    expect((await visitor.submit(parked.path, { decision: 'approve', note: 'Checked.' })).status).toBe(303);
    expect(shown.body).toBe(REASON);
    expect(await arrived(parked)).toEqual(asShown(shown));
  });

  describe.skipIf(executable === null)(`in a browser${executable === null ? ` (${NO_CHROMIUM})` : ''}`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await startBrowser(executable ?? '');
    });
    afterAll(() => browser?.close());

    test('does the same', async () => {
      const parked = await mailed();
      const context = await browser?.newContext({ baseURL: service.baseUrl });
      const page = await context?.newPage();
      if (page === undefined) throw new Error('there is no browser');
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(parked.path);
      await page.getByLabel('E-mail address').fill(bob.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL(`**${parked.path}`);
      const shown = async (id: string) => (await page.locator(`#request-${id}`).textContent()) ?? '';
      const request = { method: await shown('method'), url: await shown('url'), body: await shown('body') };
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('You have approved this.').waitFor();
      expect(request.body).toBe(REASON);
      expect(await arrived(parked)).toEqual(asShown(request));
      await context?.close();
    });
  });
});
