import { type Browser, chromium } from 'playwright-core';
import { isExecutable } from '../../embedded/is-executable.ts';
import { PATIENCE_MS } from './patience.ts';

const COMMON_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The machine's Chromium: `CHROMIUM_PATH`, or where packages put it. Null where it has none; nothing is downloaded. */
export function chromiumPath(): string | null {
  const named = process.env['CHROMIUM_PATH'] ?? '';
  const candidates = named === '' ? COMMON_PATHS : [named];
  return candidates.find(isExecutable) ?? null;
}

export const NO_CHROMIUM =
  'left out: no Chromium is installed (apt-get install chromium, or set CHROMIUM_PATH to one that is)';

/** In a container without user namespaces Chromium has no sandbox to start. It sees nothing but the test's own pages. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'], timeout: PATIENCE_MS });
}
