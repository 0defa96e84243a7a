/**
 * The page of an approval: two columns, the right one with the decision always in view. On a telephone the decision is a bar at the bottom,
 * unless the screen is so low that the bar would cover most of it.
 */
export const APPROVAL_STYLE = `
.approval { display: grid; gap: 0 2.5rem; grid-template-columns: minmax(0, 1fr); }
.approval h1 { font-size: 1.75rem; margin: 0.25rem 0 0.75rem; font-weight: 600; }
.approval h2 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
.approval .kicker { margin: 0.5rem 0 0; color: var(--quiet); }
.amount { font-size: 2.5rem; line-height: 1.1; font-weight: 600; white-space: nowrap; }
.production { color: var(--mark); background: var(--mark-ground); border: 1px solid var(--mark); border-radius: 0.2rem; padding: 0 0.35rem; }
.lead { font-size: 1.125rem; margin: 0.25rem 0 0.75rem; }
.marks { list-style: none; margin: 0 0 1rem; padding: 0; }
.marks li { padding: 0.5rem 0.75rem; margin: 0.35rem 0; color: var(--mark); background: var(--mark-ground); border-left: 4px solid var(--mark); }
.to { margin: 0 0 0.25rem; }
table.fields th { width: 30%; font-weight: 400; color: var(--quiet); }
table.fields td { white-space: pre-wrap; }
.change { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }
.change > div { min-width: 0; }
.approval dl { display: grid; grid-template-columns: minmax(5.25rem, 22%) minmax(0, 1fr); gap: 0.15rem 0.75rem; }
.approval dd { margin: 0; }
.exact { margin: 1.5rem 0; border: 1px solid var(--hair); border-radius: 0.25rem; padding: 0 0.75rem; }
.exact summary { padding: 0.65rem 0; cursor: pointer; font-weight: 600; }
aside { font-size: 0.9375rem; line-height: 1.4; }
.approval aside h2 { margin: 0.9rem 0 0.15rem; }
aside p { margin: 0.15rem 0; }
aside dl { margin-top: 0.25rem; }
.state { padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-left-width: 5px; border-radius: 0.25rem; margin: 0.5rem 0; }
.state p { margin: 0.15rem 0; }
.state.good { color: var(--good); background: var(--good-ground); border-color: currentColor; }
.state.bad { color: var(--bad); background: var(--bad-ground); border-color: currentColor; }
.state.good *, .state.bad * { color: inherit; }
.promises, .limits { list-style: none; margin: 0; padding: 0; }
.promises li { padding-left: 1.5rem; margin: 0.25rem 0; position: relative; }
.promises li > span { position: absolute; left: 0; font-weight: 600; }
.promises .yes > span { color: var(--good); }
.promises .no > span { color: var(--bad); }
.limits p { margin: 0.15rem 0; }
.bar { display: block; width: 100%; height: 0.6rem; border: 1px solid var(--line); border-radius: 0.3rem; forced-color-adjust: none; }
.bar .all { fill: var(--panel); }
.bar .used { fill: var(--quiet); }
.bar .this { fill: var(--link); }
.bar .over { fill: var(--bad); }
.decision { background: var(--ground); border-top: 1px solid var(--hair); padding: 0.25rem 0 0.75rem; }
.decision label { margin-top: 0.25rem; }
.decision textarea { resize: vertical; display: block; }
.decision .buttons { margin-top: 0.6rem; gap: 0.75rem; flex-wrap: nowrap; }
.decision .buttons button { flex: 1 1 0; padding-inline: 0.5rem; }
@media (min-width: 56rem) {
  .approval { grid-template-columns: minmax(0, 1.7fr) minmax(20rem, 1fr); }
  .approval aside { align-self: start; position: sticky; top: 0; padding: 0.5rem 0 0 1.5rem; border-left: 1px solid var(--hair); }
}
@media (min-width: 56rem) and (min-height: 30rem) { .decision { position: sticky; bottom: 0; } }
@media (max-width: 55.99rem) and (min-height: 30rem) {
  .wide:has(.decision) main { padding-bottom: 10rem; }
  .decision { position: fixed; inset: auto 0 0 0; z-index: 1; padding: 0.35rem 1rem 0.75rem; border-top: 2px solid var(--line); }
  .decision textarea { height: 2.6rem; }
}
@media (max-width: 55.99rem) {
  /* What happened, or stands in the way, comes before the request. */
  .approval { display: flex; flex-direction: column; }
  .approval aside { display: contents; }
  .approval > *, .approval aside > * { min-width: 0; }
  .approval .state, .approval .done, .approval .alert { order: -1; }
  .approval h1 { font-size: 1.5rem; }
  .amount { font-size: 2rem; white-space: normal; }
}
@media print {
  .decision, .exact summary { display: none; }
  .approval aside { position: static; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
}
`;
