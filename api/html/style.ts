import { createHash } from 'node:crypto';
import { CONSOLE_PATH } from '../../domain/console-links.ts';
import { APPROVAL_STYLE } from './approval-style.ts';
import { PALETTE } from './palette.ts';

/** The colours, type and parts of every page. It follows the reader's light or dark, and needs no font, image or host but ours. */
export const COMMON_STYLE = `${PALETTE}* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 52rem; margin: 0 auto; padding: 0.75rem 1rem; }
.wide header, .wide main { max-width: 80rem; }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center; border-bottom: 1px solid var(--hair); }
header .who { margin-left: auto; display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; color: var(--quiet); font-size: 0.875rem; }
header p, header form { margin: 0; }
header button { padding: 0.25rem 0.75rem; min-height: 2rem; border-width: 1px; font-weight: 400; font-size: 0.875rem; }
a { color: var(--link); }
a, button, input, textarea { border-radius: 0.25rem; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1rem 0 0.5rem; }
h2 { font-size: 1.125rem; margin: 1.75rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 1rem 0 0.25rem; }
dl { margin: 0; }
dt { color: var(--quiet); font-size: 0.875rem; }
dd { margin: 0 0 0.5rem; }
pre { margin: 0.25rem 0 0.75rem; padding: 0.75rem; background: var(--panel); border: 1px solid var(--hair); border-radius: 0.25rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
code { font: 0.875rem/1.5 ui-monospace, monospace; unicode-bidi: isolate; }
.quiet, .note, code.id { color: var(--quiet); }
code.id, .quiet { font-size: 0.875rem; }
del { text-decoration: none; background: var(--bad-ground); color: var(--bad); }
ins { text-decoration: none; background: var(--good-ground); color: var(--good); }
.unseen { unicode-bidi: isolate; display: inline-block; }
.unseen::before { content: attr(data-code); font: 0.75rem ui-monospace, monospace; color: var(--mark); background: var(--mark-ground);
  border: 1px solid var(--mark); border-radius: 0.2rem; padding: 0 0.2rem; }
.cut { color: var(--mark); background: var(--mark-ground); padding: 0 0.25rem; }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; color: var(--quiet); font-size: 0.875rem; padding-bottom: 0.25rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.5rem 0.4rem 0; border-bottom: 1px solid var(--hair); }
.alert, .done { padding: 0.75rem 1rem; border: 1px solid; border-radius: 0.25rem; }
.alert { color: var(--bad); background: var(--bad-ground); }
.done { color: var(--good); background: var(--good-ground); }
.list { list-style: none; padding: 0; margin: 0; }
.list li { padding: 0.75rem 0; border-bottom: 1px solid var(--hair); }
.list p { margin: 0.25rem 0; }
label { display: block; font-weight: 600; margin-top: 0.75rem; }
label .quiet { font-weight: 400; }
fieldset { border: 1px solid var(--line); border-radius: 0.25rem; margin: 1rem 0; padding: 0.5rem 1rem 0.75rem; }
legend { font-weight: 600; padding: 0 0.25rem; }
label.choice { font-weight: 400; margin-top: 0.4rem; }
label.choice input { width: auto; }
input, textarea { width: 100%; font: inherit; padding: 0.5rem; color: inherit; background: var(--ground); border: 1px solid var(--line); }
button { font: inherit; font-weight: 600; padding: 0.6rem 1.25rem; min-height: 2.75rem; cursor: pointer; color: var(--text);
  background: var(--panel); border: 2px solid var(--line); }
button.approve { color: var(--good); background: var(--good-ground); border-color: currentColor; }
button.deny { color: var(--bad); background: var(--bad-ground); border-color: currentColor; }
.buttons { display: flex; flex-wrap: wrap; gap: 1rem; margin-top: 1rem; }
@media (max-width: 30rem) { .buttons button { flex: 1 1 100%; } }
@media print {
  header nav, header form, .skip { display: none; }
  :root { --ground: #ffffff; --panel: #ffffff; --text: #000000; --quiet: #333333; --link: #000000; }
}
`;

export const STYLE = `${COMMON_STYLE}${APPROVAL_STYLE}`;

/** The name changes with the content, so that browsers may cache it permanently. */
export const STYLE_PATH = `${CONSOLE_PATH}/style-${createHash('sha256').update(STYLE).digest('hex').slice(0, 12)}.css`;
