import { createHash } from 'node:crypto';
import { CONSOLE_PATH } from '../../domain/console-links.ts';

const LIGHT = `--ground: #ffffff; --panel: #f4f5f7; --text: #16181d; --quiet: #545b68; --line: #868e9c; --hair: #d5d9e0; --link: #0b5cad;
  --good: #14612f; --bad: #a11420; --good-ground: #e3f4e8; --bad-ground: #fdeaec; --mark: #7a3e00; --mark-ground: #fff1d6;`;
const DARK = `--ground: #14161a; --panel: #1f2228; --text: #eceef2; --quiet: #b0b7c3; --line: #7d8695; --hair: #363b45; --link: #82bbff;
  --good: #7fdc9c; --bad: #ff9aa2; --good-ground: #14301e; --bad-ground: #3a171b; --mark: #ffd28a; --mark-ground: #3a2a10;`;

/**
 * The colours of every page and of the console, light and dark. Each pair of text and ground has a contrast of 4.5 or more. They follow the
 * reader's system, and in the console `data-theme` where somebody chose.
 */
export const PALETTE = `:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root:not([data-theme='light']) { ${DARK} } }
:root[data-theme='light'] { color-scheme: light; }
:root[data-theme='dark'] { color-scheme: dark; ${DARK} }
`;

/** The console loads the palette as a sheet of its own. The name changes with the content. */
export const PALETTE_PATH = `${CONSOLE_PATH}/palette-${createHash('sha256').update(PALETTE).digest('hex').slice(0, 12)}.css`;
