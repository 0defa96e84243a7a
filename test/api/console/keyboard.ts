import type { Locator, Page } from 'playwright-core';

const STOPS_MAX = 120;

/** Presses Tab until this has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < STOPS_MAX; stops++) {
    if (await target.evaluate(hasFocus)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${STOPS_MAX} presses of Tab did not reach ${target.toString()}`);
}

export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

export async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

/** Runs in the page, whose types the project does not have. */
function hasFocus(element: unknown): boolean {
  const { document } = globalThis as unknown as { document: { activeElement: unknown } };
  return element === document.activeElement;
}
