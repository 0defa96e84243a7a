import type { ResourceKind } from '../../db/oauth/grants.ts';
import type { EnvironmentOfUser } from '../../db/oauth/connected-apps.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { type ScopeGroup, ORDINARY_SCOPES, SCOPE_GROUPS } from '../../domain/oauth/offered-scopes.ts';
import { isScopeForRole, type Scope } from '../../domain/scopes.ts';
import { exactText, SHORT_BYTES_MAX } from '../html/exact-text.ts';
import { alertOf, csrfField, passkeyFields } from '../html/layout.ts';
import { markup, type Markup } from '../html/markup.ts';
import { environmentText, facts } from '../html/parts.ts';
import type { RedirectKind } from './redirects.ts';

/** The names of the form's check boxes begin so. */
export const SCOPE_FIELD = 'scope:';
export const GROUP_FIELD = 'group:';

/** What an app asks for, as the user is shown it. */
export interface AppRequest {
  clientId: string;
  clientName: string;
  /** Where the user is sent afterwards. */
  redirectUri: string;
  redirectKind: RedirectKind;
  resource: ResourceKind;
  /** What it asks for, without what no app gets. */
  scopes: readonly Scope[];
  openid: boolean;
}

export interface ConsentView {
  asked: AppRequest;
  environments: readonly EnvironmentOfUser[];
  csrfToken: string;
  /** From when on the form takes the passkey, in milliseconds since 1970. Null: the person has none. */
  asksFrom: number | null;
  refused: ServiceError | null;
}

/** What an app asks for, and the form that allows it. The app's own words are shown with every hidden character. */
export function consentContent({ asked, environments, csrfToken, asksFrom, refused }: ConsentView): Markup {
  const grantable = asked.scopes.filter((scope) => environments.some(({ role }) => isScopeForRole(scope, role)));
  const ordinary = grantable.filter((scope) => ORDINARY_SCOPES.includes(scope));
  const groups = SCOPE_GROUPS.filter(({ scopes }) => scopes.some((scope) => grantable.includes(scope)));
  return markup`${refused !== null && alertOf(refused.publicMessage)}
<p><strong>${exactText(asked.clientName)}</strong> asks to act in your name. The name is what the app says of itself: look at where it sends you.</p>
${facts([
  ['Client id', markup`<code>${exactText(asked.clientId)}</code>`],
  ['You are sent to', destinationOf(asked)],
  ['It works through', asked.resource === 'mcp' ? 'the MCP endpoint' : 'the REST API'],
])}
<form method="post"${asksFrom !== null && markup` data-passkey="${String(asksFrom)}"`}>
${csrfField(csrfToken)}
${environmentChoice(environments)}
${ordinary.length > 0 && ordinaryChoice(ordinary)}
${groups.length > 0 && groupChoice(groups, grantable)}
${withheldNote(asked.scopes, environments)}
<p class="note">It never gets more than this. It uses each permission only while your role in the workspace allows it. What it does is on record in your name. You can disconnect it at any time.</p>
<div class="buttons">
<button class="approve" name="decision" value="allow">Allow</button>
<button class="deny" name="decision" value="deny" formnovalidate>Do not allow</button>
</div>
${asksFrom !== null && passkeyFields()}
</form>`;
}

/** Where the code goes, as what it is: nobody vouches for who has claimed a scheme, so the person must know which app they come from. */
function destinationOf({ redirectUri, redirectKind }: AppRequest): Markup {
  const { origin } = new URL(redirectUri);
  if (redirectKind === 'site') return markup`<code>${exactText(origin)}</code>`;
  if (redirectKind === 'loopback') return markup`<code>${exactText(origin)}</code>, a program on this device`;
  return markup`<code>${exactText(redirectUri)}</code>, an app on this device. Any app can claim such links: go on only if you have just started this in the app yourself.`;
}

/** What the user's role keeps from the app, by workspace: the environment that they choose decides. */
function withheldNote(asked: readonly Scope[], environments: readonly EnvironmentOfUser[]): Markup | false {
  const workspaces = new Map(environments.map((environment) => [environment.workspaceId, environment]));
  const notes = [...workspaces.values()].flatMap(({ workspaceName, role }) => {
    const withheld = asked.filter((scope) => !isScopeForRole(scope, role));
    if (withheld.length === 0) return [];
    const scopes = withheld.map((scope) => markup`<code>${scope}</code> `);
    return [
      markup`<p class="note">In ${exactText(workspaceName, SHORT_BYTES_MAX)} your role is ${role}. These need an admin, and are not granted to the app there: ${scopes}</p>`,
    ];
  });
  return notes.length > 0 && markup`${notes}`;
}

/** Nothing is chosen for the user: production and development must not be taken for each other. */
function environmentChoice(environments: readonly EnvironmentOfUser[]): Markup {
  if (environments.length === 0)
    return markup`<p role="alert">You are in no workspace: there is nothing that it could work in.</p>`;
  const options = environments.map(
    ({ id, name, kind, workspaceName }) =>
      markup`<label class="choice"><input type="radio" name="environmentId" value="${id}" required> ${exactText(environmentText({ name, kind }), SHORT_BYTES_MAX)} of ${exactText(workspaceName, SHORT_BYTES_MAX)}</label>`,
  );
  return markup`<fieldset><legend>It works in this environment only</legend>
${options}</fieldset>`;
}

/** "Read impact limits" for `impact-limits:read`. */
function scopeText(scope: Scope): string {
  const [area = '', verb = ''] = scope.split(':');
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${area.replaceAll('-', ' ')}`;
}

function ordinaryChoice(scopes: readonly Scope[]): Markup {
  const boxes = scopes.map(
    (scope) =>
      markup`<label class="choice"><input type="checkbox" name="${SCOPE_FIELD}${scope}" checked> ${scopeText(scope)} <code class="id">${scope}</code></label>`,
  );
  return markup`<fieldset><legend>It asks for</legend>
${boxes}</fieldset>`;
}

function groupChoice(groups: readonly ScopeGroup[], asked: readonly Scope[]): Markup {
  const boxes = groups.map(({ name, title, meaning, scopes }) => {
    const own = scopes.filter((scope) => asked.includes(scope));
    return markup`<label class="choice"><input type="checkbox" name="${GROUP_FIELD}${name}"> ${title}: ${own.map((scope) => markup`<code>${scope}</code> `)}</label>
<p class="note">${meaning}</p>`;
  });
  return markup`<fieldset><legend>It also asks for these, which are off until you choose them</legend>
${boxes}</fieldset>`;
}
