import type { PreviewRecord } from '../../db/previews/records.ts';
import type { Allowance } from '../../db/impact-limits/allowances.ts';
import { fieldName, type Headline, memberName } from '../../domain/approvals/headline.ts';
import { moneyText } from '../../domain/money.ts';
import type { PreviewBlock } from '../../domain/adapters/preview-block.ts';
import { type Field, isParticular, sentFields } from '../../domain/previews/preview-blocks.ts';
import { exactText, SHORT_BYTES_MAX } from '../html/exact-text.ts';
import { markup, type Markup, type MarkupValue, type Renderable } from '../html/markup.ts';
import { section, timeOf } from '../html/parts.ts';
import { blockOf } from './preview-blocks.ts';

/** The left side of an approval's page: what will happen. */

/** Nobody would read more, and "Exactly these bytes" has all fields. */
export const FIELDS_SHOWN_MAX = 100;
const VALUE_BYTES_MAX = 40_000;
const URL_BYTES_MAX = 2_000;
/** Share of a limit from which an act counts as large. */
const LARGE_SHARE = 0.5;

export function headingOf({ begin, amount, end }: Headline): Markup {
  const tail = end !== null && markup`${!end.startsWith(',') && ' '}${exactText(end, SHORT_BYTES_MAX)}`;
  return markup`<h1>${exactText(begin, SHORT_BYTES_MAX)}${amount !== null && markup` <strong class="amount">${amount}</strong>`}${tail}</h1>`;
}

/** What an approver must not overlook. */
export function marksOf({ blocks, request }: PreviewRecord, allowances: readonly Allowance[]): Markup | false {
  const marks: MarkupValue[] = [
    ...allowances.flatMap(largeMark),
    request.method === 'DELETE' && mark('Irreversible', 'It deletes something.'),
    ...warningsOf(blocks, 'irreversible').map((text) => mark('Irreversible', text)),
    ...blocks.filter(isObstacle).flatMap(({ items = [] }) => items.map(({ text }) => mark('Warning', text))),
  ].filter((each) => each !== false);
  return marks.length > 0 && markup`<ul class="marks">${marks}</ul>`;
}

function isObstacle({ type, items = [] }: PreviewBlock): boolean {
  return type === 'limitations' && items.length > 0 && items.every(({ kind }) => kind === 'unsupported');
}

function warningsOf(blocks: readonly PreviewBlock[], wanted: 'irreversible'): string[] {
  const own = blocks.filter(isParticular).flatMap(({ items = [] }) => items);
  return own.flatMap(({ kind, text }) => (kind === wanted ? [text] : []));
}

function mark(word: string, text: MarkupValue): Markup {
  const shown = typeof text === 'string' ? exactText(text, SHORT_BYTES_MAX) : text;
  return markup`<li><strong><span aria-hidden="true">▲</span> ${word}</strong> ${shown}</li>`;
}

function largeMark({ name, cap, requested, sufficient, refusal }: Allowance): Markup[] {
  const limit = markup`limit ${exactText(name, SHORT_BYTES_MAX)}`;
  if (refusal === 'currency_mismatch') {
    return [mark('Not possible', markup`The ${limit} is in another currency: it would not be sent.`)];
  }
  if (!sufficient) return [mark('Over a limit', markup`The ${limit} has not enough left: it would not be sent.`)];
  const share = cap === 0 ? 0 : requested / cap;
  if (share < LARGE_SHARE) return [];
  return [mark('Large', markup`It takes ${Math.floor(share * 100)} % of the ${limit}.`)];
}

/** What is read and changed, the fields that are sent, and the adapter's notes. */
export function happensOf(preview: PreviewRecord): Markup {
  const { blocks, evidenceObservedAt, preconditions, request } = preview;
  const own = blocks.filter((block) => isParticular(block) && block.type !== 'limitations');
  const isChange = ({ before = '' }: PreviewBlock): boolean => before !== '';
  const wasRead = Object.keys(preconditions.adapter).length > 0;
  return markup`${own.filter(isChange).map(blockOf)}
${own.filter((block) => !isChange(block)).map(blockOf)}
${wasRead && markup`<p class="note">Read at the provider ${timeOf(evidenceObservedAt)}. It is read again right before it is sent.</p>`}
${sentSection(preview, sentFields(request, FIELDS_SHOWN_MAX + 1), own)}
${blocks.filter((block) => isParticular(block) && block.type === 'limitations' && !isObstacle(block)).map(notesOf)}`;
}

/** Omits fields that the adapter shows already. */
function sentSection(preview: PreviewRecord, all: readonly Field[], own: readonly PreviewBlock[]): Markup {
  const { request, impact } = preview;
  const labels = new Set(own.flatMap(({ fields = [] }) => fields.map(({ label }) => lower(label))));
  const titles = new Set(own.flatMap(({ title, before }) => (before === '' ? [lower(title)] : [])));
  const texts = new Set(own.flatMap(({ after }) => (after === undefined ? [] : [after])));
  const left = all.filter(({ label, value }) => {
    const name = lower(fieldName(label));
    return !labels.has(rootOf(name)) && !titles.has(name) && !texts.has(value);
  });
  const rows = left
    .slice(0, FIELDS_SHOWN_MAX)
    .map(
      ({ label, value }) =>
        markup`<tr><th scope="row">${exactText(memberName(label) || 'Body', SHORT_BYTES_MAX)}</th><td>${exactText(value, VALUE_BYTES_MAX)}${amountNote(label, value, impact)}</td></tr>`,
    );
  const more =
    all.length > FIELDS_SHOWN_MAX && markup`<p class="note">There are more fields. All of them stand below.</p>`;
  return section(
    left.length === all.length ? 'What is sent' : rows.length > 0 ? 'What else is sent' : 'Where it goes',
    markup`<p class="to"><code>${exactText(request.method, 100)}</code> <code dir="ltr">${exactText(request.url, URL_BYTES_MAX)}</code></p>
${rows.length > 0 && markup`<table class="fields"><tbody>${rows}</tbody></table>`}
${more}`,
  );
}

const lower = (text: string): string => text.toLowerCase();

/** `to` of `to[0]` */
function rootOf(name: string): string {
  return name.replace(/[[.].*$/s, '');
}

/** Minor units are money: the declared amount is shown beside the number. */
function amountNote(label: string, value: string, impact: PreviewRecord['impact']): Markup | false {
  if (!/amount|total|price|charge|cents|minor/i.test(label)) return false;
  const money = impact.find(({ amount, currency }) => currency !== undefined && String(amount) === value);
  return (
    money?.currency !== undefined && markup` <span class="quiet">(${moneyText(money.amount, money.currency)})</span>`
  );
}

function notesOf({ title, items = [] }: PreviewBlock): Markup | false {
  const texts: Renderable[] = items
    .filter(({ kind }) => kind !== 'irreversible')
    .map(({ text }) => exactText(text, SHORT_BYTES_MAX));
  if (texts.length === 0) return false;
  return section(title, markup`<ul>${texts.map((text) => markup`<li>${text}</li>`)}</ul>`);
}
