import { quantityText } from '../../domain/impact.ts';
import type { BodyPart } from '../../domain/adapters/adapter-descriptor.ts';
import { type PreviewBlock, TRUNCATED_NOTE } from '../../domain/adapters/preview-block.ts';
import { exactBlock, exactText } from '../html/exact-text.ts';
import { markup, type Markup } from '../html/markup.ts';
import { facts, section } from '../html/parts.ts';

/** Rendered bytes of a request's body. A larger one is read as a file. */
const BODY_BYTES_MAX = 131_072;

const LIMITATIONS: Record<NonNullable<PreviewBlock['items']>[number]['kind'], string> = {
  guarantee: 'Guaranteed',
  freshness: 'As of',
  unsupported: 'Not possible',
  irreversible: 'Cannot be undone',
};

export function blockOf({ title, fields, path, before, after, quantities, items, truncated }: PreviewBlock): Markup {
  return section(
    title,
    markup`${fields !== undefined && facts(fields.map(({ label, value }) => [label, exactText(value)]))}
${path !== undefined && markup`<p><code>${exactText(path)}</code></p>`}
${(before !== undefined || after !== undefined) && changeOf(before ?? '', after ?? '')}
${quantities !== undefined && markup`<ul>${quantities.map((each) => markup`<li>${quantityText(each)}</li>`)}</ul>`}
${items !== undefined && facts(items.map(({ kind, text }) => [LIMITATIONS[kind], exactText(text)]))}
${truncated === true && markup`<p class="note">${TRUNCATED_NOTE}</p>`}`,
  );
}

/** Marks the lines between the first and the last difference. New text appears alone. */
function changeOf(before: string, after: string): Markup {
  if (before === '') return after === '' ? nothing() : exactBlock(after);
  const [old, next] = [before, after].map((text) => text.split(/(?<=\n)/)) as [string[], string[]];
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < next.length - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  const shown = (lines: string[], mark: (text: string) => Markup): Markup => {
    const changed = lines.slice(head, lines.length - tail).join('');
    return markup`<pre><code dir="ltr">${exactText(lines.slice(0, head).join(''))}${changed !== '' && mark(changed)}${exactText(lines.slice(lines.length - tail).join(''))}</code></pre>`;
  };
  return markup`<div class="change"><div><h3>Before</h3>
${shown(old, (text) => markup`<del>${exactText(text)}</del>`)}</div>
<div><h3>After</h3>
${after === '' ? nothing() : shown(next, (text) => markup`<ins>${exactText(text)}</ins>`)}</div></div>`;
}

function nothing(): Markup {
  return markup`<p class="note">Nothing.</p>`;
}

/** The elements have ids, so that a test reads what the target must receive. */
export function requestOf(request: {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  bodyEncoding: 'utf8' | 'base64';
  bodyParts?: BodyPart[] | undefined;
}): Markup {
  const { method, url, headers, body, bodyEncoding, bodyParts } = request;
  const rows = Object.entries(headers).map(
    ([name, value]) =>
      markup`<tr><th scope="row"><code>${exactText(name)}</code></th><td><code>${exactText(value)}</code></td></tr>`,
  );
  return markup`<p><code id="request-method">${exactText(method)}</code> <code id="request-url" dir="ltr">${exactText(url)}</code></p>
<table id="request-headers"><caption>Headers. A credential stands as <code>{{secret:NAME}}</code>; its value is put in when the request is sent.</caption>
<tbody>${rows}</tbody></table>
<h3>Body${bodyEncoding === 'base64' && ', in Base64: it is not text'}</h3>
${bodyOf(body, bodyParts)}`;
}

function bodyOf(body: string | null, parts: BodyPart[] | undefined): Markup {
  if (parts !== undefined) return markup`${parts.map(partOf)}`;
  return body === null
    ? markup`<p class="note">The request has no body.</p>`
    : exactBlock(body, 'request-body', BODY_BYTES_MAX);
}

/** A file is shown by its facts. Its digest is part of the agreement: no other bytes are sent. */
function partOf(part: BodyPart): Markup {
  if ('text' in part) return exactBlock(part.text);
  const { id, filename, contentType, size, sha256 } = part.file;
  return markup`<table><caption>A file${part.encoding === 'base64' && ', sent in Base64'}</caption>
<tr><th scope="row">Name</th><td>${exactText(filename)}</td></tr>
<tr><th scope="row">Type</th><td>${exactText(contentType)}</td></tr>
<tr><th scope="row">Size</th><td>${size} bytes</td></tr>
<tr><th scope="row">SHA-256</th><td><code>${sha256}</code></td></tr>
<tr><th scope="row">Id</th><td><code>${exactText(id)}</code></td></tr></table>`;
}
