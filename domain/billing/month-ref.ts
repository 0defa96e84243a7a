export interface BillingMonthRef {
  workspaceId: string;
  /** `YYYY-MM`, UTC. */
  month: string;
}
