import type { DecidedLately, NamesBeside, OutcomeAfter } from '../../db/approvals/queries.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import { headlineOf, restOf } from '../../domain/approvals/headline.ts';
import { approvalContentPath, environmentPath } from '../../domain/console-links.ts';
import { sentFields } from '../../domain/previews/preview-blocks.ts';
import type { ShownApproval } from '../approvals/schemas.ts';
import { askedOf } from './approval-asked.ts';
import { FIELDS_SHOWN_MAX, happensOf, headingOf, marksOf } from './approval-happens.ts';
import { stateOf } from './approval-outcome.ts';
import { exactBlock, exactText, SHORT_BYTES_MAX } from '../html/exact-text.ts';
import { markup, type Markup, within } from '../html/markup.ts';
import { environmentText, facts, inConsole, jsonText, section } from '../html/parts.ts';
import { requestOf } from './preview-blocks.ts';

export interface ApprovalView {
  shown: ShownApproval;
  environment: { id: string; name: string; kind: string };
  names: NamesBeside;
  outcome: OutcomeAfter | null;
  lately: DecidedLately | null;
  now: Date;
}

/** Each part has its own room, so that no request text hides who asks. Together they fit into a page. */
const ROOMS = { happens: 163_840, exact: 180_224, asked: 65_536 } as const;
const DESCRIPTION_BYTES_MAX = 3_000;

export function approvalContent(view: ApprovalView, decision: Markup): Markup {
  const { shown, environment, names } = view;
  const { approval, preview } = shown;
  const happens = within(preview === null ? freeStanding(shown) : invocation(view, preview), ROOMS.happens);
  const exact = within(exactOf(shown, environment.id), ROOMS.exact);
  const asked = within(
    markup`${askedOf({ ...shown, names, lately: view.lately, environmentId: environment.id })}`,
    ROOMS.asked,
  );
  const isCut = happens.isCut || exact.isCut || asked.isCut;
  const path = approvalContentPath(environment.id, approval.id);
  return markup`<article class="approval">
<div class="happens">
<p class="kicker">${exactText(approval.action?.name ?? 'Approval', SHORT_BYTES_MAX)} in <a href="${environmentPath(environment.id)}">${environmentOf(environment)}</a></p>
${happens.content}
<details class="exact"><summary>Exactly these bytes</summary>
${exact.content}
<p><a href="${path}">All of it as a file (JSON)</a></p>
</details>
</div>
<aside aria-label="Who asks, and the decision">
${isCut && markup`<p class="alert">Not all of it fits on this page. <a href="${path}">Read all of it as a file</a> before you decide.</p>`}
${stateOf(view)}
${asked.content}
${decision}
</aside>
</article>`;
}

function environmentOf(environment: ApprovalView['environment']): Markup {
  if (environment.kind !== 'production') return markup`${exactText(environment.name, SHORT_BYTES_MAX)}`;
  return markup`<strong class="production">${exactText(environmentText(environment), SHORT_BYTES_MAX)}</strong>`;
}

function invocation({ shown, names }: ApprovalView, preview: PreviewRecord): Markup {
  const headline = headlineOf({
    adapterType: preview.adapterType,
    actionName: preview.actionName,
    actionDescription: names.actionDescription,
    input: preview.input,
    target: preview.target,
    impact: preview.impact,
    fields: sentFields(preview.request, FIELDS_SHOWN_MAX),
  });
  const rest = restOf(names.actionDescription, headline);
  return markup`${headingOf(headline)}
${rest !== '' && markup`<p class="lead">${exactText(rest, DESCRIPTION_BYTES_MAX)}</p>`}
${marksOf(preview, shown.allowances)}
${happensOf(preview)}`;
}

function freeStanding({ approval }: ShownApproval): Markup {
  return markup`<h1>${exactText(approval.title, SHORT_BYTES_MAX)}</h1>
<p class="lead">${exactText(approval.summary)}</p>
${section('What is agreed to', exactBlock(jsonText(approval.payload), 'payload'))}`;
}

function exactOf({ approval, preview }: ShownApproval, environmentId: string): Markup {
  return markup`<p class="note">A decision is about exactly this. If any of it changes, nothing is sent.</p>
${preview !== null && requestOf(preview.request)}
${facts([
  ['Approval', markup`<code>${approval.id}</code>`],
  ['Action', approval.action && markup`${approval.action.name} <code class="id">${approval.action.id}</code>`],
  ['Adapter', preview && `${preview.adapterType}, version ${preview.adapterVersion}`],
  ['Invocation', approval.invocationId !== null && inConsole(environmentId, '/invocations', approval.invocationId)],
  ['Effect', approval.effectId !== null && inConsole(environmentId, '/effects', approval.effectId)],
  ['Request digest', preview && markup`<code>${preview.requestDigest}</code>`],
  ['Binding digest', markup`<code>${approval.bindingDigest}</code>`],
])}`;
}
