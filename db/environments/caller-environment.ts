/** An environment as a credential names it. */
export interface CallerEnvironment {
  id: string;
  name: string;
  kind: 'development' | 'staging' | 'production';
  protected: boolean;
}

/** The columns of a credential's environment, in each function that finds a credential. */
export interface CallerEnvironmentRow {
  environment_id: string;
  environment_name: string;
  environment_kind: CallerEnvironment['kind'];
  environment_protected: boolean;
}

export function callerEnvironmentOf(row: CallerEnvironmentRow): CallerEnvironment {
  return {
    id: row.environment_id,
    name: row.environment_name,
    kind: row.environment_kind,
    protected: row.environment_protected,
  };
}
