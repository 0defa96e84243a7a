/** What a new policy begins with. */
export const EXAMPLE_POLICY = `schema: approval-policy/v1
name: large refunds
rules:
  - id: over-500-usd
    match:
      actions: [refund.*]
    when: impact.exists(i, i.dimension == "money" && i.currency == "usd" && i.amount > 50000)
    effect: require_approval
    approval:
      quorum: 1
      expiresIn: PT2H
`;
