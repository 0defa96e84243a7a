/** A month of a workspace that is closed. */
export interface BillingMonthRef {
  workspaceId: string;
  /** `YYYY-MM`, UTC. */
  month: string;
}
