import { createHash } from 'node:crypto';
import { COMMON_STYLE } from '../html/style.ts';

/** Documentation style beside the common one. No script, no font. */
const DOCS_STYLE = `:root { --name: #6b2fa0; }
@media (prefers-color-scheme: dark) { :root { --name: #d3b0ff; } }
html { scroll-padding-top: 1rem; }
header, .page { max-width: 90rem; margin: 0 auto; padding: 0.75rem 1rem; }
header > a { color: inherit; font-weight: 600; text-decoration: none; }
header nav { display: flex; gap: 0.25rem 1rem; flex-wrap: wrap; }
header a, .side a, .contents a, .around a { display: inline-block; padding: 0.25rem 0; }
.search { display: flex; gap: 0.5rem; flex: 1 1 14rem; max-width: 28rem; margin-left: auto; }
.search input { min-width: 0; flex: 1 1 auto; padding: 0.35rem 0.5rem; }
.search button { flex: none; white-space: nowrap; }
.unseen-label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main { max-width: none; margin: 0; padding: 0; min-width: 0; }
summary { cursor: pointer; padding: 0.35rem 0; font-weight: 600; }
.side, .contents { font-size: 0.9375rem; line-height: 1.4; }
.side ul, .contents ul { list-style: none; margin: 0; padding: 0 0 0 0.75rem; }
.side > details > ul { padding: 0; }
.side summary { overflow-wrap: normal; }
.side a, .contents a { text-decoration: none; }
.side a:hover, .contents a:hover { text-decoration: underline; }
.side [aria-current] { color: inherit; font-weight: 600; border-left: 3px solid var(--link); padding-left: 0.5rem; margin-left: -0.7rem; }
.contents .deeper { padding-left: 0.75rem; }
.kicker { color: var(--quiet); margin: 0.5rem 0 0; font-size: 0.875rem; }
article { overflow-wrap: break-word; }
article > p, article > ul, article > ol, article > blockquote { max-width: 48rem; }
article h1 { font-size: 1.75rem; margin-top: 0.25rem; }
article h2 { font-size: 1.3rem; margin-top: 2.25rem; padding-top: 0.25rem; border-top: 1px solid var(--hair); }
article h3 { font-size: 1.0625rem; margin-top: 1.5rem; }
article li { margin: 0.2rem 0; }
.anchor { color: var(--quiet); text-decoration: none; padding: 0 0.4rem; font-weight: 400; }
.table { overflow-x: auto; margin: 0.75rem 0 1.25rem; }
.table table { overflow-wrap: normal; }
.table th, .table td { min-width: 5rem; padding-right: 1rem; }
.table td:last-child { min-width: 14rem; }
td code, p code, li code, h1 code, h2 code, h3 code { background: var(--panel); padding: 0.05rem 0.25rem; border-radius: 0.2rem; }
.drawing { white-space: pre; overflow-x: auto; line-height: 1.25; }
.drawing code { line-height: inherit; }
.tk { color: var(--link); } .ts { color: var(--good); } .tc { color: var(--quiet); } .tn { color: var(--mark); } .tf { color: var(--name); }
img { max-width: 100%; height: auto; }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 4px solid var(--hair); color: var(--quiet); }
.callout { margin: 1rem 0; padding: 0.5rem 1rem; border: 1px solid var(--hair); border-left: 4px solid var(--link); background: var(--panel); }
.callout p { margin: 0.25rem 0; }
.callout .kind { font-weight: 600; }
.callout.warning, .callout.caution { border-left-color: var(--mark); }
.around { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; margin-top: 2.5rem; padding-top: 1rem;
  border-top: 1px solid var(--hair); }
.about { color: var(--quiet); font-size: 0.875rem; }
.results { list-style: none; padding: 0; max-width: 48rem; }
.results li { padding: 0.75rem 0; border-bottom: 1px solid var(--hair); }
.results p { margin: 0.15rem 0; }
@media (min-width: 60rem) {
  .page { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 0 2.5rem; align-items: start; }
  .side { border-right: 1px solid var(--hair); padding-right: 1rem; }
}
@media (min-width: 60rem) {
  @supports selector(::details-content) {
    .side > details > summary { display: none; }
    .side > details::details-content { content-visibility: visible; display: block; block-size: auto; }
  }
}
@media (min-width: 80rem) {
  main.with-contents { display: grid; grid-template-columns: minmax(0, 1fr) 14rem; gap: 0 2.5rem; align-items: start; }
  main.with-contents > .contents { grid-column: 2; grid-row: 1; position: sticky; top: 0.5rem; max-height: calc(100vh - 1rem); overflow-y: auto; }
  main.with-contents > div { grid-column: 1; grid-row: 1; min-width: 0; }
  @supports selector(::details-content) {
    .contents > details > summary { pointer-events: none; list-style: none; }
    .contents > details::details-content { content-visibility: visible; display: block; block-size: auto; }
  }
}
@media (max-width: 22rem) { h1, h2, h3 { hyphens: auto; } }
@media print {
  .side, .contents, .search, .around, .anchor { display: none; }
  .page { display: block; }
  pre, .drawing { white-space: pre-wrap; }
  .table { overflow: visible; }
  article a { text-decoration: none; color: inherit; }
}
`;

export const DOCS_SHEET = `${COMMON_STYLE}${DOCS_STYLE}`;

/** The name changes with the content, so that browsers may cache it permanently. */
export const DOCS_SHEET_PATH = `/docs/style-${createHash('sha256').update(DOCS_SHEET).digest('hex').slice(0, 12)}.css`;
