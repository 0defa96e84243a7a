/** Warnings of what may be wrong with an action or a schedule. What is certainly wrong is a VALIDATION_ERROR. */
export const WARNING_TABLE = {
  input_not_described:
    'The inputSchema neither describes nor forbids an input that the action refers to. An invocation without it is refused. Describe it, and close the schema with `additionalProperties: false`, so that a misspelt name is found when it is written.',
  input_may_be_missing:
    'The inputSchema does not require an input that the action cannot do without. An invocation that lacks it is refused. List it in `required`, or send it by `parameters` or `bodyOptional`, which leave out what is missing.',
  output_not_described:
    'The outputSchema neither describes nor forbids a member of the response that the action refers to. Where the response lacks it, an `upper_bound` counts in full, and a read-back that needs it is not made. Describe it in `outputSchema`.',
  schema_takes_no_member:
    'The schema joins closed objects (`additionalProperties: false`) by `allOf` or `$ref`, and each refuses the members of the others. An input with members is refused. Leave the parts open, and close the whole with `unevaluatedProperties: false`.',
  secret_missing:
    'The vault has no secret of that name yet. Until it does, an invocation is refused (`secret_missing`).',
  url_group_missing:
    'The environment has no URL group of that id or name. Each firing of the schedule fails until it has one. Create it, or correct the name.',
  url_group_empty: 'The URL group has no endpoints. Each firing of the schedule fails until it has one.',
  topic_missing:
    'The environment has no topic of that id or name. Each firing of the schedule fails until it has one. Create it, or correct the name.',
  destination_blocked:
    'The URL names an address that this installation does not call. An invocation is refused (`destination_blocked`) unless `EGRESS_ALLOW` of the workers lists it.',
} as const satisfies Record<string, string>;

export type WarningCode = keyof typeof WARNING_TABLE;
export const WARNING_CODES = Object.keys(WARNING_TABLE) as [WarningCode, ...WarningCode[]];

export interface Warning {
  /** Dotted path into what was written, for example `adapter.config.url` of an action. */
  path: string;
  code: WarningCode;
  message: string;
}
