import { takeGovernedNames } from '../../db/actions/imports.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { ActionDefinition } from '../../domain/actions.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';
import type { Caller } from '../http/define-route.ts';
import { holdsAlso } from '../http/rights.ts';

/** An admin's session governs: it counts as a holder of every scope that is asked for here. */
type Holder = Pick<Caller, 'type' | 'scopes'>;

/**
 * Guards changes that loosen an action (docs/actions.md, "Who may change what"). Changing whether it requires approval always needs
 * `actions:govern`. Changing its declarations (impact, verify, governed, and those of its adapter) needs it once the action is governed or
 * requires approval.
 *
 * @param named which action of a request that writes several.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR that names `actions:govern` and the members.
 */
export function requireGovernScope(
  caller: Holder,
  before: ActionDefinition,
  after: ActionDefinition,
  named?: string,
): void {
  if (holdsAlso(caller, 'actions:govern')) return;
  const guarded = before.governed || before.approval.required;
  const members = [
    ...(differs(before.approval, after.approval) ? ['approval'] : []),
    ...(guarded && differs(before.impact, after.impact) ? ['impact'] : []),
    ...(guarded && differs(before.verify, after.verify) ? ['verify'] : []),
    ...(guarded && before.governed !== after.governed ? ['governed'] : []),
    ...(guarded ? governedAdapterChanges(before.adapter, after.adapter) : []),
  ];
  if (members.length === 0) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: `Changing ${members.join(', ')} of ${named === undefined ? 'this action' : `the action ${named}`} needs the scope actions:govern, which this credential lacks.`,
  });
}

/** The adapter's type and version, and those members of its config that are not declared free. */
function governedAdapterChanges(before: ActionDefinition['adapter'], after: ActionDefinition['adapter']): string[] {
  if (before.type !== after.type) return ['adapter.type'];
  if (before.version !== after.version) return ['adapter.version'];
  const free = adapterDescriptor(before.type, before.version).ungovernedConfig ?? [];
  const members = new Set([...Object.keys(before.config), ...Object.keys(after.config)]);
  return [...members]
    .filter((member) => !free.includes(member) && differs(before.config[member] ?? null, after.config[member] ?? null))
    .map((member) => `adapter.config.${member}`);
}

/**
 * Guards protected environments: an ungoverned action that writes leaves no receipt and no policy asks for its approval. Call it for every
 * definition that a request makes current, and for every name that such an action takes.
 *
 * @param named which action of a request that writes several.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR that names `actions:govern`.
 */
export function requireGovernToWriteUngoverned(
  caller: Holder & Pick<Caller, 'environment'>,
  definition: ActionDefinition,
  named?: string,
): void {
  const { environment } = caller;
  if (!environment.protected || definition.governed || holdsAlso(caller, 'actions:govern')) return;
  const { type, version } = definition.adapter;
  if (!adapterDescriptor(type, version).writes(definition)) return;
  const what =
    named === undefined ? 'An ungoverned action that writes' : `The action ${named} is ungoverned and writes: it`;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: `${what} needs the scope actions:govern in the protected environment "${environment.name}", which this credential lacks. Make it governed: true, or use a credential that holds the scope.`,
  });
}

/** Guards an import that leaves operations ungoverned. @throws {ServiceError} AUTHORIZATION_ERROR that names `actions:govern`. */
export function requireGovernToUngovern(caller: Holder, operations: readonly string[]): void {
  if (operations.length === 0 || holdsAlso(caller, 'actions:govern')) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message:
      'An import that leaves operations ungoverned (body.ungoverned) needs the scope actions:govern, which this credential lacks. Leave the member out: they become governed.',
  });
}

/**
 * Guards the name of an action that is governed or requires approval: policies, limits and callers refer to names, and a rename would allow
 * another action under that name. Archiving needs only `actions:write`: the name stays guarded.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR that names `actions:govern`.
 */
export function requireGovernToRename(caller: Holder, before: ActionDefinition): void {
  if (holdsAlso(caller, 'actions:govern') || !(before.governed || before.approval.required)) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message:
      'Renaming an action that is governed or requires approval needs the scope actions:govern, which this credential lacks.',
  });
}

/**
 * Lets written actions take names that governed actions left behind, for holders of `actions:govern`. Call it in the transaction that wrote
 * the names, afterwards.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR that names `actions:govern` and the names.
 */
export async function takeNames(tx: EnvironmentTransaction, caller: Holder, names: readonly string[]): Promise<void> {
  const governed = await takeGovernedNames(tx, names);
  if (governed.length === 0 || holdsAlso(caller, 'actions:govern')) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: `An action that was governed or required approval bore the name ${listOf(governed)}: to take it again needs the scope actions:govern, which this credential lacks. Choose another name.`,
  });
}

/**
 * Guards every definition that refers to vault secrets, unchanged references too: a caller who may change where a request goes could send
 * another's credential to its own host.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR that names `secrets:read` and the secrets.
 */
export function requireSecretScope(caller: Holder, secretNames: readonly string[]): void {
  if (secretNames.length === 0 || holdsAlso(caller, 'secrets:read') || holdsAlso(caller, 'secrets:write')) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: `A definition that refers to secrets (${secretNames.join(', ')}) needs the scope secrets:read or secrets:write, which this credential lacks.`,
  });
}

const NAMES_SHOWN = 5;

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown;
}

function differs(before: unknown, after: unknown): boolean {
  return canonicalJson(before as Json) !== canonicalJson(after as Json);
}
