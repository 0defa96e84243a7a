/** Warnings of policies and limits that may be a slip and apply to nothing. Certain mistakes are VALIDATION_ERRORs. */
export const GOVERNANCE_WARNING_TABLE = {
  matches_no_action:
    'No action of the environment has such a name, or the parts of a `match` or `scope` fit no action together. The rule or limit applies to nothing until there is one: what it should hold back goes through.',
  matches_no_adapter: 'No action of the environment has an adapter of this type.',
  matches_no_tag: 'No action of the environment has this `approval.tag`.',
  matches_no_key:
    'No active API key of the environment has this id or name. Where approvers are named, a key without the scope `approvals:decide` counts as none.',
  matches_no_member: 'The workspace has no member with this id, e-mail address or role: nobody could approve by it.',
  unknown_dimension:
    'No action that the limit applies to, or that the rule matches, declares an impact in this dimension. The limit counts nothing.',
  unknown_currency: 'No action that the limit applies to declares money in this currency. The limit counts nothing.',
  impossible_member:
    "The condition reads a member that the closed inputSchema of a matched action does not allow. Reading it is an error, which denies (`policy_evaluation_error`); `has()` of it is never true. Guard what only some actions have by `has()` or by the action's name.",
  policy_disabled: 'The policy is disabled, and applying a file does not put it in force.',
  policy_left_alone: 'The policy is in no file. It stays in force; `prune` deletes it.',
} as const satisfies Record<string, string>;

export type GovernanceWarningCode = keyof typeof GOVERNANCE_WARNING_TABLE;
export const GOVERNANCE_WARNING_CODES = Object.keys(GOVERNANCE_WARNING_TABLE) as [
  GovernanceWarningCode,
  ...GovernanceWarningCode[],
];

export interface GovernanceWarning {
  /** Dotted path into what was written, such as `document.rules[0].match.actions[1]`. */
  path: string;
  code: GovernanceWarningCode;
  message: string;
}

export const GOVERNANCE_WARNINGS_MAX = 100;
