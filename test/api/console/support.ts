import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestService } from '../../harness/service.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import type { Role } from '../../../domain/roles.ts';

export interface Visit {
  page: Page;
  /** What the browser complains of: errors of scripts, and everything that breaks the page's policy. */
  complaints: string[];
  /** Method and path of each request to the API. */
  calls: { method: string; path: string; status: number }[];
  close(): Promise<void>;
}

/** A new context is a new browser to the service: it signs in as this person, and comes back to where it wanted to go. */
export async function visit(
  browser: Browser,
  service: TestService,
  person: TestPerson | null,
  place: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context: BrowserContext = await browser.newContext({ baseURL: service.baseUrl, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  if (person !== null) {
    await context.addCookies([{ name: 'service-session', value: person.token, url: service.baseUrl }]);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  const calls: Visit['calls'] = [];
  page.on('console', (message) => {
    // A browser reports each reply that is no success; the tests look at the calls themselves.
    const isReply = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isReply) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/api/')) {
      calls.push({ method: response.request().method(), path: pathname, status: response.status() });
    }
  });
  await page.goto(place);
  return { page, complaints, calls, close: () => context.close() };
}

export async function signInOnPage(page: Page, person: TestPerson): Promise<void> {
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** A signed-in person of the workspace, whose sign-in a browser can use. */
export function personOf(service: TestService, role: Role, workspaceId?: string): Promise<TestPerson> {
  return createPerson(service, role, workspaceId === undefined ? {} : { workspaceId });
}

/** Waits until the screen shows what it read: its heading, and no skeleton. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
}

/** Goes to another screen within the application: its address is there before its files are, and the last screen stays until then. */
export async function moved(page: Page, go: () => Promise<unknown>, url: string): Promise<void> {
  await page.locator('main h1').evaluate(markLeft);
  await go();
  await page.waitForURL(url);
  await page.locator('main h1:not([data-left])').waitFor();
}

/** Runs in the page, whose types the project does not have. */
function markLeft(heading: unknown): void {
  (heading as { setAttribute(name: string, value: string): void }).setAttribute('data-left', '');
}

/** Waits until what the page is now has been drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

const SCREENSHOTS = process.env['CONSOLE_SCREENSHOTS'] ?? '';

/** `CONSOLE_SCREENSHOTS` names a folder for pictures of what the tests see. */
export async function picture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === '') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage: true });
}
