import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';
import { barriers } from './browser-support.ts';
import { openApproval, pathOf } from './support.ts';

/** Passkeys in a real browser with its virtual authenticator, on the console and on the pages for people. */
const executable = chromiumPath();
const api = await startTestApi();
const baseURL = `http://localhost:${new URL(api.baseUrl).port}`;
api.deps.pagesUrl = baseURL;

let browser: Browser;
beforeAll(async () => {
  if (executable === null) return;
  browser = await startBrowser(executable);
  await api.database.asOwner('UPDATE environments SET protected = true WHERE id = $1', [
    api.database.tenant.environmentId,
  ]);
});
afterAll(async () => {
  await browser?.close();
});

type Passkeys = Awaited<ReturnType<typeof credentialsOf>>;

async function credentialsOf(devtools: CDPSession, authenticatorId: string) {
  return (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
}

interface Visit {
  page: Page;
  complaints: string[];
  /** What the authenticator holds, for another browser of the same person: as passkeys that sync. */
  passkeys(): Promise<Passkeys>;
  /** From then on nothing answers the browser's question, until `bringBack` is called: nobody is at the device. */
  takeAway(): Promise<{ bringBack(): Promise<void> }>;
  close(): Promise<void>;
}

/** A new browser with an authenticator that makes passkeys and shows them, without a hand. */
async function open(path: string, known: Passkeys = []): Promise<Visit> {
  const context = await browser.newContext({ baseURL });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  // The browser reports a reply that is no success; those are what is tested.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  let authenticatorId = await plugIn(devtools, known);
  await page.goto(path);
  const passkeys = () => credentialsOf(devtools, authenticatorId);
  const takeAway = async () => {
    const held = await passkeys();
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    const bringBack = async (): Promise<void> => {
      authenticatorId = await plugIn(devtools, held);
    };
    return { bringBack };
  };
  return { page, complaints, passkeys, takeAway, close: () => context.close() };
}

async function plugIn(devtools: CDPSession, known: Passkeys): Promise<string> {
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  for (const credential of known) await devtools.send('WebAuthn.addCredential', { authenticatorId, credential });
  return authenticatorId;
}

async function signIn(page: Page, { email }: TestPerson): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function enrolInConsole(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Enrol a passkey' }).click();
  await page.locator('dialog[open]').getByLabel('Name').fill('This laptop');
  await page.getByRole('button', { name: 'Go on' }).click();
  const codes = await page.getByRole('region', { name: 'the recovery codes' }).textContent();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row').filter({ hasText: 'This laptop' }).waitFor();
  return (codes ?? '').match(/[0-9a-f]{5}(-[0-9a-f]{5}){3}/g) ?? [];
}

/** A new owner at the page of security, signed in and with a passkey. */
async function openEnrolled(): Promise<Visit & { owner: TestPerson }> {
  const owner = await createPerson(api, 'owner');
  const visit = await open(SECURITY);
  await signIn(visit.page, owner);
  await visit.page.waitForURL(`**${SECURITY}`);
  await enrolInConsole(visit.page);
  return { ...visit, owner };
}

/** As if the person had shown their passkey, and given their password, so long ago. */
async function age({ userId }: TestPerson, minutes: number): Promise<void> {
  const past = `UPDATE sign_in_sessions SET password_at = now() - make_interval(mins => $2),
    second_factor_at = now() - make_interval(mins => $2) WHERE user_id = $1 AND second_factor IS NOT NULL`;
  await api.database.asOwner(past, [userId, minutes]);
}

const SECURITY = '/console/settings/security';

describe.skipIf(executable === null)(`in a browser${executable === null ? ` (${NO_CHROMIUM})` : ''}`, () => {
  test('enrols in the console, signs in with the passkey, and approves with a step-up on the page', async () => {
    const owner = await createPerson(api, 'owner');
    const { key } = await api.createKey(api.database.tenant);
    const approval = await openApproval(api, key);
    const enrolling = await open(SECURITY);
    await signIn(enrolling.page, owner);
    await enrolling.page.waitForURL(`**${SECURITY}`);
    expect(await enrolInConsole(enrolling.page)).toHaveLength(10);
    const passkeys = await enrolling.passkeys();
    await enrolling.page.goto('/console');
    await enrolling.page.getByRole('button', { name: 'Sign out' }).click();
    await enrolling.page.getByLabel('Password').waitFor();

    const { page, complaints, close } = await open(pathOf(api, approval), passkeys);
    await signIn(page, owner);
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.waitForURL(`**${pathOf(api, approval)}`);

    await age(owner, 6);
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You have approved this.').waitFor();
    const [decision] = await api.database.asOwner<{ authentication: { session: { method: string } } }>(
      'SELECT authentication FROM approval_decisions WHERE approval_id = $1',
      [approval.id],
    );
    expect(decision?.authentication.session.method).toBe('passkey');
    expect([...complaints, ...enrolling.complaints]).toEqual([]);
    await Promise.all([close(), enrolling.close()]);
  });

  test('signs out and in again with its passkey, in one browser', async () => {
    const { owner, page, complaints, close } = await openEnrolled();
    await page.getByRole('button', { name: 'Test Person' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, owner);
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.waitForURL('**/console');
    await page.goto(SECURITY);
    await page.getByRole('row').filter({ hasText: 'This laptop' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('signs in with the passkey alone, and comes back to where it wanted to go', async () => {
    const { owner, page, complaints, takeAway, close } = await openEnrolled();
    await page.goto('/console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(SECURITY);
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await button.waitFor();
    expect(await barriers(page)).toEqual([]);
    await button.click();
    await page.waitForURL(`**${SECURITY}`);
    await page.getByRole('row').filter({ hasText: 'This laptop' }).waitFor();
    const [session] = await api.database.asOwner<{ second_factor: string; password_at: Date | null }>(
      'SELECT second_factor, password_at FROM sign_in_sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1',
      [owner.userId],
    );
    expect(session).toEqual({ second_factor: 'passkey', password_at: null });
    // A passkey that the service no longer knows is refused in words, and the password is there.
    await api.database.asOwner('DELETE FROM passkeys WHERE user_id = $1', [owner.userId]);
    await page.context().clearCookies();
    await page.goto(SECURITY);
    await button.click();
    await page.getByText('This passkey was not accepted').waitFor();
    await takeAway();
    await signIn(page, owner);
    await page.waitForURL(`**${SECURITY}`);
    expect(complaints).toEqual([]);
    await close();
  });

  test('offers no passkey where there is none: at an IP address, and without script', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${api.baseUrl}/console/sign-in`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.locator('form[data-passkey]').count()).toBe(0);
    const unscripted = await browser.newContext({ baseURL, javaScriptEnabled: false });
    const plain = await unscripted.newPage();
    await plain.goto('/console/sign-in');
    expect(await plain.locator('form[data-passkey]').count()).toBe(1);
    expect(await plain.getByRole('button').count()).toBe(1);
    await Promise.all([context.close(), unscripted.close()]);
  });

  test('says that the browser asks, and asks once more at a second press', async () => {
    const { owner, page, complaints, takeAway, close } = await openEnrolled();
    await page.goto('/console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, owner);
    const { bringBack } = await takeAway();
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.getByText('Your browser asks for your passkey').waitFor();
    await bringBack();
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.waitForURL('**/console');
    expect(complaints).toEqual([]);
    await close();
  });

  test('takes the question of the browser back when the dialog in the console is closed', async () => {
    const { owner, page, complaints, takeAway, close } = await openEnrolled();
    await age(owner, 6);
    await page.goto(`/console/settings/keys?e=${api.database.tenant.environmentId}`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.locator('dialog[open]').getByLabel('Name').fill('asked twice');
    await page.getByRole('button', { name: 'Create' }).click();
    const { bringBack } = await takeAway();
    const asking = page.getByRole('dialog', { name: 'Confirm that it is you' });
    const asked = page.waitForResponse('**/api/v2/auth/session/passkey/options');
    await asking.getByRole('button', { name: 'Use your passkey' }).click();
    await asked;
    await asking.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Confirm with your passkey, then send this again').waitFor();
    await bringBack();
    await page.getByRole('button', { name: 'Create' }).click();
    await asking.getByRole('button', { name: 'Use your passkey' }).click();
    await page.getByRole('region', { name: 'the key' }).waitFor();
    const made = await api.database.asOwner(`SELECT 1 FROM api_keys WHERE name = 'asked twice'`);
    expect(made).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test('has no barrier on the second step of the sign-in', async () => {
    const { owner, page, close } = await openEnrolled();
    await page.goto('/console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, owner);
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await close();
  });

  test('shows a dialog in the console when the last time is too long ago, and then does what was wanted once', async () => {
    const { owner, page, complaints, close } = await openEnrolled();
    await age(owner, 6);
    await page.goto(`/console/settings/keys?e=${api.database.tenant.environmentId}`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.locator('dialog[open]').getByLabel('Name').fill('stepped up');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    expect(await page.getByRole('region', { name: 'the key' }).textContent()).toMatch(/^service_/);
    const made = await api.database.asOwner(`SELECT 1 FROM api_keys WHERE name = 'stepped up'`);
    expect(made).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test('takes a recovery code, and refuses a decision in words, without script', async () => {
    const owner = await createPerson(api, 'owner');
    const { key } = await api.createKey(api.database.tenant);
    const approval = await openApproval(api, key);
    const enrolling = await open(SECURITY);
    await signIn(enrolling.page, owner);
    await enrolling.page.waitForURL(`**${SECURITY}`);
    const [code = ''] = await enrolInConsole(enrolling.page);
    await enrolling.close();

    const context = await browser.newContext({ baseURL, javaScriptEnabled: false });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.goto(pathOf(api, approval));
    await signIn(page, owner);
    await page.getByText('Your browser has not run it').waitFor();
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.getByText('Nothing was entered').waitFor();
    await page.getByLabel('Or a recovery code').fill('00000-00000-00000-00000');
    await page.getByRole('button', { name: 'Use the code' }).click();
    await page.getByText('This recovery code is wrong').waitFor();
    await page.getByLabel('Or a recovery code').fill(code);
    await page.getByRole('button', { name: 'Use the code' }).click();
    await page.waitForURL(`**${pathOf(api, approval)}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Confirm with your passkey, then send this again').waitFor();
    await page.getByText('Your browser has not run it').waitFor();
    const decided = await api.database.asOwner('SELECT 1 FROM approval_decisions WHERE approval_id = $1', [
      approval.id,
    ]);
    expect(decided).toEqual([]);
    await context.close();
  });
});
