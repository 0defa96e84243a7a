// Generated from the routes of the service by `npm run openapi`. Do not edit.

export interface schemas {
  Action: {
    id: string;
    name: string;
    description: string | null;
    environmentId: schemas["Uuid"];
    adapter: {
      type: string;
      version: string;
      config: Record<string, unknown>;
    };
    /** JSON Schema 2020-12 of the input. */
    inputSchema: Record<string, unknown>;
    outputSchema?: Record<string, unknown>;
    /** True where the action carries impact, verify or governed: true. */
    governed: boolean;
    impact: Array<schemas["ImpactDeclaration"]>;
    verify?: schemas["VerifyDeclaration"];
    approval: {
      required: boolean;
      tag?: string;
    };
    timeoutMs: number;
    /** pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions. */
    mcp: {
      pinned: boolean;
    };
    currentVersion: {
      id: string;
      number: number;
      /** SHA-256 over the RFC 8785 (JCS) bytes of the definition. */
      digest: string;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    archivedAt: schemas["DateTime"] | null;
  };
  ActionAdapter: {
    /** For example `http.request`. */
    type: string;
    /** Left out: the adapter's newest, which is recorded. */
    version?: string;
    /** What the adapter's documentation says. */
    config: Record<string, unknown>;
  };
  ActionDefinition: {
    adapter: {
      type: string;
      version: string;
      config: Record<string, unknown>;
    };
    inputSchema: Record<string, unknown>;
    outputSchema: Record<string, unknown> | null;
    governed: boolean;
    impact: Array<schemas["ImpactDeclaration"]>;
    verify: schemas["VerifyDeclaration"] | null;
    approval: {
      required: boolean;
      tag: string | null;
    };
    timeoutMs: number;
  };
  ActionEventData: {
    actionId: string;
    name: string;
    versionId: string;
    version: number;
  };
  ActionPreview: {
    id: string;
    action: {
      id: string;
      name: string;
      versionId: string;
    };
    adapter: {
      type: string;
      version: string;
    };
    environment: {
      id: schemas["Uuid"];
      name: string;
      kind: string;
    };
    target: Record<string, schemas["JsonValue"]>;
    request: schemas["PreparedRequest"];
    impact: Array<schemas["ImpactQuantity"]>;
    blocks: Array<schemas["PreviewBlock"]>;
    /** What must still hold right before the dispatch. Part of the binding. */
    preconditions: Record<string, schemas["JsonValue"]>;
    capabilities: Record<string, schemas["JsonValue"]>;
    allowances: Array<schemas["PreviewAllowance"]>;
    evidenceObservedAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"];
    /** It can no longer be used: its time is over, or another one supersedes it. */
    expired: boolean;
    requestDigest: string;
    /** What an approval agrees to. */
    bindingDigest: string;
    supersedes: string | null;
    /** The effect that executes it, once one is admitted. */
    effectId: string | null;
    createdAt: schemas["DateTime"];
  };
  ActionVersion: {
    id: string;
    actionId: string;
    number: number;
    /** SHA-256 over the RFC 8785 (JCS) bytes of the definition. */
    digest: string;
    definition: schemas["ActionDefinition"];
    createdBy: {
      type: string;
      id: string;
    };
    createdAt: schemas["DateTime"];
    changeNote: string | null;
  };
  ActionWarning: {
    /** Dotted path into what was written, such as `adapter.config.url` of an action. */
    path: string;
    /** Each code is explained in docs/reference/warnings.md. */
    code: "input_not_described" | "input_may_be_missing" | "output_not_described" | "schema_takes_no_member" | "secret_missing" | "url_group_missing" | "url_group_empty" | "topic_missing" | "destination_blocked";
    message: string;
  };
  /** Who did it. */
  Actor: {
    type: string;
    id: string | null;
    /** The app through which a user asked, where one did. */
    clientId?: string;
  };
  AnalyticsAgent: {
    /** Null for invocations and runs that named no agent. */
    agentId: string | null;
    /** Those that its runs named, the newest first, at most 10. */
    versions: Array<string>;
    runs: {
      /** Began in the range. */
      started: number;
      /** Ended in the range with this status, and so are the next ones. */
      succeeded: number;
      failed: number;
      cancelled: number;
    };
    /** From the start to the end of the runs that ended in the range. */
    durationMs: schemas["AnalyticsPercentiles"] | null;
    approximate: schemas["AnalyticsApproximation"];
    tokens: {
      /** What the runs that ended in the range say, and so is `output`. Runs with a sum alone are in neither. */
      input: number;
      output: number;
    };
    /** What these runs say that they cost, in US dollars. */
    costUsd: number;
    /** Admitted in the range. */
    invocations: number;
    /** Ended in the range as `refused`. Denied, expired and cancelled ones are not. */
    refused: number;
    /** Invocations, admitted in the range, that asked for an approval. */
    approvalsRequested: number;
    /** The newest time in the range that is counted here. */
    lastSeenAt: schemas["DateTime"] | null;
  };
  /** How far the percentiles beside it are from the exact ones, at most. */
  AnalyticsApproximation: {
    /** Always 0.05. */
    relativeError: number;
  };
  AnalyticsDelivery: {
    range: schemas["AnalyticsRange"];
    attempts: {
      /** Attempts that ended in the range, of messages, callbacks and deliveries of events. */
      total: number;
      /** Those that were answered 2xx. */
      succeeded: number;
      /** All others whose end is known. */
      failed: number;
      /** Those whose worker was lost: nobody knows what the destination did. */
      abandoned: number;
    };
    /** Without the abandoned ones. `timeout`: no answer in time. `connection`: no connection, or one that broke. `blocked`: the egress rules forbade it, and nothing was sent. */
    byOutcome: {
      "2xx": number;
      "3xx": number;
      "4xx": number;
      "5xx": number;
      timeout: number;
      connection: number;
      blocked: number;
    };
    /** From the dialling to the end of the answer, of attempts that dialled. */
    latencyMs: schemas["AnalyticsPercentiles"] | null;
    /** The share of first attempts that succeeded, among those that ended in the range. */
    firstAttemptSuccessRate: schemas["AnalyticsRate"];
    /** The mean, over the messages that were delivered or failed in the range, with all their attempts. */
    attemptsPerMessage: number | null;
    /** From the time at which a message was due until it was delivered, retries included, of those delivered in the range. */
    timeToDeliveryMs: schemas["AnalyticsPercentiles"] | null;
    approximate: schemas["AnalyticsApproximation"];
    buckets: Array<{
      start: schemas["DateTime"];
      /** Not included. */
      end: schemas["DateTime"];
      succeeded: number;
      /** Without the abandoned ones. */
      failed: number;
      /** The 95th percentile of the latency. */
      p95: number | null;
    }>;
  };
  /** How many there are now, whatever the range. */
  AnalyticsGauge: {
    count: number;
    /** Whether there may be more: counting ends at 10,000. */
    isCapped: boolean;
  };
  /** Effects by the grade that they have now, at the time of their outcome or rejection. */
  AnalyticsGrades: {
    confirmed: number;
    acknowledged: number;
    unknown: number;
    failed: number;
    refused: number;
    denied: number;
    /** Always 0: what is pending has no grade yet. */
    pending: number;
  };
  AnalyticsHalt: {
    at: schemas["DateTime"];
    by: {
      type: "api_key" | "user" | "system";
      id: string | null;
    };
    /** Null while the halt lasts. */
    until: schemas["DateTime"] | null;
  };
  AnalyticsImpactLimit: {
    limitId: string;
    name: string;
    dimension: string;
    currency: string | null;
    /** In minor units of the currency, or in pieces of the dimension; so are the next three. */
    cap: number;
    /** Used in the current period. */
    settled: number;
    /** Held in the current period by effects that have not ended, those with an unknown outcome included. */
    reserved: number;
    /** Held by unknown outcomes, of all periods. */
    unknown: number;
    /** (settled + reserved) / cap. Null for a limit of each effect. */
    utilisation: number | null;
    /** Whether an effect was refused for it in the current period. */
    exceeded: boolean;
  };
  AnalyticsMessages: {
    range: schemas["AnalyticsRange"];
    /** Sums of the buckets. */
    totals: {
      /** Accepted in the range or bucket, duplicates left out. */
      accepted: number;
      /** Delivered in it, whenever they were accepted. */
      delivered: number;
      /** Failed for good in it. */
      failed: number;
      /** Cancelled in it. */
      cancelled: number;
    };
    /** Messages that have not ended, by their status as it is now, whatever the range. */
    now: {
      pending: schemas["AnalyticsGauge"];
      scheduled: schemas["AnalyticsGauge"];
      processing: schemas["AnalyticsGauge"];
    };
    /** Sums to `totals`. */
    byKind: Array<{
      /** `message`, `callback`, `event` or `alert`. */
      kind: string;
      /** Accepted in the range or bucket, duplicates left out. */
      accepted: number;
      /** Delivered in it, whenever they were accepted. */
      delivered: number;
      /** Failed for good in it. */
      failed: number;
      /** Cancelled in it. */
      cancelled: number;
    }>;
    /** The 20 labels with the most messages. */
    byLabel: Array<{
      /** Null for messages without a label; `(other)` for those beyond 1,000 labels of a day. */
      label: string | null;
      /** Accepted in the range or bucket, duplicates left out. */
      accepted: number;
      /** Delivered in it, whenever they were accepted. */
      delivered: number;
      /** Failed for good in it. */
      failed: number;
      /** Cancelled in it. */
      cancelled: number;
    }>;
    buckets: Array<{
      start: schemas["DateTime"];
      /** Not included. */
      end: schemas["DateTime"];
      /** Accepted in the range or bucket, duplicates left out. */
      accepted: number;
      /** Delivered in it, whenever they were accepted. */
      delivered: number;
      /** Failed for good in it. */
      failed: number;
      /** Cancelled in it. */
      cancelled: number;
    }>;
  };
  AnalyticsMetric: "invocations.created" | "invocations.ended" | "effects.graded" | "approvals.requested" | "approvals.decided" | "messages.accepted" | "messages.ended" | "delivery.attempts" | "delivery.latency.p50" | "delivery.latency.p95" | "delivery.latency.p99" | "schedules.fired" | "runs.started" | "runs.ended" | "runs.duration.p95" | "tokens" | "cost" | "refusals" | "errors";
  AnalyticsOnboarding: schemas["Onboarding"];
  AnalyticsOverview: {
    range: schemas["AnalyticsRange"];
    invocations: {
      /** Admitted in the range, whatever became of them. Requests that were refused before are not. */
      created: number;
      /** Ended in the range with this status, and so are the next ones. */
      succeeded: number;
      failed: number;
      /** Became unknown in the range and still are. A resolution moves one to its new status and time. */
      unknown: number;
      refused: number;
      denied: number;
      expired: number;
      cancelled: number;
      /** Queued, being sent, or waiting for an approval now, whatever the range. */
      pendingNow: schemas["AnalyticsGauge"];
    };
    effects: {
      byGrade: schemas["AnalyticsGrades"];
      /** confirmed / (confirmed + acknowledged). */
      confirmedShare: schemas["AnalyticsRate"];
      /** Effects whose outcome is not known now, whatever the range. */
      unknownNow: schemas["AnalyticsGauge"];
      /** Since when the oldest of them is unknown; null when none is. */
      oldestUnknownAt: schemas["DateTime"] | null;
    };
    approvals: {
      /** Asked for in the range, those for free-standing work too. */
      requested: number;
      /** Decided in the range, consumed ones included. */
      approved: number;
      /** Decided in the range. */
      denied: number;
      /** Expired in the range without a decision. */
      expired: number;
      /** From the request to the decision, of the approved and the denied. */
      decisionMs: schemas["AnalyticsPercentiles"] | null;
      approximate: schemas["AnalyticsApproximation"];
      /** Waiting for a decision now, whatever the range. */
      pendingNow: schemas["AnalyticsGauge"];
    };
    messages: {
      /** Accepted in the range, callbacks and alerts too. Deliveries of events are left out, as in the list of messages. */
      accepted: number;
      /** Ended in the range with this status, and so are the next ones. */
      delivered: number;
      /** A retry of a dead letter is another message: this one stays failed. */
      failed: number;
      cancelled: number;
      /** delivered / (delivered + failed). */
      deliveryRate: schemas["AnalyticsRate"];
      /** Accepted and not ended: pending, scheduled or being sent now, whatever the range. */
      pendingNow: schemas["AnalyticsGauge"];
    };
    schedules: {
      /** Runs of every trigger that ended in the range, whatever their outcome. */
      firings: number;
      failed: number;
      missed: number;
      /** Not paused now, whatever the range. */
      activeNow: schemas["AnalyticsGauge"];
    };
    runs: {
      /** Began in the range. */
      started: number;
      /** Ended in the range with this status, and so are the next ones. */
      succeeded: number;
      failed: number;
      cancelled: number;
      /** What the runs that ended in the range say that they used. */
      tokens: number;
      /** What they say that they cost, in US dollars. */
      costUsd: number;
      /** Running now, whatever the range. */
      runningNow: schemas["AnalyticsGauge"];
    };
    /** In the dead-letter queue now, whatever the range. */
    deadLettersNow: schemas["AnalyticsGauge"];
    previous: schemas["AnalyticsPreviousOverview"];
  };
  AnalyticsPercentiles: {
    /** In milliseconds, at most 5 % from the exact value. */
    p50: number;
    /** In milliseconds, at most 5 % from the exact value. */
    p95: number;
    /** In milliseconds, at most 5 % from the exact value. */
    p99: number;
    /** In milliseconds, at most 5 % from the exact value. */
    max: number;
    /** The durations that these are of. */
    count: number;
  };
  AnalyticsPolicyDecision: {
    /** Null when the action or the default of the environment decided. */
    policyId: string | null;
    ruleId: string | null;
    /** The version of the policy. */
    version: schemas["Integer"] | null;
    effect: "allow" | "require_approval" | "deny";
    count: number;
  };
  /** The same numbers of the range of equal length before this one, without those of now. */
  AnalyticsPreviousOverview: {
    invocations: {
      /** Admitted in the range, whatever became of them. Requests that were refused before are not. */
      created: number;
      /** Ended in the range with this status, and so are the next ones. */
      succeeded: number;
      failed: number;
      /** Became unknown in the range and still are. A resolution moves one to its new status and time. */
      unknown: number;
      refused: number;
      denied: number;
      expired: number;
      cancelled: number;
    };
    effects: {
      byGrade: schemas["AnalyticsGrades"];
      /** confirmed / (confirmed + acknowledged). */
      confirmedShare: schemas["AnalyticsRate"];
    };
    approvals: {
      /** Asked for in the range, those for free-standing work too. */
      requested: number;
      /** Decided in the range, consumed ones included. */
      approved: number;
      /** Decided in the range. */
      denied: number;
      /** Expired in the range without a decision. */
      expired: number;
      /** From the request to the decision, of the approved and the denied. */
      decisionMs: schemas["AnalyticsPercentiles"] | null;
      approximate: schemas["AnalyticsApproximation"];
    };
    messages: {
      /** Accepted in the range, callbacks and alerts too. Deliveries of events are left out, as in the list of messages. */
      accepted: number;
      /** Ended in the range with this status, and so are the next ones. */
      delivered: number;
      /** A retry of a dead letter is another message: this one stays failed. */
      failed: number;
      cancelled: number;
      /** delivered / (delivered + failed). */
      deliveryRate: schemas["AnalyticsRate"];
    };
    schedules: {
      /** Runs of every trigger that ended in the range, whatever their outcome. */
      firings: number;
      failed: number;
      missed: number;
    };
    runs: {
      /** Began in the range. */
      started: number;
      /** Ended in the range with this status, and so are the next ones. */
      succeeded: number;
      failed: number;
      cancelled: number;
      /** What the runs that ended in the range say that they used. */
      tokens: number;
      /** What they say that they cost, in US dollars. */
      costUsd: number;
    };
  };
  AnalyticsRange: {
    /** The beginning, included, on the grid. */
    from: schemas["DateTime"];
    /** The end, not included, on the grid: it may be after now. */
    to: schemas["DateTime"];
    interval: "15m" | "hour" | "day" | "week" | "month";
    /** The zone of the grid: UTC where the interval is shorter than a day. */
    timezone: string;
    /** All that was committed before it is counted. Numbers before it change by corrections alone, such as an unknown outcome that is resolved. */
    completeUntil: schemas["DateTime"];
  };
  /** From 0 to 1. Null where there was nothing to divide by. */
  AnalyticsRate: number | null;
  AnalyticsSeries: {
    /** The value of the group, such as the id of an action; empty for records without one, null for all groups that are not among the top. */
    key: string | null;
    /** For people: the name of what the key is the id of, else the key; `none`, `other`, or `all` without a group. */
    label: string;
    /** The sum of the points; for a percentile, that of the whole range. */
    total: number | null;
    /** One for each bucket, in its order. Counts and sums are integers, 0 where there was none; a percentile is null there. */
    points: (number | null)[];
  };
  AnalyticsTimeSeries: {
    range: schemas["AnalyticsRange"];
    metric: schemas["AnalyticsMetric"];
    /** `micro_usd`: millionths of a US dollar. */
    unit: "count" | "ms" | "tokens" | "micro_usd";
    groupBy: string | null;
    /** The oldest first, those without a record included. */
    buckets: Array<{
      start: schemas["DateTime"];
      /** Not included. */
      end: schemas["DateTime"];
    }>;
    /** The largest first, the rest last. None where nothing was counted and a group was asked for. */
    series: Array<schemas["AnalyticsSeries"]>;
    /** Null where the metric is exact. */
    approximate: schemas["AnalyticsApproximation"] | null;
    /** Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones. */
    truncated: boolean;
  };
  AnalyticsTrustControl: {
    range: schemas["AnalyticsRange"];
    /** Invocations that were evaluated in the range, by what was decided. */
    decisions: {
      allow: number;
      requireApproval: number;
      deny: number;
    };
    /** The same by rule, the most frequent first, at most 50. */
    byPolicy: Array<schemas["AnalyticsPolicyDecision"]>;
    /** Those for free-standing work are counted too. */
    approvals: {
      /** Asked for in the range. */
      requested: number;
      /** Decided in the range, consumed ones included. */
      approved: number;
      /** Decided in the range. */
      denied: number;
      /** Ended in the range without a decision, and so are the next two. */
      expired: number;
      cancelled: number;
      /** What was asked for had changed. */
      invalidated: number;
      /** From the request to the decision, of the approved and the denied. */
      decisionMs: schemas["AnalyticsPercentiles"] | null;
      approximate: schemas["AnalyticsApproximation"];
    };
    grades: schemas["AnalyticsGrades"];
    /** The same effects by who says what became of them. */
    verification: {
      provider: number;
      manual: number;
      unverified: number;
      notDispatched: number;
    };
    /** Invocations that ended in the range as refused, denied, expired or cancelled, by code, the most frequent first. */
    refusals: Array<{
      code: string;
      count: number;
    }>;
    unknowns: {
      /** Effects that became unknown in the range, whatever became of them. */
      opened: number;
      /** Became known in the range by a read of the provider or a late answer. */
      resolvedByLookup: number;
      /** Became known in the range by a person. */
      resolvedManually: number;
      /** Unknown now, whatever the range. */
      openNow: schemas["AnalyticsGauge"];
      /** Since when the oldest of them is unknown; null when none is. */
      oldestOpenAt: schemas["DateTime"] | null;
      /** How long those that became known in the range were unknown. */
      resolutionMs: schemas["AnalyticsPercentiles"] | null;
      approximate: schemas["AnalyticsApproximation"];
    };
    /** The live limits as they stand now, whatever the range. */
    impactLimits: Array<schemas["AnalyticsImpactLimit"]>;
    /** Times in the range in which the environment was halted, the newest first. */
    halts: Array<schemas["AnalyticsHalt"]>;
    /** Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones. */
    truncated: boolean;
  };
  AnalyticsUsageCurrent: {
    range: schemas["AnalyticsRange"];
    /** The UTC month. */
    period: {
      start: schemas["DateTime"];
      end: schemas["DateTime"];
    };
    /** When every meter and budget begins at 0 again: the end of the period. */
    resetsAt: schemas["DateTime"];
    /** One for each meter, in a fixed order. */
    items: Array<schemas["EnvironmentUsageItem"]>;
    /** The budget of the calling key. Null for a key without one, and for a session. */
    budget: schemas["Budget"] | null;
  };
  /** With `meter`, the other meters are left out. */
  AnalyticsUsageDay: {
    /** The UTC day. */
    date: string;
    /** Whether the day has ended. */
    complete: boolean;
    /** Invocations admitted on the day, without those that were given back later. */
    executions?: schemas["Integer"];
    /** Messages accepted on the day, deliveries of events included. */
    messages?: schemas["Integer"];
    /** Bytes of bodies that were sent and read on the day. */
    egressBytes?: schemas["Integer"];
    /** Memories stored or superseded, searches, and ingests. */
    memoryOperations?: schemas["Integer"];
    /** Notification e-mails, one for each recipient. */
    notificationEmails?: schemas["Integer"];
  };
  AnalyticsUsageHistory: {
    range: schemas["AnalyticsRange"];
    /** The oldest first; days without use have zeros. */
    days: Array<schemas["AnalyticsUsageDay"]>;
    /** Sums of the days shown. */
    totals: {
      /** Invocations admitted on the day, without those that were given back later. */
      executions?: schemas["Integer"];
      /** Messages accepted on the day, deliveries of events included. */
      messages?: schemas["Integer"];
      /** Bytes of bodies that were sent and read on the day. */
      egressBytes?: schemas["Integer"];
      /** Memories stored or superseded, searches, and ingests. */
      memoryOperations?: schemas["Integer"];
      /** Notification e-mails, one for each recipient. */
      notificationEmails?: schemas["Integer"];
    };
  };
  ApiKey: {
    id: string;
    name: string;
    /** The first 18 characters. */
    keyPrefix: string;
    /** Neither deleted nor expired. */
    isActive: boolean;
    createdAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"] | null;
    /** To the minute. */
    lastUsedAt: schemas["DateTime"] | null;
    /** The member who made it; both count as one person. Null: the operator, at the command line. */
    createdBy: string | null;
  };
  AppliedApprovalPolicyPlan: {
    planId: string;
    /** The revision of the policies after it. */
    revision: number;
    changes: Array<{
      name: string;
      action: "create" | "update" | "delete" | "none";
      policyId: string | null;
      /** The newest after it. */
      version: schemas["Integer"] | null;
    }>;
    /** What may be a slip, as in the plan. Each path leads into the `changes` of the plan. */
    warnings: Array<schemas["GovernanceWarning"]>;
    appliedAt: schemas["DateTime"];
  };
  ApplyApprovalPolicyPlan: {
    planId: string;
    digest: string;
    /** Refuse with 400 and change nothing where there is a warning; `details.warnings` has them. */
    failOnWarnings?: boolean;
  };
  Approval: {
    id: string;
    /** `free_standing`: for work that its caller runs itself. */
    kind: "invocation" | "free_standing";
    /** `consumed`: the one dispatch that it was given for was marked. `invalidated`: what was agreed to no longer held. */
    status: "pending" | "approved" | "denied" | "expired" | "cancelled" | "invalidated" | "consumed";
    invocationId: string | null;
    effectId: string | null;
    previewId: string | null;
    action: {
      id: string;
      name: string;
    } | null;
    title: string;
    /** What will happen, in one sentence. */
    summary: string;
    /** What a free-standing approval agrees to; null for the others. */
    payload: schemas["JsonValue"];
    /** Echo it to approve. */
    bindingDigest: string;
    policy: schemas["ApprovalReason"];
    quorum: schemas["ApprovalQuorum"];
    /** Each of these must name the one who decides. An entry without names: any key with `approvals:decide`, any admin or owner. */
    approvers: Array<schemas["Approvers"]>;
    /** The requester cannot approve. */
    preventSelf: boolean;
    /** Oldest first. */
    decisions: Array<schemas["ApprovalDecision"]>;
    requestedBy: schemas["Actor"];
    agentId: string | null;
    runId: string | null;
    /** Exactly what will be sent, credentials hidden; its target, impact and blocks. Null for a free-standing one. */
    preview: schemas["ActionPreview"] | null;
    /** What remains of the impact limits: now, while it is pending; as it was previewed, afterwards. */
    allowances: Array<schemas["PreviewAllowance"]>;
    reminders: {
      sent: schemas["Integer"];
      lastAt: schemas["DateTime"] | null;
    };
    /** Where a person reads this and decides, signed in. Null where the service has no `PUBLIC_URL`. */
    url: string | null;
    createdAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"];
    decidedAt: schemas["DateTime"] | null;
    consumedAt: schemas["DateTime"] | null;
  };
  ApprovalDecision: {
    actor: schemas["Actor"];
    decision: "approve" | "deny";
    note: string | null;
    bindingDigest: string;
    /** How the actor was known when it decided. */
    authentication: {
      /** `passkey` and `recovery_code`: beside the password. `chat`: the account of a chat, linked to the actor. */
      method: "password" | "passkey" | "recovery_code" | "api_key" | "oauth" | "chat";
      /** When a person of a session was; for the others the time of the record. */
      at: schemas["DateTime"];
      keyName: string | null;
      sessionId: string | null;
      /** The chat user who is linked to the actor, where it decided in a chat. */
      chat: {
        provider: "slack" | "discord";
        integrationId: string;
        userId: string;
        userName: string;
      } | null;
      /** The app that the actor has let decide for them, where it did. */
      app: {
        clientId: string;
        connectedAppId: string;
      } | null;
      role: "member" | "admin" | "owner" | null;
    };
    /** False once its key was revoked, its app disconnected, or its member, or the maker of its key, removed. An agreement that does not stand when the approval is consumed does not count. */
    stands: boolean;
    at: schemas["DateTime"];
  };
  ApprovalEventData: {
    approvalId: string;
    kind: "invocation" | "free_standing";
    title: string;
    status: "pending" | "approved" | "denied" | "expired";
    invocationId: string | null;
    effectId: string | null;
    previewId: string | null;
    action: string | null;
    bindingDigest: string;
    quorum: number;
    requestedBy: {
      type: string;
      id: string | null;
    };
    expiresAt: schemas["DateTime"];
    decidedAt: schemas["DateTime"] | null;
  };
  ApprovalPolicy: {
    id: string;
    name: string;
    /** That of the newest document. */
    priority: schemas["Integer"];
    enabled: boolean;
    /** Number of the newest version. */
    version: number;
    document: schemas["ApprovalPolicyDocument"];
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** Set once it was deleted: it decides nothing, and its history stays. */
    archivedAt: schemas["DateTime"] | null;
  };
  ApprovalPolicyDocument: {
    schema: "approval-policy/v1";
    name: string;
    priority: number;
    rules: Array<{
      id: string;
      match: {
        actions?: ((unknown & unknown) & (string))[];
        adapters?: ((unknown & unknown) & (string))[];
        agents?: Array<string>;
        keys?: Array<string>;
        tags?: Array<string>;
      };
      when?: string;
      effect: "allow" | "require_approval" | "deny";
      approval?: {
        quorum: number;
        approvers: {
          roles?: ("member" | "admin" | "owner")[];
          users?: Array<string>;
          keys?: Array<string>;
        };
        preventSelf: boolean;
        expiresIn: string;
        onExpiry: "deny";
      };
    }>;
  };
  ApprovalPolicyFile: {
    /** For messages; it decides nothing. */
    path: string;
    /** One policy document in YAML or JSON, at most 131072 bytes. */
    content: string;
  };
  ApprovalPolicyPlan: {
    planId: string;
    /** The revision of the policies that the files were compared with. */
    baseRevision: number;
    /** Names what the plan does; `apply` repeats it. */
    digest: string;
    /** True where nothing would change. */
    unchanged: boolean;
    changes: Array<{
      name: string;
      action: "create" | "update" | "delete" | "none";
      before: schemas["ApprovalPolicyDocument"] | null;
      after: schemas["ApprovalPolicyDocument"] | null;
    }>;
    /** What may be a slip. Each path leads into the request. */
    warnings: Array<schemas["GovernanceWarning"]>;
    expiresAt: schemas["DateTime"];
  };
  ApprovalPolicyTrace: {
    /** null in a test of files: they are no policies yet. */
    policyId: string | null;
    policyName: string;
    version: schemas["Integer"] | null;
    ruleId: string;
    /** `not_matched`: `match` did not hold; `condition_false`: `when` did not. */
    outcome: "matched" | "not_matched" | "condition_false" | "error";
    /** What the rule asks for. */
    effect: "allow" | "require_approval" | "deny";
    /** Which part of `match` did not hold, or the error of the expression. */
    detail: string | null;
    /** What the expression saw, by path. */
    values: Record<string, string>;
  };
  ApprovalPolicyVerdict: {
    effect: "allow" | "require_approval" | "deny";
    /** What decided: a rule, the action's own `approval.required`, or the default of the environment. */
    source: "policy" | "action" | "environment";
    policyId: string | null;
    /** Number of the version of the policy. */
    version: schemas["Integer"] | null;
    ruleId: string | null;
    /** How many must approve. Set, as the next three, where the effect is require_approval. */
    quorum: schemas["Integer"] | null;
    /** One for each rule that requires an approval: all of them must name the one who decides. `{}` names any key with `approvals:decide`, any admin or owner. */
    approvers: Array<{
      roles?: ("member" | "admin" | "owner")[];
      users?: Array<string>;
      keys?: Array<string>;
    }> | null;
    preventSelf: boolean | null;
    expiresInSeconds: schemas["Integer"] | null;
    reason: string;
    /** The code of the refusal, where the effect is deny. */
    refusal: {
      code: string;
      message: string;
    } | null;
    /** The revision of the policies that were evaluated. */
    revision: number;
    /** Every rule that was looked at, in order. */
    trace: Array<schemas["ApprovalPolicyTrace"]>;
  };
  ApprovalPolicyVersion: {
    policyId: string;
    version: number;
    /** SHA-256 over the RFC 8785 (JCS) bytes of the document. */
    digest: string;
    document: schemas["ApprovalPolicyDocument"];
    createdBy: {
      type: string;
      id: string;
    };
    createdAt: schemas["DateTime"];
  };
  /** `received`: how many people agreed; until the approval ends, those alone whose agreement stands. */
  ApprovalQuorum: {
    required: schemas["Integer"];
    received: schemas["Integer"];
  };
  /** Why it is asked for. */
  ApprovalReason: {
    source: "policy" | "action" | "environment" | "caller";
    id: string | null;
    version: schemas["Integer"] | null;
    ruleId: string | null;
    reason: string;
  };
  ApprovalRequest: {
    title: string;
    /** What will happen, in one sentence for those who decide. */
    summary: string;
    /** What is agreed to. Part of the binding digest. */
    payload: schemas["JsonValue"];
    /** ISO 8601 duration, PT1M to P30D. Default P1D. */
    expiresIn?: string;
    /** How many different principals must approve. */
    quorum?: number;
  };
  ApproveRequest: {
    /** The approval's own, as it was shown: a decision is about exactly this. Another one is answered 409. */
    bindingDigest: string;
    note?: string;
  };
  Approvers: {
    roles?: ("member" | "admin" | "owner")[];
    users?: Array<string>;
    keys?: Array<string>;
  };
  AssembleContext: {
    /** The session that the messages come from. Name it, or `memory`, or both. */
    sessionId?: string;
    /** The text that memory is searched for; needed with `memory`. */
    query?: string;
    /** Searches memory, which needs `memory:read` and is one memory operation. */
    memory?: {
      collectionIds?: Array<string>;
      userId?: string;
      limit?: number;
    };
    /** The budget, in tokens of o200k_base. 4000 where it is left out. */
    maxTokens?: number;
    /** `openai`: messages of Chat Completions. `anthropic`: `system` and messages of the Messages API. `text`: one text. */
    format?: "openai" | "anthropic" | "text";
  };
  /** A file that a request carries. */
  Attachment: {
    id: string;
    filename: string;
    contentType: string;
    /** Bytes. */
    size: number;
    /** Hex. Other bytes are not sent. */
    sha256: string;
  };
  Attempt: {
    number: schemas["Integer"];
    kind: "dispatch" | "replay" | "reconcile";
    status: "started" | "completed" | "abandoned";
    observedOutcome: string | null;
    error: string | null;
    startedAt: schemas["DateTime"];
    finishedAt: schemas["DateTime"] | null;
    id: string;
    /** From this moment on something may have been sent. */
    claimedAt: schemas["DateTime"] | null;
    refusal: schemas["RecordedRefusal"] | null;
    /** SHA-256 over the response. */
    responseDigest: string | null;
    /** The versions that its secrets had when it was marked. */
    secretVersions: Record<string, schemas["Integer"]> | null;
    /** What came after the attempt had been given up. */
    lateAnswer: {
      observedOutcome: string;
      error: string | null;
      responseDigest: string | null;
      recordedAt: schemas["DateTime"];
    } | null;
    /** Its entries in the chain of the effect. */
    chain: Array<schemas["ReceiptEntry"]>;
  };
  /** Who changed what. Never changed or removed. */
  AuditEntry: {
    id: string;
    /** Counts the workspace's entries. */
    sequence: number;
    actor: {
      type: "api_key" | "user" | "system";
      id: string | null;
    };
    /** How the actor was authenticated. null: the service itself, or nobody was. */
    authentication: schemas["Authentication"] | null;
    action: string;
    target: {
      type: string;
      id: string;
    };
    /** null: of the workspace as a whole. */
    environmentId: schemas["Uuid"] | null;
    details: Record<string, schemas["JsonValue"]>;
    requestId: string | null;
    recordedAt: schemas["DateTime"];
    /** The hash of the entry before; null for the first. */
    previousHash: string | null;
    /** SHA-256 over the entry and `previousHash`; the database computes it. */
    hash: string;
  };
  Authentication: {
    /** `passkey` and `recovery_code`: beside the password. `chat`: the account of a chat, linked to the actor. */
    method: "password" | "passkey" | "recovery_code" | "api_key" | "oauth" | "chat";
    /** When a person of a session was; for the others the time of the record. */
    at: schemas["DateTime"];
  };
  /** As publish answers (for a URL group an array, for a topic the event), or why this one was not accepted. */
  BatchResult: schemas["PublishedMessage"] | Array<schemas["PublishedMessage"]> | schemas["PublishedToTopic"] | {
    error: {
      code: string;
      message: string;
      details?: Record<string, schemas["JsonValue"]>;
    };
  };
  BillingBudget: {
    target: schemas["BillingMoney"] | null;
    /** Percent of the target, ascending. */
    thresholds: Array<number>;
    /** What the month has come to so far, as the cost estimate says. */
    spend: schemas["BillingMoney"];
    projectedSpend: schemas["BillingMoney"] | null;
    /** One decimal, cut. Null without a target. */
    percentUsed: number | null;
    /** Thresholds that were reached this month; each is told of once. */
    alerts: Array<{
      threshold: schemas["Integer"];
      at: schemas["DateTime"];
    }>;
    /** Nothing is refused because of it. */
    enforcement: "alert_only";
    resetsAt: schemas["DateTime"];
  };
  BillingMoney: {
    /** In minor units of the currency. */
    amount: schemas["Integer"];
    currency: string;
  };
  BillingPeriod: {
    start: schemas["DateTime"];
    /** Excluded. */
    end: schemas["DateTime"];
  };
  BillingPlan: {
    id: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise";
    /** For people. */
    name: string;
    limits: schemas["PlanLimits"];
    /** What Early Beta Access includes; null for every other plan. */
    betaAllowances: {
      environments: schemas["PlanCap"];
      executions: schemas["PlanCap"];
      messages: schemas["PlanCap"];
      egressBytes: schemas["PlanCap"];
      memoryOperations: schemas["PlanCap"];
      notificationEmails: schemas["PlanCap"];
    } | null;
    features: {
      /** Whether the audit log can be read. */
      auditLog: boolean;
    };
    /** For a month. Null: no price is published. */
    price: schemas["BillingMoney"] | null;
    status: "active" | "past_due" | "cancelled";
    /** When the workspace got this plan. */
    since: schemas["DateTime"];
    access: {
      /** When monthly allowances begin again: 00:00 UTC on the first of the next month. */
      usageResetsAt: schemas["DateTime"];
      paidPlansOpen: boolean;
      /** Whether `POST /api/v2/billing/upgrade` would be accepted from an admin. */
      canUpgrade: boolean;
    };
    /** A change that a customer asked for and that is not in force yet. */
    pendingChange: {
      plan: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise";
      effectiveAt: schemas["DateTime"];
    } | null;
  };
  BillingUsageHistory: {
    timezone: "UTC";
    days: Array<{
      date: string;
      /** Whether the day has ended. */
      complete: boolean;
      /** Invocations that were admitted on the day, without those that were given back. */
      executions: schemas["Integer"];
      /** Messages that were accepted on the day, deliveries of events included. */
      messages: schemas["Integer"];
      /** Bytes of bodies that were sent and read on the day. */
      egressBytes: schemas["Integer"];
      /** Memories stored or superseded, searches, and ingests. */
      memoryOperations: schemas["Integer"];
      /** Notification e-mails, one for each recipient. */
      notificationEmails: schemas["Integer"];
    }>;
    months: Array<{
      /** `YYYY-MM`, as far as the range reaches. */
      month: string;
      /** Invocations that were admitted on the day, without those that were given back. */
      executions: schemas["Integer"];
      /** Messages that were accepted on the day, deliveries of events included. */
      messages: schemas["Integer"];
      /** Bytes of bodies that were sent and read on the day. */
      egressBytes: schemas["Integer"];
      /** Memories stored or superseded, searches, and ingests. */
      memoryOperations: schemas["Integer"];
      /** Notification e-mails, one for each recipient. */
      notificationEmails: schemas["Integer"];
    }>;
    totals: {
      /** Invocations that were admitted on the day, without those that were given back. */
      executions: schemas["Integer"];
      /** Messages that were accepted on the day, deliveries of events included. */
      messages: schemas["Integer"];
      /** Bytes of bodies that were sent and read on the day. */
      egressBytes: schemas["Integer"];
      /** Memories stored or superseded, searches, and ingests. */
      memoryOperations: schemas["Integer"];
      /** Notification e-mails, one for each recipient. */
      notificationEmails: schemas["Integer"];
    };
  };
  /** Text that is sent as it is, or the bytes of a file. */
  BodyPart: {
    text: string;
  } | {
    file: schemas["Attachment"];
    encoding: "raw" | "base64";
  };
  Budget: {
    apiKeyId: string;
    /** The UTC month that `used` and `reserved` are of. */
    month: string;
    caps: schemas["BudgetCaps"];
    used: schemas["BudgetSums"];
    /** For invocations that are under way, or whose outcome is unknown. */
    reserved: schemas["BudgetSums"];
    /** A millionth of a cent. */
    unit: "microcents";
    /** The key is paused (503 BUDGET_RECONCILIATION_REQUIRED): put the budget with `usedBefore`. */
    reconciliationRequired: boolean;
    resetsAt: schemas["DateTime"];
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  /** What is left out has no cap of its own. */
  BudgetCaps: {
    total?: number;
    messages?: number;
    events?: number;
    cacheLookups?: number;
    memoryOperations?: number;
    invocations?: number;
  };
  BudgetSums: {
    total: number;
    messages: number;
    events: number;
    cacheLookups: number;
    memoryOperations: number;
    invocations: number;
  };
  CacheEntry: {
    id: string;
    prompt: string;
    response: schemas["JsonValue"];
    model: string | null;
    namespace: string;
    attributes: Record<string, schemas["JsonValue"]>;
    hits: number;
    createdAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"];
    lastHitAt: schemas["DateTime"] | null;
  };
  CacheLookup: {
    prompt: string;
    /** The model that answers. */
    model?: string;
    /** The system prompt. */
    system?: string;
    /** The tools that the model was given. */
    tools?: Array<schemas["JsonValue"]>;
    /** What else the answer depends on, such as the user, the locale or a temperature. */
    attributes?: Record<string, string | number | boolean>;
    /** `default` where it is left out. */
    namespace?: string;
    /** Answer near prompts too: those that differ in harmless words alone. Left out: only the same prompt. */
    near?: boolean;
    /** How alike a near prompt must be, with `near`: 0.85 by default. */
    threshold?: number;
    /** Says what it would answer. It is no hit, and is counted as none. */
    shadow?: boolean;
  };
  CacheLookupResult: {
    hit: boolean;
    /** What `hit` would be without `shadow`. */
    wouldHit: boolean;
    /** What is answered, or with `shadow` would be. */
    entry: schemas["CacheEntry"] | null;
    /** To the nearest prompt; 1 for the same one. Null where there is none. */
    similarity: number | null;
    /** `not_exact`: no entry has the same prompt, and near ones were not asked for. */
    reason: "exact" | "near" | "not_exact" | "gated" | "below_threshold" | "empty";
    /** What differs from the nearest prompt that is alike enough. */
    gate: ("numbers" | "quoted" | "names" | "words" | "order")[];
  };
  CacheStats: {
    entries: number;
    /** Prompts and responses together. */
    bytes: number;
    hits: number;
    misses: number;
    hitRate: number;
    /** Misses that were near enough, and that the gate kept back. */
    gated: number;
    /** An estimate: a quarter of the characters of the answers that were hit. */
    tokensSaved: number;
  };
  CacheStore: {
    prompt: string;
    /** The model that answers. */
    model?: string;
    /** The system prompt. */
    system?: string;
    /** The tools that the model was given. */
    tools?: Array<schemas["JsonValue"]>;
    /** What else the answer depends on, such as the user, the locale or a temperature. */
    attributes?: Record<string, string | number | boolean>;
    /** `default` where it is left out. */
    namespace?: string;
    /** What the model answered: a text, or any JSON, to 256 KiB. */
    response: schemas["JsonValue"];
    /** How long it may be answered: 86400 by default, 30 days at most. */
    ttlSeconds?: number;
  };
  ChatLink: {
    integrationId: schemas["Uuid"];
    /** Who you are in this chat: the clicks of this user are yours from now on. */
    chatUser: {
      id: string;
      name: string;
    };
    linkedAt: schemas["DateTime"];
  };
  ChatLinkRequest: {
    /** As the chat showed it to you, and to nobody else. */
    code: string;
  };
  ChatUnlinked: {
    /** The chat users that you were. */
    unlinked: Array<string>;
  };
  /** An app that the user lets act for them in one environment. */
  ConnectedApp: {
    id: string;
    /** As the app named itself, or as it was named when it registered. */
    clientId: string;
    /** What the app says of itself. */
    name: string;
    /** Whether its tokens are for the MCP endpoint or for the REST API. */
    resource: "mcp" | "api";
    workspace: {
      id: schemas["Uuid"];
      name: string;
    };
    environment: {
      id: schemas["Uuid"];
      name: string;
      kind: "development" | "staging" | "production";
    };
    /** What the user allowed, sorted. */
    scopes: Array<schemas["Scope"]>;
    createdAt: schemas["DateTime"];
    /** To the minute. */
    lastUsedAt: schemas["DateTime"] | null;
    /** The user decides anew after that. */
    expiresAt: schemas["DateTime"];
  };
  ConsoleInvalidation: {
    /** What changed. `everything`: the service may have missed changes; read all again. */
    topic: "everything" | "actions" | "api-keys" | "approvals" | "approval-policies" | "billing" | "budgets" | "cache" | "dlq" | "effects" | "environments" | "events" | "files" | "flow-control" | "impact-limits" | "integrations" | "invocations" | "members" | "memory" | "messages" | "notifications" | "runs" | "schedules" | "secrets" | "sessions" | "signing-keys" | "url-groups";
    /** Null for what belongs to the workspace as a whole. */
    environmentId: schemas["Uuid"] | null;
    /** The record. Without it any record of the topic may have changed. */
    id?: string;
  };
  Context: {
    format: "openai";
    messages: Array<Record<string, schemas["JsonValue"]>>;
    /** Those of the whole: the text, or the messages (and `system`) as JSON. Never more than `maxTokens`. */
    tokens: number;
    included: schemas["ContextParts"];
    dropped: schemas["ContextDropped"];
  } | {
    format: "anthropic";
    system: string;
    messages: Array<Record<string, schemas["JsonValue"]>>;
    /** Those of the whole: the text, or the messages (and `system`) as JSON. Never more than `maxTokens`. */
    tokens: number;
    included: schemas["ContextParts"];
    dropped: schemas["ContextDropped"];
  } | {
    format: "text";
    text: string;
    /** Those of the whole: the text, or the messages (and `system`) as JSON. Never more than `maxTokens`. */
    tokens: number;
    included: schemas["ContextParts"];
    dropped: schemas["ContextDropped"];
  };
  /** What was left out. */
  ContextDropped: {
    /** Messages of the session that are not in it: older ones, and calls without all of their results. */
    messages: number;
    /** Memories that were found and did not fit. */
    memories: number;
  };
  /** What it is made of, in its order. */
  ContextParts: Array<{
    source: "session" | "memory";
    /** Id of the message or of the memory. */
    id: string;
    /** Its own, without the frame of the format. */
    tokens: number;
    /** How well a memory fits the query; null for a message. */
    score: number | null;
  }>;
  CostEstimate: {
    period: schemas["BillingPeriod"];
    asOf: schemas["DateTime"];
    currency: string;
    lines: Array<schemas["EstimateLine"]>;
    monthToDate: {
      /** The sum of the lines, in minor units. */
      subtotal: schemas["Integer"];
    };
    /** The month if it goes on as it did. Null in its first 24 hours. */
    projected: {
      subtotal: schemas["Integer"];
      method: "linear_by_elapsed_seconds";
      /** `low` in the first seven days. */
      confidence: "low" | "normal";
      elapsedShare: number;
    } | null;
    priceListVersion: string;
    isEstimate: true;
    /** What the figures leave out. */
    excludes: ("tax" | "provider_bills" | "credits")[];
    /** Why there are no lines. */
    reason: "plan_has_no_charges" | null;
  };
  CreateAction: {
    description?: string | null;
    /** What makes the call, and how. A PATCH replaces it whole. */
    adapter: schemas["ActionAdapter"];
    /** JSON Schema 2020-12 of the input; it must describe an object. */
    inputSchema?: Record<string, unknown>;
    /** JSON Schema 2020-12 of the `result` of an invocation: `{status, headers, body}`. */
    outputSchema?: Record<string, unknown> | null;
    /** An action with impact or verify is governed whatever stands here, and may not say false. */
    governed?: boolean;
    /** What one invocation uses up. An empty list is none. */
    impact?: Array<schemas["ImpactDeclarationInput"]>;
    /** How the outcome is read back from the provider. */
    verify?: schemas["VerifyDeclarationInput"] | null;
    /** Whether a person must approve. A member that a PATCH leaves out stays as it is. */
    approval?: {
      required?: boolean;
      tag?: string | null;
    };
    /** Milliseconds that the call may take; 30000 where none is named. */
    timeoutMs?: number;
    /** pinned: a tool of its own for MCP clients, under its own name. False where it is left out. */
    mcp?: {
      pinned?: boolean;
    };
    /** Kept with the version that this makes. */
    changeNote?: string | null;
    /** Unique among the live actions of the environment. */
    name: string;
  };
  CreateApprovalPolicy: {
    /** A policy document `{ schema: "approval-policy/v1", name, priority, rules }`, as an object or as a string of YAML. What it leaves out is filled in with its default. */
    document: string | Record<string, unknown>;
  };
  CreateEnvironmentRequest: {
    /** Unique in the workspace. */
    name: string;
    /** Fixed for good. */
    kind: "development" | "staging" | "production";
    /** Left out: true for production, false elsewhere. */
    protected?: boolean;
    /** What decides where neither a policy nor the action does. null: by the kind, which is require_approval for governed actions in production and allow elsewhere. */
    approvalDefault?: "allow" | "require_approval" | null;
  };
  CreateRun: {
    name?: string | null;
    agentId?: string | null;
    agentVersion?: string | null;
    userId?: string | null;
    application?: string | null;
    /** What the agent was asked. */
    input?: schemas["JsonValue"];
    tags?: Array<string> | null;
    metadata?: Record<string, schemas["JsonValue"]> | null;
  };
  CreateScheduleRequest: {
    /** For people; need not be unique. */
    name?: string | null;
    /** Minute, hour, day of the month, month, day of the week; or with the second as a sixth field in front. */
    cron: string;
    /** An IANA name. UTC where it is left out. */
    timezone?: string;
    destination: schemas["ScheduleDestination"];
    /** What a slot does while a message of an earlier run has not ended. `skip`: nothing. `buffer_one`: one run waits for it. `allow_all`: publishes. `skip` where it is left out. */
    overlap?: "skip" | "buffer_one" | "allow_all";
    /** How late a slot is still fired after an outage of the scheduler. 60 where it is left out. */
    catchUpSeconds?: number;
    /** True: it fires nothing until it is resumed. */
    paused?: boolean;
  };
  CreatedApiKey: {
    id: string;
    name: string;
    /** The first 18 characters. */
    keyPrefix: string;
    /** Neither deleted nor expired. */
    isActive: boolean;
    createdAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"] | null;
    /** To the minute. */
    lastUsedAt: schemas["DateTime"] | null;
    /** The member who made it; both count as one person. Null: the operator, at the command line. */
    createdBy: string | null;
    /** Shown this once: only its hash is kept. */
    key: string;
  };
  CurrentUsage: {
    period: schemas["BillingPeriod"];
    asOf: schemas["DateTime"];
    items: Array<schemas["UsageItem"]>;
  };
  DateTime: string;
  DateTimeWithOffset: string;
  DeadLetter: {
    messageId: string;
    url: string;
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** Authorization, cookie and API key values are `[REDACTED]`. */
    headers: Record<string, string> | null;
    body: schemas["JsonValue"] | null;
    scheduledFor: schemas["DateTime"] | null;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
    attempts: number | null;
    maxRetries: number | null;
    responseStatus: number | null;
    /** At most 8 KiB of it, credentials that were sent removed. */
    responseBody: string | null;
    /** Why the newest attempt failed. */
    errorMessage: string | null;
    deliveredAt: schemas["DateTime"] | null;
    failedAt: schemas["DateTime"] | null;
    callbackUrl: string | null;
    failureCallbackUrl: string | null;
    flowControlKey: string | null;
    /** The failed message that this one is a retry of, from the DLQ. */
    retryOf: string | null;
    /** As it was published. */
    label: string | null;
    /** The schedule that published it. */
    scheduleId: string | null;
    /** The URL group that it was published to. */
    urlGroupId: string | null;
    /** When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended. */
    nextAttemptAt: schemas["DateTime"] | null;
    /** True: headers, body and attempts had their time after the end and are gone. The record is kept longer. */
    contentExpired: boolean;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** Why nothing more was tried. */
    dlqReason: "retries_exhausted" | "gone" | "not_retryable" | "destination_blocked";
    lastAttemptAt: schemas["DateTime"] | null;
    /** Those of the last response. */
    responseHeaders: Record<string, string> | null;
  };
  /** Every member must hold. None: all. */
  DeadLetterFilter: {
    /** The destination, exactly as it was published. */
    url?: string;
    /** The id of a URL group, or the name of one. */
    urlGroup?: string;
    scheduleId?: string;
    /** Exactly as it was published. */
    label?: string;
    reason?: "retries_exhausted" | "gone" | "not_retryable" | "destination_blocked";
    /** Failed after. */
    startDate?: schemas["DateTimeWithOffset"];
    /** Failed before. */
    endDate?: schemas["DateTimeWithOffset"];
    responseStatus?: number;
  };
  DeadLetterJob: {
    id: string;
    kind: "retry" | "clear";
    filter: schemas["DeadLetterFilter"];
    /** `paused`: it goes on by itself once the environment is resumed. `failed`: see `reason`; what is left stays. */
    status: "running" | "paused" | "completed" | "failed" | "cancelled";
    reason: {
      code: string;
      message: string;
    } | null;
    /** The records that it found when it began; null until they are counted. */
    total: number | null;
    /** Retried, or cleared. */
    done: number;
    /** Records that could not be retried. They stay. */
    failed: number;
    /** The last record of the last page. */
    cursor: string | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    endedAt: schemas["DateTime"] | null;
  };
  DeadLetterStats: {
    total: number;
    oldestAt: schemas["DateTime"] | null;
    newestAt: schemas["DateTime"] | null;
    /** How many of the newest records the groups below are made of. */
    examined: number;
    byReason: Array<{
      reason: "retries_exhausted" | "gone" | "not_retryable" | "destination_blocked";
      count: number;
    }>;
    byResponseStatus: Array<{
      /** Null: no response. */
      responseStatus: number | null;
      count: number;
    }>;
    /** The ten destinations with the most. */
    topUrls: Array<{
      url: string;
      count: number;
    }>;
  };
  DenyRequest: {
    /** Why. Kept for good. */
    note: string;
  };
  DiscordConnection: {
    /** By default the webhook's own. */
    name?: string;
    /** https://discord.com/api/webhooks/{id}/{token}. Sealed; never shown. */
    webhookUrl: string;
    /** That of the Discord application that owns the webhook: with it, messages have buttons that decide. */
    publicKey?: string;
  };
  DryRun: {
    dryRun: true;
    action: {
      id: string;
      name: string;
    };
    versionId: string;
    governed: boolean;
    /** What would be sent; credentials stand as `{{secret:NAME}}`. Ids of the invocation and the effect in it are examples. */
    request: schemas["PreparedRequest"];
    target: Record<string, schemas["JsonValue"]>;
    /** What the service would do now. `read_provider`: only a read of the provider says what the invocation uses, and a preview makes it. */
    next: "send" | "ask_for_approval" | "refuse" | "read_provider";
    refusal: {
      code: string;
      message: string;
    } | null;
    /** Null where only the provider knows it, or it has no bound. */
    impact: Array<schemas["ImpactQuantity"]> | null;
    /** What the approval policies decide. Null where it was refused before, or the impact is not known. */
    decision: {
      effect: "allow" | "require_approval" | "deny";
      /** What decided: a rule, the action's own `approval.required`, or the default of the environment. */
      source: "policy" | "action" | "environment";
      /** How many must approve. Set, as the next three, where the effect is require_approval. */
      quorum: schemas["Integer"] | null;
    } | null;
    /** Those of the impact limits that apply. Nothing is reserved. */
    allowances: Array<schemas["PreviewAllowance"]>;
  };
  EffectDetail: {
    id: string;
    invocationId: string;
    operationKey: string;
    environmentId: schemas["Uuid"];
    action: {
      name: string;
      versionId: string;
    };
    adapter: {
      type: string;
      version: string;
    };
    stage: "awaiting_approval" | "ready" | "dispatching" | "reconciling" | "settled" | "rejected";
    outcome: "not_dispatched" | "pending" | "succeeded" | "failed" | "unknown";
    /** A failure is not proof of zero impact. */
    partialEffect: "none" | "possible" | "confirmed";
    /** Derived by the database. Treat a grade you do not know as `unknown`. */
    grade: "confirmed" | "acknowledged" | "unknown" | "failed" | "refused" | "denied" | "pending";
    verification: "provider" | "manual" | "unverified" | "not_dispatched";
    providerReference: string | null;
    target: Record<string, schemas["JsonValue"]>;
    impact: Array<schemas["ImpactQuantity"]>;
    previewId: string | null;
    approvalId: string | null;
    bindingDigest: string | null;
    dependsOn: Array<{
      effectId: string;
      outcome: string;
    }>;
    compensates: string | null;
    rejectionReason: string | null;
    unresolvedExposure: boolean;
    reconciliation: {
      attempts: number;
      nextAt: schemas["DateTime"] | null;
      exhausted: boolean;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    firstDispatchedAt: schemas["DateTime"] | null;
    outcomeAt: schemas["DateTime"] | null;
    /** The exact request; credentials stand as `{{secret:NAME}}`. */
    request: Record<string, schemas["JsonValue"]>;
    capabilities: Record<string, schemas["JsonValue"]>;
    attempts: Array<schemas["Attempt"]>;
    evidence: Array<schemas["Evidence"]>;
    reservations: Array<schemas["Reservation"]>;
    /** What was agreed to, where it is bound to a preview. */
    preview: schemas["ActionPreview"] | null;
    /** What a person recorded of an outcome that nobody saw. Permanent. */
    resolution: Record<string, schemas["JsonValue"]> | null;
  };
  EffectEventData: {
    effectId: string;
    invocationId: string;
    action: string;
    outcome: "pending" | "succeeded" | "failed" | "unknown";
    outcomeSource: string | null;
    grade: string;
    verification: string;
    partialEffect: "none" | "possible" | "confirmed";
    providerReference: string | null;
  };
  Environment: {
    id: schemas["Uuid"];
    name: string;
    kind: "development" | "staging" | "production";
    protected: boolean;
    /** Decisions, resolutions, replays, halts and new API keys of this environment take a passkey of the person, and nobody decides through a chat or an app. */
    requireSecondFactor: boolean;
    /** null: by the kind. */
    approvalDefault: "allow" | "require_approval" | null;
    /** null while it runs. */
    haltedAt: schemas["DateTime"] | null;
    haltedReason: string | null;
    createdAt: schemas["DateTime"];
  };
  EnvironmentUsageItem: {
    /** `executions`: admitted invocations, without those given back. `messages`: accepted messages and deliveries of events. `egress`: bytes of bodies sent and read. `memory_processing`: memories stored, searches, ingests. `notification_emails`: one for each recipient. */
    meter: "executions" | "messages" | "egress" | "memory_processing" | "notification_emails";
    /** What `used` counts. */
    unit: "execution" | "message" | "byte" | "operation" | "email";
    /** In this environment since the beginning of the UTC month, counted up to this reply. */
    used: schemas["Integer"];
    workspace: {
      /** The same in all environments of the workspace: the allowance is one for all. */
      used: schemas["Integer"];
      /** What the plan includes in a month. Work beyond it is refused (`QUOTA_EXCEEDED`). */
      limit: schemas["PlanCap"];
    };
  };
  /** Match on `error.code`; the message is for people. */
  Error: {
    success: false;
    error: {
      code: string;
      message: string;
      /** For a VALIDATION_ERROR: `issues`, each with a `path` into the request and a `message`. */
      details?: Record<string, unknown>;
    };
    /** The X-Request-Id of the response. */
    requestId: string;
  };
  ErrorAnalytics: {
    /** The same for the same area, code and text, in every range and environment. */
    fingerprint: string;
    /** `invocation`: refused before it was sent. `dispatch`: sent, and failed or of unknown outcome. `delivery`: a failed attempt of a message. `subscription`: the same of an event. `schedule`: a slot whose publishing was refused. `run`: a run of an agent that failed. `integration`: a chat that refused a question. */
    area: "invocation" | "dispatch" | "delivery" | "schedule" | "run" | "integration" | "subscription";
    /** A refusal code, a status that was answered, or a word such as `timeout`. */
    code: string;
    /** Without credentials, addresses and the queries of URLs; what differs from one to the next is `#`. */
    sampleMessage: string;
    /** How often it happened in the range. */
    count: number;
    /** The first time in the range. */
    firstSeenAt: schemas["DateTime"];
    /** The last time in the range. */
    lastSeenAt: schemas["DateTime"];
    /** What the samples are about, as far as they are kept. It is not everything that is affected. */
    affected: Array<{
      type: "action" | "destination" | "subscription" | "schedule" | "agent" | "integration";
      /** The id; a destination has its origin and path. */
      id: string;
      name: string | null;
    }>;
    /** Newest records: invocations, messages, schedules, runs, or approvals that a chat was asked about. */
    sampleIds: Array<string>;
    /** 24 equal parts of the range, the oldest first; they sum to `count`. Counts are by quarters of an hour, or by UTC days beyond 31 of them. */
    trend: Array<number>;
  };
  EstimateLine: {
    /** Names the line in this estimate alone: `line_1`, `line_2`, … */
    id: string;
    type: "plan" | "usage" | "proration" | "correction" | "credit" | "tax";
    /** Null for a line that meters nothing. */
    meter: "executions" | "messages" | "egress" | "memory_processing" | "notification_emails" | null;
    description: string;
    /** For executions: the month of their admission. */
    period: schemas["BillingPeriod"];
    meteredQuantity: schemas["Integer"] | null;
    includedQuantity: schemas["PlanCap"] | null;
    /** `max(0, metered - included)`; negative where a correction takes back. */
    billableQuantity: schemas["Integer"] | null;
    unitPrice: schemas["UnitPrice"] | null;
    /** Minor units of the currency, rounded once, half up. */
    amount: schemas["Integer"];
    proration: {
      /** Null when the workspace was made in this month. */
      fromPlan: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise" | null;
      toPlan: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise";
      /** From the change to the end of the month. */
      seconds: schemas["Integer"];
      /** The whole month. */
      ofSeconds: schemas["Integer"];
    } | null;
    corrects: {
      invoiceId: string;
      lineId: string;
    } | null;
  };
  EvaluateApprovalPolicies: {
    /** Id or name of the action. An archived action is found by its id alone. */
    action: string;
    /** Checked against the action's inputSchema, as an invocation's is. */
    input: Record<string, schemas["JsonValue"]>;
    agentId?: string;
    /** The key of this environment that would ask. Left out: whoever asks now. */
    keyId?: string;
  };
  EventDelivery: {
    /** The message that delivers it: `GET /messages/{messageId}/attempts` shows the responses. */
    messageId: string;
    subscriptionId: string;
    url: string;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
    /** The first one first. */
    attempts: Array<schemas["EventDeliveryAttempt"]>;
    maxRetries: number;
    /** Null once it has ended. */
    nextAttemptAt: schemas["DateTime"] | null;
    deliveredAt: schemas["DateTime"] | null;
    failedAt: schemas["DateTime"] | null;
  };
  EventDeliveryAttempt: {
    number: number;
    status: "started" | "completed" | "abandoned";
    startedAt: schemas["DateTime"];
    finishedAt: schemas["DateTime"] | null;
    latencyMs: number | null;
    responseStatus: number | null;
    errorMessage: string | null;
  };
  /** Sent with every delivery. Headers of the connection and those that the service sets are refused. Values of credentials are sealed at rest and shown as `[REDACTED]`. */
  EventHeaders: Record<string, string>;
  EventSubscription: {
    id: string;
    topicId: string;
    url: string;
    eventTypes: Array<string>;
    enabled: boolean;
    /** False: its deliveries are signed with the keys of the workspace. */
    hasCustomSecret: boolean;
    headers: schemas["EventHeaders"] | null;
    /** When the service disabled it, because it kept failing. */
    disabledAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  EventSubscriptionCreated: {
    id: string;
    topicId: string;
    url: string;
    eventTypes: Array<string>;
    enabled: boolean;
    /** False: its deliveries are signed with the keys of the workspace. */
    hasCustomSecret: boolean;
    headers: schemas["EventHeaders"] | null;
    /** When the service disabled it, because it kept failing. */
    disabledAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** The signing secret, where `generateSecret` is true. It is shown here, once. */
    secret?: string;
  };
  EventTopic: {
    id: string;
    name: string;
    description: string | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  /** An event type, `*` for every type, or a prefix and `.*` for all types below it. */
  EventTypePattern: string;
  EventWithDeliveries: {
    /** The service's id for it. */
    eventId: string;
    /** What its deliveries carry as `id`: the id that its publisher gave it, or the same as `eventId`. */
    id: string;
    topicId: string;
    topic: string;
    type: string;
    data: schemas["JsonValue"];
    occurredAt: schemas["DateTime"];
    /** `failed`: some of its messages could not be made, for the reason in `error`. */
    status: "fanning_out" | "fanned_out" | "failed";
    /** Messages that were made for it, one for each subscription that it matched. */
    deliveryCount: number;
    error: {
      code: string;
      message: string;
    } | null;
    publishedBy: {
      type: string;
      id: string | null;
    };
    createdAt: schemas["DateTime"];
    fannedOutAt: schemas["DateTime"] | null;
    /** The page that `page` and `limit` ask for. */
    deliveries: Array<schemas["EventDelivery"]>;
    deliveryPagination: schemas["OffsetPagination"];
    /** How many of its deliveries have each status. */
    deliveryStatuses: {
      pending: number;
      scheduled: number;
      processing: number;
      delivered: number;
      failed: number;
      cancelled: number;
    };
  };
  Evidence: {
    id: string;
    source: "preview" | "provider_response" | "provider_lookup" | "system" | "operator_note" | "manual_resolution";
    observedAt: schemas["DateTime"];
    impliedOutcome: string | null;
    providerIds: Record<string, string>;
    summary: string;
    details: Record<string, schemas["JsonValue"]>;
    actor: schemas["Actor"];
    recordedAt: schemas["DateTime"];
    /** Its entries in the chain of the effect. */
    chain: Array<schemas["ReceiptEntry"]>;
  };
  Expectation: {
    path: string;
    op: "eq" | "in" | "exists";
    value?: unknown;
  };
  /** One expectation over {status, headers, body} */
  ExpectationInput: {
    path: string;
    op: "eq" | "in" | "exists";
    value?: unknown;
  };
  File: {
    id: string;
    filename: string;
    contentType: string;
    /** Bytes. While it is pending: what was promised. */
    size: number;
    /** Hex. While it is pending: what was promised, if anything. */
    sha256: string | null;
    /** `pending`: presigned, and not confirmed yet. */
    status: "pending" | "ready";
    purpose: string | null;
    metadata: Record<string, schemas["JsonValue"]>;
    createdAt: schemas["DateTime"];
    /** When its bytes were found to be what was promised. */
    confirmedAt: schemas["DateTime"] | null;
    /** While it is pending: when it is removed. Null: it is kept. */
    expiresAt: schemas["DateTime"] | null;
  };
  FilePresign: {
    /** Kept as it is, for the download. It is never part of a path, and holds none. */
    filename: string;
    /** `application/octet-stream` where nobody says. */
    contentType?: string;
    /** Bytes, exactly. To 100 MiB; to 5 GiB where the store is S3. */
    size: number;
    /** Hex. Where it is named, `confirm` refuses other bytes. */
    sha256?: string;
    /** A word of your own to list by, such as `invoice`. */
    purpose?: string;
    /** Yours; not read by the service. At most 16 KiB of JSON. */
    metadata?: Record<string, schemas["JsonValue"]>;
  };
  FixtureAction: {
    name: string;
    /** Type of its adapter; http.request where none is named. */
    adapter?: string;
    /** Left out: false. */
    governed?: boolean;
    tag?: string;
    /** Left out: false. */
    approvalRequired?: boolean;
  };
  FixtureExpectation: {
    effect: "allow" | "require_approval" | "deny";
    /** Name of the policy that must decide. */
    policy?: string;
    /** null: no rule may decide. */
    ruleId?: string | null;
    quorum?: number;
  };
  FixtureRequest: {
    /** The id or name of an action of this environment, or what the policies would see of one. */
    action: string | schemas["FixtureAction"];
    input: Record<string, schemas["JsonValue"]>;
    /** Left out: what the action's declaration makes of the input. */
    impact?: Array<schemas["ImpactQuantity"]>;
    agentId?: string;
    /** Id of the key that asks; it need not exist. */
    keyId?: string;
    keyName?: string;
    runId?: string;
    /** In place of this environment’s own. */
    environment?: {
      name?: string;
      kind?: "development" | "staging" | "production";
      approvalDefault?: "allow" | "require_approval" | null;
    };
    /** Left out: the present. */
    now?: schemas["DateTime"];
  };
  FlowControl: {
    /** Any name. Messages of one key in one environment share its limits. */
    key: string;
    /** How many calls one window dispatches, retries included. */
    rate?: number;
    /** The length of a window. It goes with `rate`; 1 where it is left out. */
    periodSeconds?: number;
    /** How many calls may be without their response at once. At most 1000, also where it is left out. */
    parallelism?: number;
  };
  FlowControlKey: {
    id: string;
    key: string;
    /** Calls of one window; null: no limit. */
    rate: schemas["Integer"] | null;
    periodSeconds: schemas["Integer"] | null;
    /** Calls in flight at once; null: 1000. */
    parallelism: schemas["Integer"] | null;
    /** What messages do not change. `rate` stands for the period too. */
    pinned: {
      rate: boolean;
      parallelism: boolean;
    };
    paused: boolean;
    /** A destination answered 429 or 503 with Retry-After: nothing is sent until then. */
    heldUntil: schemas["DateTime"] | null;
    /** Messages that wait for their turn or their time. A list counts to 1000. */
    waiting: number;
    /** Messages that have their turn: their calls are under way, or about to be. */
    inFlight: number;
    /** Calls dispatched in the present window. */
    windowCount: number;
    /** Null: no window is open. */
    windowStartedAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  FlowControlLimits: {
    /** Null: no limit by rate. */
    rate?: number | null;
    /** It goes with `rate`. */
    periodSeconds?: number;
    /** Null: 1000. */
    parallelism?: number | null;
  };
  FlowControlStatus: {
    id: string;
    key: string;
    /** Calls of one window; null: no limit. */
    rate: schemas["Integer"] | null;
    periodSeconds: schemas["Integer"] | null;
    /** Calls in flight at once; null: 1000. */
    parallelism: schemas["Integer"] | null;
    /** What messages do not change. `rate` stands for the period too. */
    pinned: {
      rate: boolean;
      parallelism: boolean;
    };
    paused: boolean;
    /** A destination answered 429 or 503 with Retry-After: nothing is sent until then. */
    heldUntil: schemas["DateTime"] | null;
    /** Messages that wait for their turn or their time. A list counts to 1000. */
    waiting: number;
    /** Messages that have their turn: their calls are under way, or about to be. */
    inFlight: number;
    /** Calls dispatched in the present window. */
    windowCount: number;
    /** Null: no window is open. */
    windowStartedAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** Waiting messages that are due, counted to 10000. */
    due: number;
    /** When the first waiting message is due, or was. */
    oldestDueAt: schemas["DateTime"] | null;
    windowEndsAt: schemas["DateTime"] | null;
    /** When time may let the next message through. Null: a finished call does, or the end of a pause or a halt. */
    nextGrantAt: schemas["DateTime"] | null;
    /** The environment is halted: nothing is sent. */
    halted: boolean;
  };
  FoundMemory: {
    memory: schemas["Memory"];
    /** `hybrid`: the fused ranks. `vector`: the cosine. `text`: PostgreSQL’s rank of the words. */
    score: number;
    why: {
      /** Null: not among the first hundred. */
      vector: {
        rank: number;
        score: number;
      } | null;
      /** Null: not among the first hundred. */
      text: {
        rank: number;
        score: number;
      } | null;
    };
  };
  GovernanceWarning: {
    /** Dotted path into what was written, such as `document.rules[0].match.actions[1]`. */
    path: string;
    /** Each code is explained in docs/reference/warnings.md. */
    code: "matches_no_action" | "matches_no_adapter" | "matches_no_tag" | "matches_no_key" | "matches_no_member" | "unknown_dimension" | "unknown_currency" | "impossible_member" | "policy_disabled" | "policy_left_alone";
    message: string;
  };
  HaltEnvironmentRequest: {
    /** Callers read it in the refusal of each invocation. Never put a credential here. */
    reason: string;
  };
  Identity: {
    type: "api_key" | "session" | "oauth";
    /** For API keys only; null otherwise. */
    keyId: string | null;
    /** Null for a session that names no environment. */
    workspaceId: schemas["Uuid"] | null;
    environment: {
      id: schemas["Uuid"];
      name: string;
      kind: "development" | "staging" | "production";
    } | null;
    /** What this credential may do, sorted. */
    scopes: Array<schemas["Scope"]>;
    preset: "standard" | "read_only" | "full_access" | "agent" | null;
    expiresAt: schemas["DateTime"] | null;
    /** For sessions and OAuth only. */
    userId?: string;
  };
  ImpactDeclaration: {
    dimension: string;
    currency?: string;
    amount: {
      path: string;
    } | {
      const: schemas["Integer"];
    };
    bound: "exact" | "upper_bound";
    /** Path into the response `{status, headers, body}`: what an `upper_bound` settles to. */
    observed?: {
      path: string;
    };
  };
  ImpactDeclarationInput: {
    dimension: string;
    currency?: string;
    amount: {
      path: string;
    } | {
      const: number;
    };
    bound: "exact" | "upper_bound";
    observed?: {
      path: string;
    };
  };
  ImpactLimit: {
    id: string;
    name: string;
    dimension: string;
    currency: string | null;
    /** What its amounts count: `minor_units` for money, else the dimension. */
    unit: string;
    cap: number;
    period: "per_effect" | "hour" | "day" | "week" | "month" | "lifetime";
    timezone: string;
    scope: schemas["ImpactLimitScope"];
    thresholds: Array<schemas["Integer"]>;
    /** The period that counts now, such as `2026-11-21`; null for `per_effect`. */
    currentPeriod: string | null;
    /** When the next period begins; null for `per_effect` and `lifetime`. */
    resetsAt: schemas["DateTime"] | null;
    /** In the current period, by effects that are under way or whose outcome is not known. */
    reserved: number;
    /** In the current period, by effects that happened. */
    settled: number;
    /** In the current period. 0 where the cap was lowered below what is used. */
    available: number;
    exposures: schemas["ImpactLimitExposures"];
    /** Those of the current period, newest first; of `per_effect`, the newest. */
    crossings: Array<schemas["ImpactLimitCrossing"]>;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    archivedAt: schemas["DateTime"] | null;
  };
  ImpactLimitCrossing: {
    /** `exceeded`: a reservation was refused, for the first time in the period. */
    type: "threshold" | "exceeded";
    /** Percent of the cap. */
    threshold: schemas["Integer"] | null;
    period: string;
    /** Reserved and settled, then. */
    used: number;
    /** By the reservation that was refused. */
    requested: number | null;
    /** As it was then. */
    cap: number;
    crossedAt: schemas["DateTime"];
  };
  /** What is held, of every period, by effects whose outcome is unknown, or still pending at the provider. */
  ImpactLimitExposures: {
    unknown: number;
    pending: number;
  };
  /** Which effects the limit applies to: every member must hold, and of a list one entry. `{}`: all. */
  ImpactLimitScope: {
    /** Names of actions; `*` stands for any run of characters. */
    actions?: Array<string>;
    /** Adapter types; `*` likewise. */
    adapters?: Array<string>;
    /** Ids of the API keys that ask. */
    apiKeys?: Array<string>;
    /** As the invocations name them in `agentId`. */
    agentIds?: Array<string>;
    target?: {
      /** Into the effect's `target`. */
      path: string;
      equals: string | number | boolean;
    };
  };
  ImpactQuantity: {
    dimension: string;
    currency?: string;
    /** Minor units for money, a count otherwise. */
    amount: number;
    bound: "exact" | "upper_bound";
  };
  ImportActions: {
    /** An OpenAPI 3.0, 3.1 or 3.2 description: an object, or a text of JSON or YAML. At most 16 MiB. */
    document?: string | Record<string, unknown>;
    /** Where the description is, in place of `document`: https, no redirects, at most 16 MiB. */
    url?: string;
    /** Only these operationIds; an operation without one is `GET /path`. Left out: all. */
    operations?: Array<string>;
    /** The operationIds of writing operations whose actions are left ungoverned; needs `actions:govern`. Left out: every operation but GET and HEAD becomes `governed: true`. */
    ungoverned?: Array<string>;
    /** A prefix of each name, for example `stripe.`. */
    namePrefix?: string;
    /** Vault secret with the credential; left out, a name is derived from the host and the security scheme. */
    secret?: string;
    /** Says what the import would do now, with every check, and keeps nothing. */
    dryRun?: boolean;
  };
  ImportedOperation: {
    operationId: string;
    /** The name of the action that it is, or would be. */
    name: string;
    status: "created" | "updated" | "unchanged" | "skipped";
    /** Whether the action is governed now. Left out where the operation was skipped. */
    governed?: boolean;
    /** Where an action was created or updated. */
    warnings?: Array<schemas["ActionWarning"]>;
    /** Why it was skipped, or what was left out of the action. */
    reason?: string;
  };
  IngestMemoryRequest: {
    collectionId: string;
    /** Either this, or `messages`, or `sessionId`. */
    text?: string;
    messages?: Array<schemas["IngestedMessage"]>;
    /** A session of this environment, with all of its messages. The job fails where these are more than 8 MiB together, images and calls included. */
    sessionId?: string;
    /** Left out: `fact` for a text, `episode` for messages. */
    kind?: "fact" | "episode";
    userId?: string | null;
    agentId?: string | null;
    /** Every memory that it stores has them. The job writes position, role, name, messageId, sequence by itself. */
    metadata?: Record<string, schemas["JsonValue"]>;
    expiresAt?: schemas["DateTimeWithOffset"] | null;
    /** How long a chunk is at most. It is cut between paragraphs, lines, sentences or words. */
    chunkCharacters?: number;
  };
  IngestedMessage: {
    role: "system" | "user" | "assistant" | "tool";
    content: string;
    name?: string;
  };
  Integer: number;
  Integration: {
    id: schemas["Uuid"];
    provider: "slack" | "discord";
    name: string;
    /** Approvals are posted, and clicks decide. */
    isActive: boolean;
    /** The Slack workspace, or the Discord webhook. */
    account: {
      id: string;
      name: string;
    };
    /** Where approvals are posted. Null: no Slack channel was chosen yet. */
    channel: {
      id: string;
      name: string;
    } | null;
    /** Messages have buttons that decide, because their clicks can be verified. */
    buttons: boolean;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  IntegrationToggled: {
    message: string;
    isActive: boolean;
  };
  Invitation: {
    id: string;
    email: string;
    role: "member" | "admin" | "owner";
    createdAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"];
    /** For POST /api/v2/auth/invitations/accept. Shown this once: hand it to the invited person. */
    token: string;
  };
  Invocation: {
    id: string;
    status: "pending_approval" | "queued" | "dispatching" | "succeeded" | "failed" | "unknown" | "refused" | "denied" | "expired" | "cancelled";
    /** What is really known. Treat a grade you do not know as `unknown`. */
    grade: "confirmed" | "acknowledged" | "unknown" | "failed" | "refused" | "denied" | "pending";
    action: {
      id: string;
      name: string;
    };
    versionId: string;
    /** For a governed action only. */
    effectId: string | null;
    approvalId: string | null;
    /** Until when people can decide its approval; null unless it waits for one. */
    expiresAt: schemas["DateTime"] | null;
    operationKey: string;
    /** The response of the destination, credentials removed. */
    result: {
      status: schemas["Integer"];
      headers: Record<string, string>;
      body: schemas["JsonValue"];
      bodyEncoding: "json" | "utf8" | "base64";
    } | null;
    error: string | null;
    /** Why it was not carried out, failed, or is unknown; null under any other status. */
    refusal: schemas["Refusal"] | null;
    /** One sentence that an agent can follow. Null: nothing is left to do. */
    nextStep: string | null;
    requestedBy: schemas["Actor"];
    retryOf: string | null;
    runId: string | null;
    agentId: string | null;
    /** The `X-Request-Id` of the request that was admitted, as the log has it. */
    requestId: string | null;
    createdAt: schemas["DateTime"];
    settledAt: schemas["DateTime"] | null;
    resolution: Record<string, schemas["JsonValue"]> | null;
  };
  InvocationEventData: {
    invocationId: string;
    effectId: string | null;
    actionId: string;
    action: string;
    status: "succeeded" | "failed" | "refused" | "denied" | "expired" | "cancelled";
    grade: string;
    outcomeSource: string | null;
    refusalCode: string | null;
    agentId: string | null;
    runId: string | null;
  };
  Invoice: {
    id: string;
    /** Counted in the workspace, without a gap. Null while it is a draft. */
    number: number | null;
    status: "draft" | "open" | "paid" | "void" | "uncollectible";
    currency: string;
    period: schemas["BillingPeriod"];
    lines: Array<schemas["InvoiceLine"]>;
    subtotal: schemas["Integer"];
    tax: schemas["Integer"];
    total: schemas["Integer"];
    amountDue: schemas["Integer"];
    issuedAt: schemas["DateTime"] | null;
    dueAt: schemas["DateTime"] | null;
    paidAt: schemas["DateTime"] | null;
    voidedAt: schemas["DateTime"] | null;
    /** When the quantities were taken. What settles later is on a later invoice. */
    quantitiesSnapshotAt: schemas["DateTime"];
    /** Earlier invoices that lines of this one correct. */
    preceding: Array<{
      invoiceId: string;
      reason: "correction";
    }>;
    hostedUrl: string | null;
    pdfUrl: string | null;
  };
  InvoiceLine: {
    id: string;
    type: "plan" | "usage" | "proration" | "correction" | "credit" | "tax";
    /** Null for a line that meters nothing. */
    meter: "executions" | "messages" | "egress" | "memory_processing" | "notification_emails" | null;
    description: string;
    /** For executions: the month of their admission. */
    period: schemas["BillingPeriod"];
    meteredQuantity: schemas["Integer"] | null;
    includedQuantity: schemas["PlanCap"] | null;
    /** `max(0, metered - included)`; negative where a correction takes back. */
    billableQuantity: schemas["Integer"] | null;
    unitPrice: schemas["UnitPrice"] | null;
    /** Minor units of the currency, rounded once, half up. */
    amount: schemas["Integer"];
    proration: {
      /** Null when the workspace was made in this month. */
      fromPlan: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise" | null;
      toPlan: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise";
      /** From the change to the end of the month. */
      seconds: schemas["Integer"];
      /** The whole month. */
      ofSeconds: schemas["Integer"];
    } | null;
    corrects: {
      invoiceId: string;
      lineId: string;
    } | null;
  };
  InvokeRequest: {
    /** Checked against the action version's inputSchema. */
    input: Record<string, schemas["JsonValue"]>;
    /** Names the operation for good, beyond the 24 hours of an Idempotency-Key, which it defaults to. */
    operationKey?: string;
    /** Executes this preview: its exact request, or nothing. What differs from it is `PREVIEW_MISMATCH`. */
    previewId?: string;
    /** Effects that must have succeeded before this one is sent. Where one ends otherwise, it is refused. */
    dependsOn?: Array<string>;
    /** The effect that this one makes up for. */
    compensates?: string;
    /** The earlier invocation that this one runs again under a new key. */
    retryOf?: string;
    runId?: string;
    agentId?: string;
    /** True: nothing is sent, reserved or recorded. The answer is a `DryRun`, for plain actions too: what would be sent and what would be decided. It leaves its Idempotency-Key unused, for the invocation itself. */
    dryRun?: boolean;
  };
  /** Any JSON value. */
  JsonValue: unknown;
  ListedAction: {
    id: string;
    name: string;
    description: string | null;
    environmentId: schemas["Uuid"];
    adapter: {
      type: string;
      version: string;
      config: Record<string, unknown>;
    };
    /** JSON Schema 2020-12 of the input. */
    inputSchema: Record<string, unknown>;
    outputSchema?: Record<string, unknown>;
    /** True where the action carries impact, verify or governed: true. */
    governed: boolean;
    impact: Array<schemas["ImpactDeclaration"]>;
    verify?: schemas["VerifyDeclaration"] | schemas["Shortened"];
    approval: {
      required: boolean;
      tag?: string;
    };
    timeoutMs: number;
    /** pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions. */
    mcp: {
      pinned: boolean;
    };
    currentVersion: {
      id: string;
      number: number;
      /** SHA-256 over the RFC 8785 (JCS) bytes of the definition. */
      digest: string;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    archivedAt: schemas["DateTime"] | null;
  };
  ListedActionDefinition: {
    adapter: {
      type: string;
      version: string;
      config: Record<string, unknown>;
    };
    inputSchema: Record<string, unknown>;
    outputSchema: Record<string, unknown> | null;
    governed: boolean;
    impact: Array<schemas["ImpactDeclaration"]>;
    verify: schemas["VerifyDeclaration"] | schemas["Shortened"] | null;
    approval: {
      required: boolean;
      tag: string | null;
    };
    timeoutMs: number;
  };
  ListedActionPreview: {
    id: string;
    action: {
      id: string;
      name: string;
      versionId: string;
    };
    adapter: {
      type: string;
      version: string;
    };
    environment: {
      id: schemas["Uuid"];
      name: string;
      kind: string;
    };
    target: Record<string, schemas["JsonValue"]>;
    request: schemas["PreparedRequest"] | schemas["Shortened"];
    impact: Array<schemas["ImpactQuantity"]>;
    blocks: Array<schemas["PreviewBlock"]> | schemas["Shortened"];
    /** What must still hold right before the dispatch. Part of the binding. */
    preconditions: Record<string, schemas["JsonValue"]>;
    capabilities: Record<string, schemas["JsonValue"]>;
    allowances: Array<schemas["PreviewAllowance"]>;
    evidenceObservedAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"];
    /** It can no longer be used: its time is over, or another one supersedes it. */
    expired: boolean;
    requestDigest: string;
    /** What an approval agrees to. */
    bindingDigest: string;
    supersedes: string | null;
    /** The effect that executes it, once one is admitted. */
    effectId: string | null;
    createdAt: schemas["DateTime"];
  };
  ListedActionVersion: {
    id: string;
    actionId: string;
    number: number;
    /** SHA-256 over the RFC 8785 (JCS) bytes of the definition. */
    digest: string;
    definition: schemas["ListedActionDefinition"];
    createdBy: {
      type: string;
      id: string;
    };
    createdAt: schemas["DateTime"];
    changeNote: string | null;
  };
  ListedApproval: {
    id: string;
    /** `free_standing`: for work that its caller runs itself. */
    kind: "invocation" | "free_standing";
    /** `consumed`: the one dispatch that it was given for was marked. `invalidated`: what was agreed to no longer held. */
    status: "pending" | "approved" | "denied" | "expired" | "cancelled" | "invalidated" | "consumed";
    invocationId: string | null;
    effectId: string | null;
    previewId: string | null;
    action: {
      id: string;
      name: string;
    } | null;
    title: string;
    /** What will happen, in one sentence. */
    summary: string;
    /** What a free-standing approval agrees to; null for the others. */
    payload: schemas["JsonValue"];
    /** Echo it to approve. */
    bindingDigest: string;
    policy: schemas["ApprovalReason"];
    quorum: schemas["ApprovalQuorum"];
    /** Each of these must name the one who decides. An entry without names: any key with `approvals:decide`, any admin or owner. */
    approvers: Array<schemas["Approvers"]>;
    /** The requester cannot approve. */
    preventSelf: boolean;
    /** Oldest first. */
    decisions: Array<schemas["ApprovalDecision"]>;
    requestedBy: schemas["Actor"];
    agentId: string | null;
    runId: string | null;
    preview: schemas["ListedActionPreview"] | null;
    /** What remains of the impact limits: now, while it is pending; as it was previewed, afterwards. */
    allowances: Array<schemas["PreviewAllowance"]>;
    reminders: {
      sent: schemas["Integer"];
      lastAt: schemas["DateTime"] | null;
    };
    /** Where a person reads this and decides, signed in. Null where the service has no `PUBLIC_URL`. */
    url: string | null;
    createdAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"];
    decidedAt: schemas["DateTime"] | null;
    consumedAt: schemas["DateTime"] | null;
  };
  ListedApprovalPolicy: {
    id: string;
    name: string;
    /** That of the newest document. */
    priority: schemas["Integer"];
    enabled: boolean;
    /** Number of the newest version. */
    version: number;
    document: schemas["ApprovalPolicyDocument"] | schemas["Shortened"];
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** Set once it was deleted: it decides nothing, and its history stays. */
    archivedAt: schemas["DateTime"] | null;
  };
  ListedApprovalPolicyVersion: {
    policyId: string;
    version: number;
    /** SHA-256 over the RFC 8785 (JCS) bytes of the document. */
    digest: string;
    document: schemas["ApprovalPolicyDocument"] | schemas["Shortened"];
    createdBy: {
      type: string;
      id: string;
    };
    createdAt: schemas["DateTime"];
  };
  ListedCacheEntry: {
    id: string;
    prompt: string | schemas["Shortened"];
    response: schemas["JsonValue"] | schemas["Shortened"];
    model: string | null;
    namespace: string;
    attributes: Record<string, schemas["JsonValue"]>;
    hits: number;
    createdAt: schemas["DateTime"];
    expiresAt: schemas["DateTime"];
    lastHitAt: schemas["DateTime"] | null;
  };
  ListedDeadLetter: {
    messageId: string;
    url: string;
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    headers: Record<string, string> | schemas["Shortened"] | null;
    body: schemas["JsonValue"] | null | schemas["Shortened"];
    scheduledFor: schemas["DateTime"] | null;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
    attempts: number | null;
    maxRetries: number | null;
    responseStatus: number | null;
    /** At most 8 KiB of it, credentials that were sent removed. */
    responseBody: string | null;
    /** Why the newest attempt failed. */
    errorMessage: string | null;
    deliveredAt: schemas["DateTime"] | null;
    failedAt: schemas["DateTime"] | null;
    callbackUrl: string | null;
    failureCallbackUrl: string | null;
    flowControlKey: string | null;
    /** The failed message that this one is a retry of, from the DLQ. */
    retryOf: string | null;
    /** As it was published. */
    label: string | null;
    /** The schedule that published it. */
    scheduleId: string | null;
    /** The URL group that it was published to. */
    urlGroupId: string | null;
    /** When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended. */
    nextAttemptAt: schemas["DateTime"] | null;
    /** True: headers, body and attempts had their time after the end and are gone. The record is kept longer. */
    contentExpired: boolean;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** Why nothing more was tried. */
    dlqReason: "retries_exhausted" | "gone" | "not_retryable" | "destination_blocked";
    lastAttemptAt: schemas["DateTime"] | null;
    responseHeaders: Record<string, string> | null | schemas["Shortened"];
  };
  ListedEffectDetail: {
    id: string;
    invocationId: string;
    operationKey: string;
    environmentId: schemas["Uuid"];
    action: {
      name: string;
      versionId: string;
    };
    adapter: {
      type: string;
      version: string;
    };
    stage: "awaiting_approval" | "ready" | "dispatching" | "reconciling" | "settled" | "rejected";
    outcome: "not_dispatched" | "pending" | "succeeded" | "failed" | "unknown";
    /** A failure is not proof of zero impact. */
    partialEffect: "none" | "possible" | "confirmed";
    /** Derived by the database. Treat a grade you do not know as `unknown`. */
    grade: "confirmed" | "acknowledged" | "unknown" | "failed" | "refused" | "denied" | "pending";
    verification: "provider" | "manual" | "unverified" | "not_dispatched";
    providerReference: string | null;
    target: Record<string, schemas["JsonValue"]>;
    impact: Array<schemas["ImpactQuantity"]>;
    previewId: string | null;
    approvalId: string | null;
    bindingDigest: string | null;
    dependsOn: Array<{
      effectId: string;
      outcome: string;
    }>;
    compensates: string | null;
    rejectionReason: string | null;
    unresolvedExposure: boolean;
    reconciliation: {
      attempts: number;
      nextAt: schemas["DateTime"] | null;
      exhausted: boolean;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    firstDispatchedAt: schemas["DateTime"] | null;
    outcomeAt: schemas["DateTime"] | null;
    /** The exact request; credentials stand as `{{secret:NAME}}`. */
    request: Record<string, schemas["JsonValue"]>;
    capabilities: Record<string, schemas["JsonValue"]>;
    /** The newest twenty. */
    attempts: Array<schemas["Attempt"]>;
    /** The newest twenty. */
    evidence: Array<schemas["Evidence"]>;
    reservations: Array<schemas["Reservation"]>;
    preview: schemas["ListedActionPreview"] | null;
    /** What a person recorded of an outcome that nobody saw. Permanent. */
    resolution: Record<string, schemas["JsonValue"]> | null;
    /** How many attempts there are. */
    attemptsCount: number;
    /** How much evidence there is. */
    evidenceCount: number;
  };
  ListedEvent: {
    /** The service's id for it. */
    eventId: string;
    /** What its deliveries carry as `id`: the id that its publisher gave it, or the same as `eventId`. */
    id: string;
    topicId: string;
    topic: string;
    type: string;
    data: schemas["JsonValue"] | schemas["Shortened"];
    occurredAt: schemas["DateTime"];
    /** `failed`: some of its messages could not be made, for the reason in `error`. */
    status: "fanning_out" | "fanned_out" | "failed";
    /** Messages that were made for it, one for each subscription that it matched. */
    deliveryCount: number;
    error: {
      code: string;
      message: string;
    } | null;
    publishedBy: {
      type: string;
      id: string | null;
    };
    createdAt: schemas["DateTime"];
    fannedOutAt: schemas["DateTime"] | null;
  };
  ListedEventSubscription: {
    id: string;
    topicId: string;
    url: string;
    eventTypes: Array<string>;
    enabled: boolean;
    /** False: its deliveries are signed with the keys of the workspace. */
    hasCustomSecret: boolean;
    headers: schemas["EventHeaders"] | schemas["Shortened"] | null;
    /** When the service disabled it, because it kept failing. */
    disabledAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  ListedInvocation: {
    id: string;
    status: "pending_approval" | "queued" | "dispatching" | "succeeded" | "failed" | "unknown" | "refused" | "denied" | "expired" | "cancelled";
    /** What is really known. Treat a grade you do not know as `unknown`. */
    grade: "confirmed" | "acknowledged" | "unknown" | "failed" | "refused" | "denied" | "pending";
    action: {
      id: string;
      name: string;
    };
    versionId: string;
    /** For a governed action only. */
    effectId: string | null;
    approvalId: string | null;
    /** Until when people can decide its approval; null unless it waits for one. */
    expiresAt: schemas["DateTime"] | null;
    operationKey: string;
    result: {
      status: schemas["Integer"];
      headers: Record<string, string>;
      body: schemas["JsonValue"];
      bodyEncoding: "json" | "utf8" | "base64";
    } | null | schemas["Shortened"];
    error: string | null;
    /** Why it was not carried out, failed, or is unknown; null under any other status. */
    refusal: schemas["Refusal"] | null;
    /** One sentence that an agent can follow. Null: nothing is left to do. */
    nextStep: string | null;
    requestedBy: schemas["Actor"];
    retryOf: string | null;
    runId: string | null;
    agentId: string | null;
    /** The `X-Request-Id` of the request that was admitted, as the log has it. */
    requestId: string | null;
    createdAt: schemas["DateTime"];
    settledAt: schemas["DateTime"] | null;
    resolution: Record<string, schemas["JsonValue"]> | null;
  };
  ListedMessage: {
    messageId: string;
    url: string;
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    headers: Record<string, string> | schemas["Shortened"] | null;
    body: schemas["JsonValue"] | null | schemas["Shortened"];
    scheduledFor: schemas["DateTime"] | null;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
    attempts: number | null;
    maxRetries: number | null;
    responseStatus: number | null;
    /** At most 8 KiB of it, credentials that were sent removed. */
    responseBody: string | null;
    /** Why the newest attempt failed. */
    errorMessage: string | null;
    deliveredAt: schemas["DateTime"] | null;
    failedAt: schemas["DateTime"] | null;
    callbackUrl: string | null;
    failureCallbackUrl: string | null;
    flowControlKey: string | null;
    /** The failed message that this one is a retry of, from the DLQ. */
    retryOf: string | null;
    /** As it was published. */
    label: string | null;
    /** The schedule that published it. */
    scheduleId: string | null;
    /** The URL group that it was published to. */
    urlGroupId: string | null;
    /** When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended. */
    nextAttemptAt: schemas["DateTime"] | null;
    /** True: headers, body and attempts had their time after the end and are gone. The record is kept longer. */
    contentExpired: boolean;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  ListedPlan: {
    id: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise";
    /** For people. */
    name: string;
    limits: schemas["PlanLimits"];
    /** What Early Beta Access includes; null for every other plan. */
    betaAllowances: {
      environments: schemas["PlanCap"];
      executions: schemas["PlanCap"];
      messages: schemas["PlanCap"];
      egressBytes: schemas["PlanCap"];
      memoryOperations: schemas["PlanCap"];
      notificationEmails: schemas["PlanCap"];
    } | null;
    features: {
      /** Whether the audit log can be read. */
      auditLog: boolean;
    };
    /** For a month. Null: no price is published. */
    price: schemas["BillingMoney"] | null;
    /** Whether a workspace can have this plan today. */
    available: boolean;
    /** Whether the plan is agreed on with sales. */
    contactSales: boolean;
    rates: schemas["PlanRates"];
    /** Whether the workspace has this plan. */
    isCurrent: boolean;
  };
  ListedRun: {
    id: string;
    agentId: string | null;
    agentVersion: string | null;
    environmentId: schemas["Uuid"];
    name: string | null;
    status: "running" | "succeeded" | "failed" | "cancelled";
    userId: string | null;
    application: string | null;
    /** Any JSON value, or null. */
    input: schemas["JsonValue"];
    /** Any JSON value, or null. */
    output: schemas["JsonValue"];
    error: Record<string, schemas["JsonValue"]> | null | schemas["Shortened"];
    tokens: number | null;
    cost: number | null;
    tags: Array<string> | null;
    metadata: Record<string, schemas["JsonValue"]> | null | schemas["Shortened"];
    startedAt: schemas["DateTime"];
    endedAt: schemas["DateTime"] | null;
    durationMs: number | null;
  };
  ListedSchedule: {
    id: string;
    name: string | null;
    cron: string;
    timezone: string;
    destination: schemas["ListedScheduleDestination"];
    overlap: "skip" | "buffer_one" | "allow_all";
    catchUpSeconds: number;
    paused: boolean;
    /** When it last published, or failed to. */
    lastRunAt: schemas["DateTime"] | null;
    /** Null while it is paused. */
    nextRunAt: schemas["DateTime"] | null;
    createdBy: {
      type: string;
      id: string | null;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  ListedScheduleDestination: {
    /** Where it is delivered to: http or https. Either this or `urlGroup`. */
    url?: string;
    /** The id or the name of a URL group: one message for each of its endpoints, and the answer is an array. */
    urlGroup?: string;
    /** POST where it is left out. */
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    headers?: Record<string, string> | schemas["Shortened"];
    body?: schemas["JsonValue"] | schemas["Shortened"];
    /** Seconds, or a duration such as `1d10h30m`. At most a year. */
    delay?: number | string;
    /** Not with `delay`. Past: at once. At most a year. */
    scheduledFor?: schemas["DateTimeWithOffset"];
    /** 5 where it is left out. */
    maxRetries?: number;
    /** CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n. */
    retryDelay?: string;
    /** For one attempt. 30 where it is left out. */
    timeoutSeconds?: number;
    /** Told of the end, whichever it is. */
    callbackUrl?: string;
    /** Told of a failure. */
    failureCallbackUrl?: string;
    /** A second message with this id within 10 minutes is not accepted: the first one is answered. */
    deduplicationId?: string;
    /** The same for messages of equal url, method, headers and body. Not with `deduplicationId`. */
    contentBasedDeduplication?: boolean;
    /** Its key, and the limits that the key has from now on. What is over them waits, in order. */
    flowControl?: schemas["FlowControl"];
    label?: string;
    redact?: schemas["MessageRedaction"];
    /** The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone. */
    topic?: string;
    /** The type of the event. `message` where it is left out. With `topic` alone. */
    eventType?: string;
  };
  ListedSession: {
    id: string;
    name: string | null;
    userId: string | null;
    agentId: string | null;
    metadata: Record<string, schemas["JsonValue"]> | null | schemas["Shortened"];
    messageCount: number;
    /** The sum over its messages. */
    tokenCount: number;
    /** It answers 404 from then on. */
    expiresAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  Member: {
    userId: string;
    email: string;
    name: string;
    role: "member" | "admin" | "owner";
    joinedAt: schemas["DateTime"];
  };
  Memory: {
    id: string;
    collectionId: string;
    /** `fact`: something that holds. `episode`: something that happened. */
    kind: "fact" | "episode";
    content: string;
    userId: string | null;
    agentId: string | null;
    sessionId: string | null;
    source: schemas["MemorySource"] | null;
    metadata: Record<string, schemas["JsonValue"]>;
    /** From when on it holds. */
    validFrom: schemas["DateTime"];
    /** Until when, exclusive. Null: no end is known. */
    validTo: schemas["DateTime"] | null;
    /** When it was recorded. */
    createdAt: schemas["DateTime"];
    /** The next version. */
    supersededBy: string | null;
    /** When it is deleted, with its chain and what was derived from it. */
    expiresAt: schemas["DateTime"] | null;
  };
  MemoryCollection: {
    id: string;
    name: string;
    description: string | null;
    /** The same for every vector in the collection, from its creation on. */
    embedding: {
      model: string;
      dimensions: number;
    };
    /** Without superseded versions. */
    memoryCount: number;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  /** Every member narrows it. */
  MemoryFilter: {
    collectionIds?: Array<string>;
    userId?: string;
    agentId?: string;
    sessionId?: string;
    /** `fact`: something that holds. `episode`: something that happened. */
    kind?: "fact" | "episode";
    source?: {
      type: string;
      id?: string;
    };
    /** Members that the metadata has, with these values. */
    metadata?: Record<string, schemas["JsonValue"]>;
  };
  MemoryJob: {
    id: string;
    kind: "ingest" | "forget" | "delete";
    collectionId: string | null;
    status: "queued" | "running" | "succeeded" | "failed";
    /** Chunks of an ingest; null until it is split, and for other jobs. */
    total: number | null;
    /** Chunks that are stored, or memories that are deleted. */
    done: number;
    /** Why it failed; while it runs, what it waits for. */
    error: {
      code: string;
      message: string;
    } | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    endedAt: schemas["DateTime"] | null;
  };
  /** What it is derived from. Type `memory`: deleting that memory deletes this one. Type `job`: an ingest stored it. */
  MemorySource: {
    type: string;
    id: string;
  };
  MessageAttempt: {
    number: number;
    /** `abandoned`: the worker was lost before the end was on record; the destination may have been called. */
    status: "started" | "completed" | "abandoned";
    startedAt: schemas["DateTime"];
    finishedAt: schemas["DateTime"] | null;
    /** The call alone, from the look-up of the name to the end of the response. */
    latencyMs: number | null;
    /** The IP address that was dialled; null where there was no connection. */
    address: string | null;
    responseStatus: number | null;
    /** Credentials that were sent removed. */
    responseHeaders: Record<string, string> | null;
    /** At most 8 KiB of it, credentials that were sent removed. */
    responseBody: string | null;
    errorMessage: string | null;
    /** The worker that made the attempt, as `pid@host`. */
    worker: string | null;
  };
  MessageEventData: {
    messageId: string;
    url: string;
    method: string;
    label: string | null;
    attempts: number;
    responseStatus: schemas["Integer"] | null;
    errorMessage: string | null;
    scheduleId: string | null;
    urlGroupId: string | null;
    callbackOf: string | null;
    retryOf: string | null;
  };
  MessageParts: Array<{
    type: "text";
    text: string;
  } | {
    type: "image";
    url: string;
  }>;
  /** What else is sealed at rest and shown as `[REDACTED]`: the body; all headers, or these. */
  MessageRedaction: {
    body?: boolean;
    headers?: boolean | Array<string>;
  };
  NewSessionMessage: {
    role: "system" | "user" | "assistant" | "tool";
    /** Text, or parts of text and images. */
    content: string | schemas["MessageParts"];
    /** Who speaks, where several have the same role. */
    name?: string | null;
    /** For a message of role `tool`, and needed there: the id of the call that it answers. */
    toolCallId?: string | null;
    /** For a message of role `assistant`: the calls that the model asked for. */
    toolCalls?: Array<schemas["SessionToolCall"]> | null;
    metadata?: Record<string, schemas["JsonValue"]> | null;
  };
  Notification: {
    id: string;
    type: schemas["NotificationType"];
    title: string;
    body: string;
    /** What it is about. */
    subject: {
      type: "approval" | "effect" | "impact_limit" | "api_key" | "message" | "subscription" | "environment" | "signing_key" | "workspace";
      id: string;
    };
    /** Where a person acts on it: the page of an approval. */
    url: string | null;
    /** How many times it happened in its hour. It is unread again when this grows. */
    count: number;
    emails: schemas["NotificationEmails"];
    /** When this reader, a member or an API key, read it. */
    readAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  NotificationEmailAllowance: {
    /** E-mails that were queued in this UTC month, in all environments. */
    used: number;
    /** What the plan allows. Null: no limit. */
    allowed: number | null;
    resetsAt: schemas["DateTime"];
  };
  /** What became of the e-mails, by recipient. */
  NotificationEmails: {
    /** Waiting for their first or their next attempt. */
    pending: number;
    /** Taken by the mail server. */
    sent: number;
    /** Not sent, because the plan's monthly allowance was used up. */
    refused: number;
    /** Certainly not sent: the mail server refuses them, or was away for too long. */
    failed: number;
    /** May have arrived: the answer of the mail server was lost. They are not sent again. */
    unknown: number;
  };
  NotificationPreferences: {
    /** Where each notification is delivered to as a signed message. Null: nowhere. */
    alertWebhookUrl: string | null;
    /** Who gets each notification by e-mail. */
    emailRecipients: Array<string>;
    emailAllowance: schemas["NotificationEmailAllowance"];
  };
  /** What is left out stays as it is. */
  NotificationPreferencesUpdate: {
    alertWebhookUrl?: string | null;
    emailRecipients?: Array<string>;
  };
  NotificationType: "approval.requested" | "effect.unknown" | "effect.exhausted" | "impact_limit.threshold" | "impact_limit.exceeded" | "budget.threshold" | "budget.exceeded" | "usage.threshold" | "message.failed" | "environment.halted" | "environment.resumed" | "subscription.disabled" | "approval.expiring" | "signing_key.rotated" | "notification_preferences.updated";
  OffsetPagination: {
    total: number;
    page: number;
    limit: number;
    totalPages: number;
    hasMore: boolean;
  };
  Onboarding: {
    steps: Array<{
      id: "key_created" | "action_created" | "first_preview" | "first_invocation" | "action_governed" | "policy_applied" | "approver_added" | "first_decision" | "channel_connected" | "first_message" | "first_run";
      /** For people. */
      title: string;
      done: boolean;
      /** The time of the oldest record that is kept. Null while the step is open. */
      doneAt: schemas["DateTime"] | null;
      /** A page of the documentation, relative to its address. */
      docsUrl: string;
      /** A page where a person takes the step, relative to the service. Null where the API alone does. */
      consolePath: string | null;
    }>;
    /** The steps that are done. */
    completed: number;
    total: number;
  };
  OwnNotificationPreferences: {
    /** What this member does not see in lists and counts. Everybody else, and every channel, still has it. */
    mutedTypes: Array<schemas["NotificationType"]>;
  };
  OwnNotificationPreferencesUpdate: {
    mutedTypes: Array<schemas["NotificationType"]>;
  };
  Page: {
    success: true;
    data: unknown;
    pagination: schemas["OffsetPagination"];
  };
  Passkey: {
    id: string;
    name: string;
    /** Its authenticator keeps copies, such as in the account of a phone. */
    isSynced: boolean;
    createdAt: schemas["DateTime"];
    lastUsedAt: schemas["DateTime"] | null;
  };
  PasskeyOptions: {
    /** The `publicKey` options of WebAuthn in JSON: `parseCreationOptionsFromJSON()` and `parseRequestOptionsFromJSON()` read them. Their challenge is answered once, by this session, within five minutes. */
    publicKey: Record<string, schemas["JsonValue"]>;
  };
  PlanApprovalPolicyFiles: {
    /** One policy each, told apart by name; at most 100, and 1 MiB with the whole request. */
    files: Array<schemas["ApprovalPolicyFile"]>;
    /** Delete the policies that no file names. Left out: they are left alone. */
    prune?: boolean;
  };
  /** A number, or `unlimited`. */
  PlanCap: number | "unlimited";
  PlanLimits: {
    maxEnvironments: schemas["PlanCap"];
    requestsPerMinute: schemas["PlanCap"];
    requestsPerHour: schemas["PlanCap"];
    executionsPerMonth: schemas["PlanCap"];
    messagesPerMonth: schemas["PlanCap"];
    egressBytesPerMonth: schemas["PlanCap"];
    memoryOperationsPerMonth: schemas["PlanCap"];
    notificationEmailsPerMonth: schemas["PlanCap"];
    storageBytes: schemas["PlanCap"];
    scheduleFiringsPerMinute: schemas["PlanCap"];
    messageRetentionDays: number;
  };
  PlanOffer: {
    id: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise";
    /** For people. */
    name: string;
    limits: schemas["PlanLimits"];
    /** What Early Beta Access includes; null for every other plan. */
    betaAllowances: {
      environments: schemas["PlanCap"];
      executions: schemas["PlanCap"];
      messages: schemas["PlanCap"];
      egressBytes: schemas["PlanCap"];
      memoryOperations: schemas["PlanCap"];
      notificationEmails: schemas["PlanCap"];
    } | null;
    features: {
      /** Whether the audit log can be read. */
      auditLog: boolean;
    };
    /** For a month. Null: no price is published. */
    price: schemas["BillingMoney"] | null;
    /** Whether a workspace can have this plan today. */
    available: boolean;
    /** Whether the plan is agreed on with sales. */
    contactSales: boolean;
    rates: schemas["PlanRates"];
  };
  /** Unit prices of use beyond what is included; empty when such use is refused, or no price is published. */
  PlanRates: Array<{
    meter: "executions" | "messages" | "egress" | "memory_processing" | "notification_emails";
    unitPrice: schemas["UnitPrice"];
  }>;
  PolicyFixture: {
    name: string;
    request: schemas["FixtureRequest"];
    expect: schemas["FixtureExpectation"];
  };
  PolicyFixtureResult: {
    name: string;
    passed: boolean;
    /** What differs from `expect`; empty where it passed. */
    problems: Array<string>;
    expected: schemas["FixtureExpectation"];
    /** null where the request could not be evaluated; `problems` says why. */
    actual: {
      effect: "allow" | "require_approval" | "deny";
      /** What decided: a rule, the action's own `approval.required`, or the default of the environment. */
      source: "policy" | "action" | "environment";
      ruleId: string | null;
      /** How many must approve. Set, as the next three, where the effect is require_approval. */
      quorum: schemas["Integer"] | null;
      /** One for each rule that requires an approval: all of them must name the one who decides. `{}` names any key with `approvals:decide`, any admin or owner. */
      approvers: Array<{
        roles?: ("member" | "admin" | "owner")[];
        users?: Array<string>;
        keys?: Array<string>;
      }> | null;
      preventSelf: boolean | null;
      expiresInSeconds: schemas["Integer"] | null;
      reason: string;
      /** The code of the refusal, where the effect is deny. */
      refusal: {
        code: string;
        message: string;
      } | null;
      /** Name of the policy that decided. */
      policy: string | null;
    } | null;
    /** The rules that were looked at, those whose `match` held before the others. */
    trace: Array<schemas["ApprovalPolicyTrace"]>;
    /** How many more there were. */
    traceOmitted: number;
  };
  /** Exactly what will be sent; credentials stand as `{{secret:NAME}}`. */
  PreparedRequest: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body: string | null;
    bodyEncoding: "utf8" | "base64";
    /** The body of a request that carries files, piece by piece; `body` is null then. Only there where it carries any. */
    bodyParts?: Array<schemas["BodyPart"]>;
  };
  PresignedFile: {
    fileId: string;
    /** Send the bytes here. It is a credential: whoever has it can upload. */
    url: string;
    method: "PUT";
    /** To be sent with the bytes, exactly so. */
    headers: Record<string, string>;
    /** Until when the upload may begin, and when an unconfirmed file is removed. */
    expiresAt: schemas["DateTime"];
  };
  /** What an impact limit would allow now. A dispatch checks again. */
  PreviewAllowance: {
    limitId: string;
    name: string;
    dimension: string;
    currency: string | null;
    unit: string;
    cap: schemas["Integer"];
    period: string;
    available: schemas["Integer"];
    requested: schemas["Integer"];
    sufficient: boolean;
    refusal: string | null;
  };
  PreviewBlock: {
    type: "fields" | "text_diff" | "impact" | "limitations";
    title: string;
    fields?: Array<{
      label: string;
      value: string;
    }>;
    path?: string;
    before?: string;
    after?: string;
    truncated?: boolean;
    quantities?: Array<schemas["ImpactQuantity"]>;
    items?: Array<{
      kind: "guarantee" | "freshness" | "unsupported" | "irreversible";
      text: string;
    }>;
  };
  PreviewRefreshRequest: {
    /** ISO 8601 duration, PT1M to PT24H. Default: as long as the old one, and as long as people would be asked now. */
    expiresIn?: string;
  };
  PreviewRequest: {
    /** Checked against the action version's inputSchema. */
    input: Record<string, schemas["JsonValue"]>;
    /** The operation key of the later invocation, which need not name it again. */
    operationKey?: string;
    /** Effects that must have succeeded before this one is sent. Where one ends otherwise, it is refused. */
    dependsOn?: Array<string>;
    /** The effect that this one makes up for. */
    compensates?: string;
    /** The earlier invocation that this one runs again under a new key. */
    retryOf?: string;
    runId?: string;
    agentId?: string;
    /** ISO 8601 duration, PT1M to PT24H. Default: as long as the longest `expiresIn` of the rules that would ask people, and at least PT15M. */
    expiresIn?: string;
  };
  PricingPolicy: {
    /** Changes with every figure, meter and rule of the policy. */
    version: string;
    effectiveAt: schemas["DateTime"];
    currency: string;
    paidPlansOpen: boolean;
    plans: Array<schemas["PlanOffer"]>;
    meters: Array<{
      id: "executions" | "messages" | "egress" | "memory_processing" | "notification_emails";
      unit: string;
      counts: string;
      doesNotCount: Array<string>;
    }>;
    resets: string;
    /** What becomes of use beyond an allowance. */
    overage: string;
    rounding: string;
    /** Where a correction of an issued invoice stands. */
    corrections: string;
    /** Where changes are announced, relative to the service’s address. */
    changesUrl: string;
  };
  /** The JSON of the `PublicKeyCredential` (`toJSON()`), with its bytes as base64url. */
  PublicKeyCredential: {
    id: string;
    rawId: string;
    type: "public-key";
    response: {
      clientDataJSON: string;
    } & Record<string, unknown>;
    clientExtensionResults?: Record<string, schemas["JsonValue"]>;
  } & Record<string, unknown>;
  PublicMessage: {
    messageId: string;
    url: string;
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** Authorization, cookie and API key values are `[REDACTED]`. */
    headers: Record<string, string> | null;
    body: schemas["JsonValue"] | null;
    scheduledFor: schemas["DateTime"] | null;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
    attempts: number | null;
    maxRetries: number | null;
    responseStatus: number | null;
    /** At most 8 KiB of it, credentials that were sent removed. */
    responseBody: string | null;
    /** Why the newest attempt failed. */
    errorMessage: string | null;
    deliveredAt: schemas["DateTime"] | null;
    failedAt: schemas["DateTime"] | null;
    callbackUrl: string | null;
    failureCallbackUrl: string | null;
    flowControlKey: string | null;
    /** The failed message that this one is a retry of, from the DLQ. */
    retryOf: string | null;
    /** As it was published. */
    label: string | null;
    /** The schedule that published it. */
    scheduleId: string | null;
    /** The URL group that it was published to. */
    urlGroupId: string | null;
    /** When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended. */
    nextAttemptAt: schemas["DateTime"] | null;
    /** True: headers, body and attempts had their time after the end and are gone. The record is kept longer. */
    contentExpired: boolean;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  PublicUrlGroup: {
    groupId: string;
    name: string;
    endpointCount: number;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  PublicUrlGroupEndpoint: {
    id: schemas["Uuid"];
    url: string;
    name: string | null;
    retryCount: number | null;
    createdAt: schemas["DateTime"];
  };
  PublicUrlGroupWithEndpoints: {
    groupId: string;
    name: string;
    endpointCount: number;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** In the order in which they were added. */
    endpoints: Array<schemas["PublicUrlGroupEndpoint"]>;
  };
  PublishBatchRequest: {
    /** Each as the body of publish. One that is not valid has its error in the reply; the others are accepted. */
    messages: Array<unknown>;
  };
  PublishEventRequest: {
    /** The id of the topic, `top_…`, or its name. Not `service`, to which the service publishes. */
    topic: string;
    /** What happened. Subscriptions choose by it. */
    type: string;
    /** Delivered as it is. At most 256 KiB. */
    data: schemas["JsonValue"];
    /** Your id for it, unique in the environment: an event that is published twice is delivered once. */
    id?: string;
    /** When it happened. Left out: now. */
    occurredAt?: schemas["DateTimeWithOffset"];
  };
  PublishMessageRequest: {
    /** Where it is delivered to: http or https. Either this or `urlGroup`. */
    url?: string;
    /** The id or the name of a URL group: one message for each of its endpoints, and the answer is an array. */
    urlGroup?: string;
    /** POST where it is left out. */
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`. */
    headers?: Record<string, string>;
    /** A string is sent as it is; anything else as JSON. Null: none. */
    body?: schemas["JsonValue"];
    /** Seconds, or a duration such as `1d10h30m`. At most a year. */
    delay?: number | string;
    /** Not with `delay`. Past: at once. At most a year. */
    scheduledFor?: schemas["DateTimeWithOffset"];
    /** 5 where it is left out. */
    maxRetries?: number;
    /** CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n. */
    retryDelay?: string;
    /** For one attempt. 30 where it is left out. */
    timeoutSeconds?: number;
    /** Told of the end, whichever it is. */
    callbackUrl?: string;
    /** Told of a failure. */
    failureCallbackUrl?: string;
    /** A second message with this id within 10 minutes is not accepted: the first one is answered. */
    deduplicationId?: string;
    /** The same for messages of equal url, method, headers and body. Not with `deduplicationId`. */
    contentBasedDeduplication?: boolean;
    /** Its key, and the limits that the key has from now on. What is over them waits, in order. */
    flowControl?: schemas["FlowControl"];
    label?: string;
    redact?: schemas["MessageRedaction"];
    /** The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone. */
    topic?: string;
    /** The type of the event. `message` where it is left out. With `topic` alone. */
    eventType?: string;
  };
  /** One message; for a URL group an array, one for each endpoint; for a topic the event. */
  PublishResult: schemas["PublishedMessage"] | Array<schemas["PublishedMessage"]> | schemas["PublishedToTopic"];
  PublishToUrlGroupRequest: {
    /** POST where it is left out. */
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`. */
    headers?: Record<string, string>;
    /** A string is sent as it is; anything else as JSON. Null: none. */
    body?: schemas["JsonValue"];
    /** Seconds, or a duration such as `1d10h30m`. At most a year. */
    delay?: number | string;
    /** Not with `delay`. Past: at once. At most a year. */
    scheduledFor?: schemas["DateTimeWithOffset"];
    /** 5 where it is left out. */
    maxRetries?: number;
    /** CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n. */
    retryDelay?: string;
    /** For one attempt. 30 where it is left out. */
    timeoutSeconds?: number;
    /** Told of the end, whichever it is. */
    callbackUrl?: string;
    /** Told of a failure. */
    failureCallbackUrl?: string;
    /** A second message with this id within 10 minutes is not accepted: the first one is answered. */
    deduplicationId?: string;
    /** The same for messages of equal url, method, headers and body. Not with `deduplicationId`. */
    contentBasedDeduplication?: boolean;
    /** Its key, and the limits that the key has from now on. What is over them waits, in order. */
    flowControl?: schemas["FlowControl"];
    label?: string;
    redact?: schemas["MessageRedaction"];
  };
  PublishedEvent: {
    /** The service's id for it. */
    eventId: string;
    /** What its deliveries carry as `id`: the id that its publisher gave it, or the same as `eventId`. */
    id: string;
    topicId: string;
    topic: string;
    type: string;
    data: schemas["JsonValue"];
    occurredAt: schemas["DateTime"];
    /** `failed`: some of its messages could not be made, for the reason in `error`. */
    status: "fanning_out" | "fanned_out" | "failed";
    /** Messages that were made for it, one for each subscription that it matched. */
    deliveryCount: number;
    error: {
      code: string;
      message: string;
    } | null;
    publishedBy: {
      type: string;
      id: string | null;
    };
    createdAt: schemas["DateTime"];
    fannedOutAt: schemas["DateTime"] | null;
    /** True: an event with this id was there, and nothing new was accepted. */
    deduplicated: boolean;
  };
  PublishedMessage: {
    messageId: string;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
    /** True: `messageId` is an earlier message, and nothing new was accepted. */
    deduplicated: boolean;
  };
  /** The event: `GET /events/{eventId}` shows its deliveries. */
  PublishedToTopic: {
    eventId: string;
    status: "fanning_out" | "fanned_out" | "failed";
    deduplicated: boolean;
  };
  Quota: {
    name: "executions" | "messages" | "egressBytes" | "memoryOperations" | "notificationEmails" | "storageBytes" | "environments" | "previews" | "approvals" | "impactLimits" | "cachedAnswers" | "memoryCollections" | "schedules" | "integrations" | "urlGroups" | "flowControlKeys" | "topics";
    unit: string;
    /** `none`: it does not reset; deleting makes room. */
    period: "month" | "none";
    limit: schemas["PlanCap"];
    used: number;
    remaining: schemas["PlanCap"];
    /** One decimal, cut. Null without a limit. */
    percentUsed: number | null;
    resetsAt: schemas["DateTime"] | null;
    /** `after_the_fact`: known only when it is spent, so a month may end above the limit. */
    enforcement: "hard" | "after_the_fact";
    /** `warning` from 80 % on; `exceeded` when nothing is left and the next is refused. */
    status: "ok" | "warning" | "exceeded";
  };
  QuotaList: {
    /** When monthly allowances begin again: 00:00 UTC on the first of the next month. */
    resetsAt: schemas["DateTime"];
    quotas: Array<schemas["Quota"]>;
  };
  ReceiptCheck: {
    valid: boolean;
    entries: number;
    /** How many of each are what was hashed. */
    checked: {
      evidence: number;
      attempts: number;
      resolutions: number;
    };
    /** The end of the chain. Keep it elsewhere: a chain that is rewritten as a whole has another one. */
    head: {
      sequence: schemas["Integer"];
      hash: string | null;
    } | null;
    /** Where the chain breaks first. */
    brokenAt: {
      sequence: schemas["Integer"] | null;
      /** `content`: the record is not what was hashed, or is gone. `link`: the entry does not follow from the one before. `end`: the chain ends early, or late. `unchained`: the record has no entry. */
      problem: "content" | "link" | "end" | "unchained";
      kind: "evidence" | "attempt_started" | "attempt_claimed" | "attempt_ended" | "late_answer" | "resolution" | null;
      recordId: string | null;
    } | null;
  };
  ReceiptEntry: {
    /** Its place in the chain of the effect, from 1. */
    sequence: number;
    kind: "evidence" | "attempt_started" | "attempt_claimed" | "attempt_ended" | "late_answer" | "resolution";
    /** The hash of the entry before; null: it is the first. */
    previousHash: string | null;
    /** SHA-256 over what is recorded and the entry before; docs/receipts.md says over which bytes. */
    hash: string;
  };
  RecordedRefusal: {
    code: schemas["RefusalCode"];
    message: string;
    details?: schemas["RefusalDetails"];
  };
  RecoverSubscriptionRequest: {
    /** Deliveries that failed for good from this moment on, until the request. */
    since: schemas["DateTimeWithOffset"];
  };
  Refusal: {
    code: schemas["RefusalCode"];
    message: string;
    details: schemas["RefusalDetails"];
  };
  /** Match on it. Each code is explained in docs/reference/refusals.md. */
  RefusalCode: "digest_mismatch" | "action_version_changed" | "action_disabled" | "preview_expired" | "precondition_changed" | "policy_denied" | "policy_evaluation_error" | "approval_denied" | "approval_expired" | "approval_cancelled" | "invocation_cancelled" | "approval_invalidated" | "impact_limit_exceeded" | "impact_unbounded" | "currency_mismatch" | "secret_missing" | "attachment_changed" | "mode_mismatch" | "recipient_not_allowed" | "environment_halted" | "destination_blocked" | "dependency_unsettled" | "operation_in_flight" | "requester_revoked" | "provider_rejected" | "provider_reports_failure" | "absent_at_provider" | "reversed_by_provider" | "not_sent" | "not_taken_up" | "resolved_as_failed" | "no_usable_answer" | "worker_lost" | "database_recovered" | "replay_unanswered" | "ambiguous_at_provider";
  RefusalDetails: {
    approvalId?: string;
    effectId?: string;
    previewId?: string;
    policyId?: string;
    ruleId?: string;
    keyId?: string;
    fileId?: string;
    limitId?: string;
    /** Every limit that has too little left, the named one first. */
    limitIds?: Array<string>;
    available?: schemas["Integer"];
    requested?: schemas["Integer"];
    currency?: string;
    /** When the same may pass, or when the provider is read next. */
    resumeAt?: schemas["DateTime"];
    expiresAt?: schemas["DateTime"];
    versionId?: string;
    currentVersionId?: string;
    /** Names of secrets. */
    secrets?: Array<string>;
    host?: string;
    /** What to mend, each with a path such as `input.amount`. */
    issues?: Array<{
      path: string;
      message: string;
    }>;
  };
  Reservation: {
    limitId: string;
    name: string;
    dimension: string;
    currency: string | null;
    period: string;
    amount: schemas["Integer"];
    state: "reserved" | "settled" | "released";
    exposure: "dispatching" | "pending" | "unknown" | "partial" | null;
    settled: schemas["Integer"];
    released: schemas["Integer"];
    createdAt: schemas["DateTime"];
    finishedAt: schemas["DateTime"] | null;
  };
  ResolveRequest: {
    outcome: "succeeded" | "failed";
    /** What it left behind all the same. Needed for `failed` where the `partialEffect` of the effect is `possible`; else `none` by default. */
    partialEffect?: "none" | "possible" | "confirmed";
    /** What it really used, at most what was declared; the rest of its allowance is given back. */
    settledImpact?: Array<schemas["ImpactQuantity"]>;
    evidence: {
      /** How you know. */
      summary: string;
      providerIds?: Record<string, string>;
      /** Where it can be looked up. */
      url?: string;
    };
  };
  RetriedMessage: {
    messageId: string;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
    /** The message that failed. */
    retryOf: string;
  };
  /** Every member of the filter must hold. None: all. */
  RetryDeadLetters: {
    /** The destination, exactly as it was published. */
    url?: string;
    /** The id of a URL group, or the name of one. */
    urlGroup?: string;
    scheduleId?: string;
    /** Exactly as it was published. */
    label?: string;
    reason?: "retries_exhausted" | "gone" | "not_retryable" | "destination_blocked";
    /** Failed after. */
    startDate?: schemas["DateTimeWithOffset"];
    /** Failed before. */
    endDate?: schemas["DateTimeWithOffset"];
    responseStatus?: number;
    /** How many records you have seen. If the filter matches another number now, the answer is 409. */
    expectedCount?: number;
  };
  RetryMessageRequest: {
    url?: string;
    /** POST where it is left out. */
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** All of them. `[REDACTED]` keeps the value of a sealed one. Null: none. */
    headers?: Record<string, string> | null;
    /** A string is sent as it is; anything else as JSON. Null: none. */
    body?: schemas["JsonValue"];
    /** Seconds, or a duration such as `1d10h30m`. At most a year. */
    delay?: number | string;
    /** Not with `delay`. Past: at once. At most a year. */
    scheduledFor?: schemas["DateTimeWithOffset"];
    /** 5 where it is left out. */
    maxRetries?: number;
    retryDelay?: string | null;
    /** For one attempt. 30 where it is left out. */
    timeoutSeconds?: number;
    callbackUrl?: string | null;
    failureCallbackUrl?: string | null;
    flowControl?: schemas["FlowControl"] | null;
    label?: string | null;
    redact?: schemas["MessageRedaction"];
  };
  RotatedSigningKey: {
    id: string;
    /** The first characters of the secret. */
    prefix: string;
    createdAt: schemas["DateTime"];
    /** Until when it signs beside the newest one; null for that one. */
    retiresAt: schemas["DateTime"] | null;
    /** `whsec_` and the base64 of 32 bytes. Shown here, once. */
    secret: string;
  };
  RotatedSubscriptionSecret: {
    subscriptionId: string;
    /** The new signing secret. It is shown here, once. */
    secret: string;
    /** Until when what signed before signs beside it. Null: it does not sign any more. */
    previousSignsUntil: schemas["DateTime"] | null;
  };
  Run: {
    id: string;
    agentId: string | null;
    agentVersion: string | null;
    environmentId: schemas["Uuid"];
    name: string | null;
    status: "running" | "succeeded" | "failed" | "cancelled";
    userId: string | null;
    application: string | null;
    /** Any JSON value, or null. */
    input: schemas["JsonValue"];
    /** Any JSON value, or null. */
    output: schemas["JsonValue"];
    error: Record<string, schemas["JsonValue"]> | null;
    tokens: number | null;
    cost: number | null;
    tags: Array<string> | null;
    metadata: Record<string, schemas["JsonValue"]> | null;
    startedAt: schemas["DateTime"];
    endedAt: schemas["DateTime"] | null;
    durationMs: number | null;
  };
  RunWithCounts: {
    id: string;
    agentId: string | null;
    agentVersion: string | null;
    environmentId: schemas["Uuid"];
    name: string | null;
    status: "running" | "succeeded" | "failed" | "cancelled";
    userId: string | null;
    application: string | null;
    /** Any JSON value, or null. */
    input: schemas["JsonValue"];
    /** Any JSON value, or null. */
    output: schemas["JsonValue"];
    error: Record<string, schemas["JsonValue"]> | null;
    tokens: number | null;
    cost: number | null;
    tags: Array<string> | null;
    metadata: Record<string, schemas["JsonValue"]> | null;
    startedAt: schemas["DateTime"];
    endedAt: schemas["DateTime"] | null;
    durationMs: number | null;
    counts: {
      spans: number;
      invocations: number;
      effects: number;
      approvals: number;
    };
  };
  Schedule: {
    id: string;
    name: string | null;
    cron: string;
    timezone: string;
    destination: schemas["ShownScheduleDestination"];
    overlap: "skip" | "buffer_one" | "allow_all";
    catchUpSeconds: number;
    paused: boolean;
    /** When it last published, or failed to. */
    lastRunAt: schemas["DateTime"] | null;
    /** Null while it is paused. */
    nextRunAt: schemas["DateTime"] | null;
    createdBy: {
      type: string;
      id: string | null;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  ScheduleAnalytics: {
    scheduleId: string;
    name: string | null;
    cron: string;
    timezone: string;
    paused: boolean;
    /** Runs whose outcome came in the range, those asked for by hand too. */
    firings: {
      published: number;
      /** Nothing was published, because an earlier message had not ended or the environment was halted. */
      skipped: number;
      /** Publishing was refused. */
      failed: number;
      /** Nobody fired the slot within the catch-up. */
      missed: number;
    };
    /** Published of those published, failed or missed. A skipped slot counts on neither side. */
    successRate: schemas["AnalyticsRate"];
    /** From the slot until it published, of those published in the range. */
    latenessMs: schemas["AnalyticsPercentiles"] | null;
    approximate: schemas["AnalyticsApproximation"];
    /** Messages of its firings that ended in the range. */
    delivery: {
      delivered: number;
      failed: number;
    };
    /** When it last published, or failed to, whatever the range. */
    lastRunAt: schemas["DateTime"] | null;
    /** Null while it is paused. */
    nextRunAt: schemas["DateTime"] | null;
  };
  /** What each firing publishes: the body of a publish request without `scheduledFor`. */
  ScheduleDestination: (schemas["PublishMessageRequest"]) & ({
    /** Where it is delivered to: http or https. Either this or `urlGroup`. */
    url?: string;
    /** The id or the name of a URL group: one message for each of its endpoints, and the answer is an array. */
    urlGroup?: string;
    /** POST where it is left out. */
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`. */
    headers?: Record<string, string>;
    /** A string is sent as it is; anything else as JSON. Null: none. */
    body?: schemas["JsonValue"];
    /** Seconds, or a duration such as `1d10h30m`. At most a year. */
    delay?: number | string;
    /** Not with `delay`. Past: at once. At most a year. */
    scheduledFor?: schemas["DateTimeWithOffset"];
    /** 5 where it is left out. */
    maxRetries?: number;
    /** CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n. */
    retryDelay?: string;
    /** For one attempt. 30 where it is left out. */
    timeoutSeconds?: number;
    /** Told of the end, whichever it is. */
    callbackUrl?: string;
    /** Told of a failure. */
    failureCallbackUrl?: string;
    /** A second message with this id within 10 minutes is not accepted: the first one is answered. */
    deduplicationId?: string;
    /** The same for messages of equal url, method, headers and body. Not with `deduplicationId`. */
    contentBasedDeduplication?: boolean;
    /** Its key, and the limits that the key has from now on. What is over them waits, in order. */
    flowControl?: schemas["FlowControl"];
    label?: string;
    redact?: schemas["MessageRedaction"];
    /** The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone. */
    topic?: string;
    /** The type of the event. `message` where it is left out. With `topic` alone. */
    eventType?: string;
  });
  ScheduleExecution: {
    scheduleId: string;
    /** `manual`: asked for by `POST /schedules/{scheduleId}/run`. */
    trigger: "schedule" | "manual";
    /** When it was due. */
    scheduledFor: schemas["DateTime"];
    /** When its outcome came. */
    firedAt: schemas["DateTime"];
    /** Exact. Null where it published nothing. */
    latenessMs: number | null;
    /** As in the list of the runs of a schedule. */
    outcome: "queued" | "waiting" | "published" | "skipped" | "failed" | "missed";
    /** What it published, one for each endpoint of a URL group. */
    messageIds: Array<string>;
    /** The event that it published to a topic. */
    eventId: string | null;
    /** What became of its messages, or of the deliveries of its event: `pending` while one has not ended, else `failed` where one failed. Null where there is none, or none is kept. */
    deliveryStatus: "pending" | "delivered" | "failed" | "cancelled" | null;
    error: {
      code: string;
      message: string;
    } | null;
  };
  SchedulePreview: {
    cron: string;
    timezone: string;
    /** The next ten, or fewer where so many do not come within fifty years. */
    times: Array<schemas["DateTime"]>;
  };
  ScheduleRun: {
    scheduleId: string;
    /** `manual`: asked for by `POST /schedules/{scheduleId}/run`. */
    trigger: "schedule" | "manual";
    /** When it was due. */
    nominalTime: schemas["DateTime"];
    /** When its outcome came. */
    firedAt: schemas["DateTime"];
    /** `queued`: asked for, published in a moment. `waiting`: published when a message of an earlier run has ended. `skipped`, `failed`: nothing was published, for the reason in `error`. `missed`: nobody fired it within the catch-up. */
    outcome: "queued" | "waiting" | "published" | "skipped" | "failed" | "missed";
    error: {
      code: string;
      message: string;
    } | null;
    messages: Array<{
      messageId: string;
      /** Null once the message is no longer kept. */
      status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled" | null;
    }>;
    /** The event that it published to a topic. */
    eventId: string | null;
  };
  Scope: "messages:read" | "messages:write" | "messages:ingest" | "schedules:read" | "schedules:write" | "queues:read" | "queues:write" | "workflows:read" | "workflows:write" | "integrations:read" | "integrations:write" | "logs:read" | "dlq:read" | "dlq:write" | "flow-control:read" | "flow-control:write" | "url-groups:read" | "url-groups:write" | "billing:read" | "notifications:read" | "notifications:write" | "notifications:manage" | "feedback:write" | "analytics:read" | "memory:read" | "memory:write" | "events:read" | "events:write" | "files:read" | "files:write" | "cache:read" | "cache:write" | "sessions:read" | "sessions:write" | "context:read" | "secrets:read" | "secrets:write" | "actions:read" | "actions:write" | "actions:invoke" | "actions:govern" | "actions:resolve" | "approvals:read" | "approvals:write" | "approvals:decide" | "budgets:read" | "budgets:write" | "runs:read" | "runs:write" | "environments:halt" | "policies:read" | "policies:write" | "impact-limits:read" | "impact-limits:write";
  SearchMemoryRequest: {
    query: string;
    /** Left out: every collection of the environment. */
    collectionIds?: Array<string>;
    userId?: string;
    filter?: {
      userId?: string;
      agentId?: string;
      sessionId?: string;
      /** `fact`: something that holds. `episode`: something that happened. */
      kind?: "fact" | "episode";
      source?: {
        type: string;
        id?: string;
      };
      /** Members that the metadata has, with these values. */
      metadata?: Record<string, schemas["JsonValue"]>;
    };
    limit?: number;
    mode?: "hybrid" | "vector" | "text";
    /** As it was recorded then and held then. Not with `validAt`. */
    asOf?: schemas["DateTimeWithOffset"];
    /** What held then, as it is recorded now. Not with `asOf`. */
    validAt?: schemas["DateTimeWithOffset"];
  };
  /** What can be read of a secret: everything but its value. */
  Secret: {
    id: string;
    name: string;
    /** That of the value in use. Counts up with every rotation, over a delete too. */
    version: number;
    description: string | null;
    createdAt: schemas["DateTime"];
    /** When the present value replaced an earlier one; null before. */
    rotatedAt: schemas["DateTime"] | null;
  };
  Session: {
    id: string;
    name: string | null;
    userId: string | null;
    agentId: string | null;
    metadata: Record<string, schemas["JsonValue"]> | null;
    messageCount: number;
    /** The sum over its messages. */
    tokenCount: number;
    /** It answers 404 from then on. */
    expiresAt: schemas["DateTime"] | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
  };
  SessionMessage: {
    role: "system" | "user" | "assistant" | "tool";
    /** Text, or parts of text and images. */
    content: string | schemas["MessageParts"];
    name: string | null;
    toolCallId: string | null;
    toolCalls: Array<schemas["SessionToolCall"]> | null;
    metadata: Record<string, schemas["JsonValue"]> | null;
    id: string;
    /** Its place in the session. Appends leave no gap, and no number is used twice. */
    sequence: number;
    /** Those of its content and its tool calls, in o200k_base. */
    tokens: number;
    createdAt: schemas["DateTime"];
  };
  SessionToolCall: {
    id: string;
    name: string;
    arguments: Record<string, schemas["JsonValue"]>;
  };
  /** In lists, in place of a member of more than 4 KiB of JSON. Get the one record to have it whole. */
  Shortened: {
    truncated: true;
    /** The size of its JSON text. */
    bytes: number;
    /** The beginning of that text. */
    preview: string;
  };
  /** As it was given. Values of credentials, and what `redact` names, are `[REDACTED]`. */
  ShownScheduleDestination: {
    /** Where it is delivered to: http or https. Either this or `urlGroup`. */
    url?: string;
    /** The id or the name of a URL group: one message for each of its endpoints, and the answer is an array. */
    urlGroup?: string;
    /** POST where it is left out. */
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`. */
    headers?: Record<string, string>;
    /** A string is sent as it is; anything else as JSON. Null: none. */
    body?: schemas["JsonValue"];
    /** Seconds, or a duration such as `1d10h30m`. At most a year. */
    delay?: number | string;
    /** Not with `delay`. Past: at once. At most a year. */
    scheduledFor?: schemas["DateTimeWithOffset"];
    /** 5 where it is left out. */
    maxRetries?: number;
    /** CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n. */
    retryDelay?: string;
    /** For one attempt. 30 where it is left out. */
    timeoutSeconds?: number;
    /** Told of the end, whichever it is. */
    callbackUrl?: string;
    /** Told of a failure. */
    failureCallbackUrl?: string;
    /** A second message with this id within 10 minutes is not accepted: the first one is answered. */
    deduplicationId?: string;
    /** The same for messages of equal url, method, headers and body. Not with `deduplicationId`. */
    contentBasedDeduplication?: boolean;
    /** Its key, and the limits that the key has from now on. What is over them waits, in order. */
    flowControl?: schemas["FlowControl"];
    label?: string;
    redact?: schemas["MessageRedaction"];
    /** The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone. */
    topic?: string;
    /** The type of the event. `message` where it is left out. With `topic` alone. */
    eventType?: string;
  };
  SignInSession: {
    user: schemas["User"];
    workspaces: Array<{
      id: schemas["Uuid"];
      name: string;
      role: "member" | "admin" | "owner";
    }>;
    /** Send it as `X-CSRF-Token` with every request of this session that changes something. */
    csrfToken: string;
    /** How and when the person was authenticated last. */
    authentication: {
      method: "password" | "passkey" | "recovery_code";
      at: schemas["DateTime"];
    };
    /** The sign-in is not finished: the user has a passkey. Until they confirm with it, or with a recovery code, this session does nothing else, and `workspaces` is empty. */
    awaitsSecondFactor: boolean;
    /** The session ends then at the latest, and after an hour without a request. */
    expiresAt: schemas["DateTime"];
  };
  SigningKey: {
    id: string;
    /** The first characters of the secret. */
    prefix: string;
    createdAt: schemas["DateTime"];
    /** Until when it signs beside the newest one; null for that one. */
    retiresAt: schemas["DateTime"] | null;
  };
  SlackChannel: {
    id: string;
    name: string;
    isPrivate: boolean;
    /** The bot is in it. Invite it to a channel that it is to post to. */
    isMember: boolean;
  };
  SlackChannels: {
    channels: Array<schemas["SlackChannel"]>;
    /** There are more: choose by the id that Slack shows in the details of a channel. */
    truncated: boolean;
  };
  SlackConnection: {
    /** By default the Slack workspace's own. */
    name?: string;
    /** With the scopes `chat:write`, `channels:read` and `groups:read`. Sealed; never shown. */
    botToken: string;
    /** That of the Slack app: with it, messages have buttons that decide. Sealed; never shown. */
    signingSecret?: string;
  };
  Span: {
    id: string;
    runId: string;
    parentId: string | null;
    traceId: string | null;
    name: string;
    kind: "agent" | "model" | "tool" | "retrieval" | "action" | "other";
    status: "running" | "succeeded" | "failed" | "cancelled";
    startedAt: schemas["DateTime"];
    endedAt: schemas["DateTime"] | null;
    durationMs: number | null;
    /** Any JSON value, or null. */
    input: schemas["JsonValue"];
    /** Any JSON value, or null. */
    output: schemas["JsonValue"];
    error: Record<string, schemas["JsonValue"]> | null | schemas["Shortened"];
    tokens: {
      input: number | null;
      output: number | null;
    };
    cost: number | null;
    attributes: Record<string, schemas["JsonValue"]> | null | schemas["Shortened"];
    /** For a span that the service keeps for an invocation of the run. */
    invocationId: string | null;
    effectId: string | null;
    approvalId: string | null;
    /** Its own children, without theirs. */
    childCount: number;
    /** It names a parent that has not come; it is listed among the roots. */
    orphan: boolean;
  };
  /** A member that is left out, or null, leaves what is there. */
  SpanUpsert: {
    /** Your own 16 hexadecimal digits, as of W3C Trace Context, or one of ours. Unique in the run. */
    id: string;
    traceId?: string | null;
    /** It may come later. */
    parentId?: string | null;
    /** Left out of a new span: its id, until its name comes. */
    name?: string | null;
    /** `other` where it is left out of a new span. */
    kind?: "agent" | "model" | "tool" | "retrieval" | "action" | "other" | null;
    /** Left out: `running`, and with an end `succeeded`, or `failed` where there is an error. */
    status?: "running" | "succeeded" | "failed" | "cancelled" | null;
    startedAt?: schemas["DateTimeWithOffset"] | null;
    endedAt?: schemas["DateTimeWithOffset"] | null;
    input?: schemas["JsonValue"];
    output?: schemas["JsonValue"];
    error?: Record<string, schemas["JsonValue"]> | null;
    tokens?: {
      input?: number | null;
      output?: number | null;
    } | null;
    cost?: number | null;
    /** Merged into those that are there. */
    attributes?: Record<string, schemas["JsonValue"]> | null;
  };
  StoreMemoryRequest: {
    /** Left out: the collection named `default`, which is made when it is first used. */
    collectionId?: string;
    /** `fact`: something that holds. `episode`: something that happened. */
    kind?: "fact" | "episode";
    content: string;
    userId?: string | null;
    agentId?: string | null;
    sessionId?: string | null;
    source?: schemas["MemorySource"] | null;
    metadata?: Record<string, schemas["JsonValue"]>;
    /** From when on it holds: now, where it is left out. May be past or future. */
    validFrom?: schemas["DateTimeWithOffset"];
    /** Until when it holds, exclusive. */
    validTo?: schemas["DateTimeWithOffset"] | null;
    /** When it is to be deleted. */
    expiresAt?: schemas["DateTimeWithOffset"] | null;
  };
  StripeConfig: {
    enabled: boolean;
    /** Safe in a browser. Never a secret key. */
    publishableKey: string | null;
    mode: "live" | "test" | null;
  };
  SubscriptionAttempt: {
    /** The delivery. `GET /messages/{messageId}/attempts` shows the responses. */
    messageId: string;
    /** What the delivery carries as `id`. Null: the event is kept no longer. */
    eventId: string | null;
    eventType: string | null;
    /** Which attempt of the delivery, from 1. */
    number: number;
    /** `failed`: it is retried, unless the delivery has failed for good. */
    status: "started" | "delivered" | "failed";
    startedAt: schemas["DateTime"];
    finishedAt: schemas["DateTime"] | null;
    latencyMs: number | null;
    responseStatus: number | null;
    errorMessage: string | null;
  };
  SubscriptionRecovery: {
    id: string;
    subscriptionId: string;
    since: schemas["DateTime"];
    /** `paused`: it goes on by itself once the environment is resumed. `failed`: see `reason`; what is left stays. */
    status: "running" | "paused" | "completed" | "failed" | "cancelled";
    reason: {
      code: string;
      message: string;
    } | null;
    /** The records that it found when it began; null until they are counted. */
    total: number | null;
    /** Deliveries that were published again. */
    done: number;
    /** Deliveries whose event is kept no longer. */
    failed: number;
    /** The last record of the last page. */
    cursor: string | null;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    endedAt: schemas["DateTime"] | null;
  };
  SubscriptionTest: {
    /** The test event. */
    eventId: string;
    /** Its delivery: `GET /messages/{messageId}` says what became of it. */
    messageId: string;
    status: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
  };
  Success: {
    success: true;
    data: unknown;
  };
  SupersedeMemoryRequest: {
    content?: string;
    /** `fact`: something that holds. `episode`: something that happened. */
    kind?: "fact" | "episode";
    /** All of it. */
    metadata?: Record<string, schemas["JsonValue"]>;
    /** From when on it holds: now, where it is left out. May be past or future. */
    validFrom?: schemas["DateTimeWithOffset"];
    /** Left out: as before, where that lies ahead of `validFrom`. */
    validTo?: schemas["DateTimeWithOffset"] | null;
    /** When the whole chain is to be deleted. */
    expiresAt?: schemas["DateTimeWithOffset"] | null;
  };
  TestApprovalPolicyFiles: {
    /** One policy each, told apart by name; at most 100, and 1 MiB with the whole request. */
    files: Array<schemas["ApprovalPolicyFile"]>;
    fixtures: Array<schemas["PolicyFixture"]>;
  };
  TestMessageSent: {
    message: string;
  };
  TestedApprovalPolicyFiles: {
    /** True where every fixture passed. */
    passed: boolean;
    passedCount: number;
    failedCount: number;
    /** In the order of the fixtures. */
    results: Array<schemas["PolicyFixtureResult"]>;
  };
  ToolExport: {
    /** Definitions as the format's own API takes them. */
    tools: Array<Record<string, schemas["JsonValue"]>>;
    /** The action of each tool, by the name of the tool. */
    names: Record<string, string>;
    /** What the format does not take. The service checks every input by the whole schema all the same. */
    dropped: Array<{
      tool: string;
      /** JSON Pointer into the input schema of the action. */
      path: string;
      keyword: string;
      reason: string;
    }>;
  };
  TopUrl: {
    /** Origin and path. User information, query and fragment are left out. */
    url: string;
    /** Messages, callbacks and deliveries of events that ended in the range, cancelled ones too. */
    messages: number;
    delivered: number;
    /** Failed for good. */
    failed: number;
    /** Delivered of those delivered or failed. */
    deliveryRate: schemas["AnalyticsRate"];
    /** The latency of the attempts that ended in the range. */
    latencyMs: schemas["AnalyticsPercentiles"] | null;
    approximate: schemas["AnalyticsApproximation"];
    /** What the destination answered to the newest attempt of the range; null where it did not answer. */
    lastStatus: schemas["Integer"] | null;
    /** The newest failed attempt of the range. */
    lastFailureAt: schemas["DateTime"] | null;
  };
  UnitPrice: {
    /** In minor units of the currency, for each `per` units. */
    amount: number;
    currency: string;
    per: number;
  };
  UnpinFlowControlKeyRequest: {
    /** True: messages may change rate and period again. */
    rate?: boolean;
    /** True: messages may change the parallelism again. */
    parallelism?: boolean;
  };
  UpdateAction: {
    description?: string | null;
    /** What makes the call, and how. A PATCH replaces it whole. */
    adapter?: schemas["ActionAdapter"];
    /** JSON Schema 2020-12 of the input; it must describe an object. */
    inputSchema?: Record<string, unknown>;
    /** JSON Schema 2020-12 of the `result` of an invocation: `{status, headers, body}`. */
    outputSchema?: Record<string, unknown> | null;
    /** An action with impact or verify is governed whatever stands here, and may not say false. */
    governed?: boolean;
    /** What one invocation uses up. An empty list is none. */
    impact?: Array<schemas["ImpactDeclarationInput"]>;
    /** How the outcome is read back from the provider. */
    verify?: schemas["VerifyDeclarationInput"] | null;
    /** Whether a person must approve. A member that a PATCH leaves out stays as it is. */
    approval?: {
      required?: boolean;
      tag?: string | null;
    };
    /** Milliseconds that the call may take; 30000 where none is named. */
    timeoutMs?: number;
    /** pinned: a tool of its own for MCP clients, under its own name. False where it is left out. */
    mcp?: {
      pinned?: boolean;
    };
    /** Kept with the version that this makes. */
    changeNote?: string | null;
    /** Unique among the live actions of the environment. */
    name?: string;
  };
  UpdateApprovalPolicy: {
    /** A policy document `{ schema: "approval-policy/v1", name, priority, rules }`, as an object or as a string of YAML. What it leaves out is filled in with its default. */
    document?: string | Record<string, unknown>;
    /** A policy that is not enabled decides nothing. */
    enabled?: boolean;
    /** Answers 409 where the policy is at another version: it was changed meanwhile. */
    expectedVersion?: number;
  };
  UpdateEnvironmentRequest: {
    /** Unique in the workspace. */
    name?: string;
    /** Deleting a secret or a schedule of a protected environment takes `confirmProtected: true`; an ungoverned action that writes needs `actions:govern`. Who has a passkey confirms decisions and the like with it (docs/identity.md, "Step-up"). */
    protected?: boolean;
    /** Decisions, resolutions, replays, halts and new API keys of this environment take a passkey of the person, and nobody decides through a chat or an app. */
    requireSecondFactor?: boolean;
    /** What decides where neither a policy nor the action does. null: by the kind, which is require_approval for governed actions in production and allow elsewhere. */
    approvalDefault?: "allow" | "require_approval" | null;
  };
  /** After its end only `tags` and `metadata` change. */
  UpdateRun: {
    /** Ends the run. Once. */
    status?: "succeeded" | "failed" | "cancelled";
    name?: string | null;
    output?: schemas["JsonValue"];
    error?: Record<string, schemas["JsonValue"]> | null;
    tokens?: number | null;
    /** In the currency of your accounts. */
    cost?: number | null;
    tags?: Array<string> | null;
    /** Replaces what was there. */
    metadata?: Record<string, schemas["JsonValue"]> | null;
  };
  UpdateScheduleRequest: {
    /** For people; need not be unique. */
    name?: string | null;
    /** Minute, hour, day of the month, month, day of the week; or with the second as a sixth field in front. */
    cron?: string;
    /** An IANA name. UTC where it is left out. */
    timezone?: string;
    /** Replaces the whole destination. */
    destination?: schemas["ScheduleDestination"];
    /** What a slot does while a message of an earlier run has not ended. `skip`: nothing. `buffer_one`: one run waits for it. `allow_all`: publishes. `skip` where it is left out. */
    overlap?: "skip" | "buffer_one" | "allow_all";
    /** How late a slot is still fired after an outage of the scheduler. 60 where it is left out. */
    catchUpSeconds?: number;
  };
  UpdateSession: {
    name?: string | null;
    userId?: string | null;
    agentId?: string | null;
    /** Replaces what was there. */
    metadata?: Record<string, schemas["JsonValue"]> | null;
    /** Counted from now. Null: it does not expire. */
    ttlSeconds?: number | null;
  };
  /** A member that is left out, or null, leaves what is there. */
  UpdateSpan: {
    /** It may come later. */
    parentId?: string | null;
    /** Left out of a new span: its id, until its name comes. */
    name?: string | null;
    /** `other` where it is left out of a new span. */
    kind?: "agent" | "model" | "tool" | "retrieval" | "action" | "other" | null;
    /** Left out: `running`, and with an end `succeeded`, or `failed` where there is an error. */
    status?: "running" | "succeeded" | "failed" | "cancelled" | null;
    startedAt?: schemas["DateTimeWithOffset"] | null;
    endedAt?: schemas["DateTimeWithOffset"] | null;
    input?: schemas["JsonValue"];
    output?: schemas["JsonValue"];
    error?: Record<string, schemas["JsonValue"]> | null;
    tokens?: {
      input?: number | null;
      output?: number | null;
    } | null;
    cost?: number | null;
    /** Merged into those that are there. */
    attributes?: Record<string, schemas["JsonValue"]> | null;
  };
  UpsertedSpans: {
    /** Spans of the request that were written. */
    accepted: number;
    /** The others are written all the same. */
    rejected: Array<{
      /** Its place in the request, from 0. */
      index: number;
      message: string;
    }>;
  };
  UrlGroupEndpointRequest: {
    /** Where its messages are delivered to: http or https. Once in a group. */
    url: string;
    name?: string | null;
    /** Overrides the `maxRetries` of a publish request. Null: the request decides. */
    retryCount?: number | null;
  };
  UsageItem: {
    meter: "executions" | "messages" | "egress" | "memory_processing" | "notification_emails";
    unit: string;
    /** What counts against the allowance. Executions count at their admission; those that are given back do not. */
    quantity: schemas["Integer"];
    included: schemas["PlanCap"];
    /** What the month has to pay for so far: that of the lines of the estimate. */
    billable: number;
    /** Sums to `quantity`. */
    byEnvironment: Array<{
      environmentId: schemas["Uuid"];
      name: string;
      quantity: schemas["Integer"];
    }>;
  };
  /** A person who signs in. */
  User: {
    id: string;
    email: string;
    name: string;
  };
  Uuid: string;
  VerifyDeclaration: {
    request: {
      method: "GET";
      url: string;
      headers?: Record<string, string>;
    };
    expect: Array<schemas["Expectation"]>;
    pending?: Array<schemas["Expectation"]>;
    failed?: Array<schemas["Expectation"]>;
    absenceProves?: {
      minAgeSeconds: number;
      reads: schemas["Integer"];
    };
  };
  VerifyDeclarationInput: {
    request: {
      method: "GET";
      url: string;
      headers?: Record<string, string>;
    };
    expect: Array<schemas["ExpectationInput"]>;
    pending?: Array<schemas["ExpectationInput"]>;
    failed?: Array<schemas["ExpectationInput"]>;
    absenceProves?: {
      minAgeSeconds: number;
      reads: number;
    };
  };
  WrittenAction: {
    id: string;
    name: string;
    description: string | null;
    environmentId: schemas["Uuid"];
    adapter: {
      type: string;
      version: string;
      config: Record<string, unknown>;
    };
    /** JSON Schema 2020-12 of the input. */
    inputSchema: Record<string, unknown>;
    outputSchema?: Record<string, unknown>;
    /** True where the action carries impact, verify or governed: true. */
    governed: boolean;
    impact: Array<schemas["ImpactDeclaration"]>;
    verify?: schemas["VerifyDeclaration"];
    approval: {
      required: boolean;
      tag?: string;
    };
    timeoutMs: number;
    /** pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions. */
    mcp: {
      pinned: boolean;
    };
    currentVersion: {
      id: string;
      number: number;
      /** SHA-256 over the RFC 8785 (JCS) bytes of the definition. */
      digest: string;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    archivedAt: schemas["DateTime"] | null;
    /** What may be wrong with the definition that was written. */
    warnings: Array<schemas["ActionWarning"]>;
  };
  WrittenApprovalPolicy: {
    id: string;
    name: string;
    /** That of the newest document. */
    priority: schemas["Integer"];
    enabled: boolean;
    /** Number of the newest version. */
    version: number;
    document: schemas["ApprovalPolicyDocument"];
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** Set once it was deleted: it decides nothing, and its history stays. */
    archivedAt: schemas["DateTime"] | null;
    /** What in the document may be a slip. */
    warnings: Array<schemas["GovernanceWarning"]>;
  };
  WrittenImpactLimit: {
    id: string;
    name: string;
    dimension: string;
    currency: string | null;
    /** What its amounts count: `minor_units` for money, else the dimension. */
    unit: string;
    cap: number;
    period: "per_effect" | "hour" | "day" | "week" | "month" | "lifetime";
    timezone: string;
    scope: schemas["ImpactLimitScope"];
    thresholds: Array<schemas["Integer"]>;
    /** The period that counts now, such as `2026-11-21`; null for `per_effect`. */
    currentPeriod: string | null;
    /** When the next period begins; null for `per_effect` and `lifetime`. */
    resetsAt: schemas["DateTime"] | null;
    /** In the current period, by effects that are under way or whose outcome is not known. */
    reserved: number;
    /** In the current period, by effects that happened. */
    settled: number;
    /** In the current period. 0 where the cap was lowered below what is used. */
    available: number;
    exposures: schemas["ImpactLimitExposures"];
    /** Those of the current period, newest first; of `per_effect`, the newest. */
    crossings: Array<schemas["ImpactLimitCrossing"]>;
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    archivedAt: schemas["DateTime"] | null;
    /** What in the limit may be a slip. */
    warnings: Array<schemas["GovernanceWarning"]>;
  };
  WrittenSchedule: {
    id: string;
    name: string | null;
    cron: string;
    timezone: string;
    destination: schemas["ShownScheduleDestination"];
    overlap: "skip" | "buffer_one" | "allow_all";
    catchUpSeconds: number;
    paused: boolean;
    /** When it last published, or failed to. */
    lastRunAt: schemas["DateTime"] | null;
    /** Null while it is paused. */
    nextRunAt: schemas["DateTime"] | null;
    createdBy: {
      type: string;
      id: string | null;
    };
    createdAt: schemas["DateTime"];
    updatedAt: schemas["DateTime"];
    /** What may be wrong with the schedule that was written. */
    warnings: Array<schemas["ActionWarning"]>;
  };
}

export interface operations {
  /** Get the caller's own credential */
  "auth.identity": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Identity"];
      } } };
    };
  };
  /** Get who is signed in */
  "auth.session.get": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SignInSession"];
      } } };
    };
  };
  /** Sign in */
  "auth.session.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Case makes no difference. */
      email: string;
      password: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SignInSession"];
      } } };
    };
  };
  /** Sign out */
  "auth.session.delete": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Change the password */
  "auth.password.change": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      currentPassword: string;
      /** At least 12 characters, whichever they are. */
      newPassword: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SignInSession"];
      } } };
    };
  };
  /** Accept an invitation into a workspace */
  "auth.invitations.accept": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      token: string;
      /** The password that the e-mail address signs in with, or for a new user the one it shall have (12 characters). */
      password?: string;
      /** The name of a new user. */
      name?: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          user: schemas["User"];
          workspace: {
            id: schemas["Uuid"];
            role: "member" | "admin" | "owner";
          };
        };
      } } };
    };
  };
  /** List connected apps */
  "auth.connected-apps.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ConnectedApp"]>;
      } } };
    };
  };
  /** Disconnect an app */
  "auth.connected-apps.delete": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Begin to sign in with a passkey alone */
  "auth.passkeySignIn.options": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PasskeyOptions"];
      } } };
    };
  };
  /** Sign in with a passkey alone */
  "auth.passkeySignIn.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      credential: schemas["PublicKeyCredential"];
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SignInSession"];
      } } };
    };
  };
  /** List one's own passkeys, newest first */
  "auth.passkeys.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Passkey"]>;
      } } };
    };
  };
  /** Enrol a passkey */
  "auth.passkeys.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Such as "Work phone". */
      name: string;
      credential: schemas["PublicKeyCredential"];
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: {
          passkey: schemas["Passkey"];
          /** 10 codes, shown this once. Each signs in once in place of a passkey. */
          recoveryCodes: Array<string> | null;
        };
      } } };
    };
  };
  /** Begin to enrol a passkey */
  "auth.passkeys.options": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PasskeyOptions"];
      } } };
    };
  };
  /** Rename a passkey */
  "auth.passkeys.update": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Such as "Work phone". */
      name: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Passkey"];
      } } };
    };
  };
  /** Remove a passkey */
  "auth.passkeys.delete": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Count the recovery codes that are left */
  "auth.recovery-codes.get": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          unused: schemas["Integer"];
        };
      } } };
    };
  };
  /** Make new recovery codes */
  "auth.recovery-codes.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: {
          /** 10 codes, shown this once. Each signs in once in place of a passkey. */
          recoveryCodes: Array<string>;
        };
      } } };
    };
  };
  /** Begin to confirm with a passkey */
  "auth.session.passkey.options": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PasskeyOptions"];
      } } };
    };
  };
  /** Confirm with a passkey */
  "auth.session.passkey": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      credential: schemas["PublicKeyCredential"];
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SignInSession"];
      } } };
    };
  };
  /** Finish a sign-in with a recovery code */
  "auth.session.recovery-code": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Case, hyphens and spaces make no difference. */
      code: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SignInSession"];
      } } };
    };
  };
  /** Confirm with the password */
  "auth.session.password": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      password: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SignInSession"];
      } } };
    };
  };
  /** List the members of a workspace, newest first */
  "members.list": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Member"]>;
      } } };
    };
  };
  /** Invite an e-mail address into a workspace */
  "members.invite": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Case makes no difference. */
      email: string;
      role?: "member" | "admin" | "owner";
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Invitation"];
      } } };
    };
  };
  /** Change a member's role */
  "members.update": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
        userId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      role: "member" | "admin" | "owner";
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Member"];
      } } };
    };
  };
  /** Remove a member, or leave */
  "members.remove": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
        userId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** List the API keys of all environments, newest first */
  "apiKeys.list": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ApiKey"]>;
      } } };
    };
  };
  /** Create an API key */
  "apiKeys.create": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      name: string;
      /** The one environment that the key works in, for good. */
      environmentId: schemas["Uuid"];
      /** `agent` is for the key that an agent holds: it invokes actions, and can neither define them nor decide. No preset grants an earlier namespace such as `messages:*`; name such scopes beside it. */
      preset?: "standard" | "read_only" | "full_access" | "agent";
      /** Beside a preset they are added to what it grants. Without scopes and preset the key holds every scope that is not privileged, earlier namespaces included. */
      scopes?: Array<schemas["Scope"]>;
      /** In the future. The key stops working then, and cannot be reactivated. */
      expiresAt?: schemas["DateTimeWithOffset"] | null;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["CreatedApiKey"];
      } } };
    };
  };
  /** Delete an API key */
  "apiKeys.delete": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
        keyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** List a workspace's environments, newest first */
  "environments.list": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Environment"]>;
      } } };
    };
  };
  /** Create an environment */
  "environments.create": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["CreateEnvironmentRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Environment"];
      } } };
    };
  };
  /** Get an environment */
  "environments.get": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
        environmentId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Environment"];
      } } };
    };
  };
  /** Change an environment */
  "environments.update": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
        environmentId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UpdateEnvironmentRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Environment"];
      } } };
    };
  };
  /** Halt an environment */
  "environments.halt": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
        environmentId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["HaltEnvironmentRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Environment"];
      } } };
    };
  };
  /** Resume a halted environment */
  "environments.resume": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
        environmentId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Environment"];
      } } };
    };
  };
  /** List a workspace's audit log, newest first */
  "audit.list": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** Id of the user or the API key. */
        actor?: string;
        /** Such as `environment.halted`. */
        action?: string;
        /** Id of what was changed. */
        target?: string;
        environmentId?: schemas["Uuid"];
        /** From this moment on. */
        startDate?: schemas["DateTimeWithOffset"];
        /** Until before this moment. */
        endDate?: schemas["DateTimeWithOffset"];
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["AuditEntry"]>;
      } } };
    };
  };
  /** List secrets, newest first, without their values */
  "secrets.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Secret"]>;
      } } };
    };
  };
  /** Get a secret, without its value */
  "secrets.get": {
    parameters: {
      path: {
        /** Name of the secret, as `{{secret:NAME}}` refers to it. */
        name: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Secret"];
      } } };
    };
  };
  /** Create or rotate a secret */
  "secrets.put": {
    parameters: {
      path: {
        /** Name of the secret, as `{{secret:NAME}}` refers to it. */
        name: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** The credential, 1 byte to 64 KiB of UTF-8. Write-only: no reply ever holds it. */
      value: string;
      /** What it is for. Left out, a rotation keeps the present one; null removes it. Never put a credential here. */
      description?: string | null;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Secret"];
      } } };
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Secret"];
      } } };
    };
  };
  /** Destroy a secret and all its sealed versions */
  "secrets.delete": {
    parameters: {
      path: {
        /** Name of the secret, as `{{secret:NAME}}` refers to it. */
        name: string;
      };
      query?: {
        /** In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body. */
        confirmProtected?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      /** In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body. */
      confirmProtected?: boolean;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** List actions, newest first */
  "actions.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** Exactly this name. */
        name?: string;
        /** Words, each of which the name or the description has, in whatever case. */
        query?: string;
        /** Archived actions too; they are left out otherwise. */
        includeArchived?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedAction"]>;
      } } };
    };
  };
  /** Create an action and its version 1 */
  "actions.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["CreateAction"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenAction"];
      } } };
    };
  };
  /** Import actions from an OpenAPI description */
  "actions.import": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["ImportActions"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: Array<schemas["ImportedOperation"]>;
      } } };
    };
  };
  /** Get an action by id or name */
  "actions.get": {
    parameters: {
      path: {
        /** Id or name of the action. An archived action is found by its id alone. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Action"];
      } } };
    };
  };
  /** Change an action */
  "actions.update": {
    parameters: {
      path: {
        /** Id or name of the action. An archived action is found by its id alone. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UpdateAction"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenAction"];
      } } };
    };
  };
  /** Archive an action */
  "actions.archive": {
    parameters: {
      path: {
        /** Id or name of the action. An archived action is found by its id alone. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Action"];
      } } };
    };
  };
  /** List the immutable versions of an action, newest first */
  "actions.versions.list": {
    parameters: {
      path: {
        /** Id or name of the action. An archived action is found by its id alone. */
        ref: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedActionVersion"]>;
      } } };
    };
  };
  /** Get one version of an action by its number */
  "actions.versions.get": {
    parameters: {
      path: {
        /** Id or name of the action. An archived action is found by its id alone. */
        ref: string;
        /** Number of the version, from 1. */
        number: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ActionVersion"];
      } } };
    };
  };
  /** Export actions as tool definitions */
  "actions.exportTools": {
    parameters: {
      path?: never;
      query: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** Whose API the definitions are for. */
        format: "openai" | "anthropic" | "mcp";
        /** Names of actions, in which `*` and `?` stand for any characters: at most 20, after commas. */
        actions?: string | Array<string>;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: schemas["ToolExport"];
      } } };
    };
  };
  /** Preview a governed invocation */
  "previews.create": {
    parameters: {
      path: {
        /** Id or name of the action. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["PreviewRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["ActionPreview"];
      } } };
    };
  };
  /** Get a preview */
  "previews.get": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ActionPreview"];
      } } };
    };
  };
  /** Refresh a preview */
  "previews.refresh": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["PreviewRefreshRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["ActionPreview"];
      } } };
    };
  };
  /** Invoke an action */
  "actions.invoke": {
    parameters: {
      path: {
        /** Id or name of the action. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["InvokeRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Invocation"] | schemas["DryRun"];
      } } };
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["Invocation"];
      } } };
    };
  };
  /** List invocations, newest first */
  "invocations.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "pending_approval" | "queued" | "dispatching" | "succeeded" | "failed" | "unknown" | "refused" | "denied" | "expired" | "cancelled";
        grade?: "confirmed" | "acknowledged" | "unknown" | "failed" | "refused" | "denied" | "pending";
        operationKey?: string;
        agentId?: string;
        runId?: string;
        /** Created at this time or later. */
        from?: schemas["DateTimeWithOffset"];
        /** Created before this time. */
        to?: schemas["DateTimeWithOffset"];
        /** Id or name of the action. */
        action?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedInvocation"]>;
      } } };
    };
  };
  /** Get an invocation, or wait for it */
  "invocations.get": {
    parameters: {
      path: {
        id: string;
      };
      query?: {
        /** Seconds to wait for the invocation to end, or to become unknown, before it answers with what there is. */
        wait?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Invocation"];
      } } };
    };
  };
  /** List one action's invocations, newest first */
  "actions.listInvocations": {
    parameters: {
      path: {
        /** Id or name of the action. */
        ref: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "pending_approval" | "queued" | "dispatching" | "succeeded" | "failed" | "unknown" | "refused" | "denied" | "expired" | "cancelled";
        grade?: "confirmed" | "acknowledged" | "unknown" | "failed" | "refused" | "denied" | "pending";
        operationKey?: string;
        agentId?: string;
        runId?: string;
        /** Created at this time or later. */
        from?: schemas["DateTimeWithOffset"];
        /** Created before this time. */
        to?: schemas["DateTimeWithOffset"];
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedInvocation"]>;
      } } };
    };
  };
  /** List governed effects, newest first */
  "effects.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        grade?: "confirmed" | "acknowledged" | "unknown" | "failed" | "refused" | "denied" | "pending";
        stage?: "awaiting_approval" | "ready" | "dispatching" | "reconciling" | "settled" | "rejected";
        outcome?: "not_dispatched" | "pending" | "succeeded" | "failed" | "unknown";
        /** Name of the action. */
        action?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedEffectDetail"]>;
      } } };
    };
  };
  /** Get an effect with its attempts, evidence and reservations */
  "effects.get": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EffectDetail"];
      } } };
    };
  };
  /** Check the receipt of an effect */
  "effects.verify": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ReceiptCheck"];
      } } };
    };
  };
  /** Add an investigation note */
  "effects.addNote": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      note: string;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["EffectDetail"];
      } } };
    };
  };
  /** List approval policies, newest first */
  "approvalPolicies.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** Exactly this name. */
        name?: string;
        /** Only those that are enabled, or only those that are not. */
        enabled?: "true" | "false";
        /** Deleted policies too; they are left out otherwise. */
        includeArchived?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedApprovalPolicy"]>;
      } } };
    };
  };
  /** Create an approval policy and its version 1 */
  "approvalPolicies.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["CreateApprovalPolicy"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenApprovalPolicy"];
      } } };
    };
  };
  /** Evaluate the policies for an invocation */
  "approvalPolicies.evaluate": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["EvaluateApprovalPolicies"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ApprovalPolicyVerdict"];
      } } };
    };
  };
  /** Plan what applying policy files would change */
  "approvalPolicies.files.plan": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["PlanApprovalPolicyFiles"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ApprovalPolicyPlan"];
      } } };
    };
  };
  /** Apply a plan made from policy files */
  "approvalPolicies.files.apply": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["ApplyApprovalPolicyPlan"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AppliedApprovalPolicyPlan"];
      } } };
    };
  };
  /** Test policy files against fixture requests */
  "approvalPolicies.files.test": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["TestApprovalPolicyFiles"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["TestedApprovalPolicyFiles"];
      } } };
    };
  };
  /** Get an approval policy with its newest document */
  "approvalPolicies.get": {
    parameters: {
      path: {
        policyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ApprovalPolicy"];
      } } };
    };
  };
  /** Change an approval policy */
  "approvalPolicies.update": {
    parameters: {
      path: {
        policyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UpdateApprovalPolicy"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenApprovalPolicy"];
      } } };
    };
  };
  /** Delete an approval policy */
  "approvalPolicies.delete": {
    parameters: {
      path: {
        policyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ApprovalPolicy"];
      } } };
    };
  };
  /** List the immutable versions of an approval policy, newest first */
  "approvalPolicies.versions.list": {
    parameters: {
      path: {
        policyId: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedApprovalPolicyVersion"]>;
      } } };
    };
  };
  /** Get one version of an approval policy by its number */
  "approvalPolicies.versions.get": {
    parameters: {
      path: {
        policyId: string;
        /** Number of the version, from 1. */
        version: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ApprovalPolicyVersion"];
      } } };
    };
  };
  /** List approvals, newest first */
  "approvals.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "pending" | "approved" | "denied" | "expired" | "cancelled" | "invalidated" | "consumed";
        kind?: "invocation" | "free_standing";
        /** Id or name of the action. */
        action?: string;
        invocationId?: string;
        effectId?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedApproval"]>;
      } } };
    };
  };
  /** Open a free-standing approval */
  "approvals.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["ApprovalRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Approval"];
      } } };
    };
  };
  /** Get an approval, or wait for it */
  "approvals.get": {
    parameters: {
      path: {
        id: string;
      };
      query?: {
        /** Seconds to wait for a decision, or an end, before it answers with what there is. */
        wait?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Approval"];
      } } };
    };
  };
  /** Approve a request */
  "approvals.approve": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["ApproveRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Approval"];
      } } };
    };
  };
  /** Deny a request */
  "approvals.deny": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["DenyRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Approval"];
      } } };
    };
  };
  /** Look up the outcome of an effect now */
  "effects.reconcile": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EffectDetail"];
      } } };
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["EffectDetail"];
      } } };
    };
  };
  /** Record what became of an unknown effect */
  "effects.resolve": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["ResolveRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EffectDetail"];
      } } };
    };
  };
  /** Send a lost request again under the same idempotency key */
  "effects.replay": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EffectDetail"];
      } } };
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["EffectDetail"];
      } } };
    };
  };
  /** Record what became of an unknown invocation */
  "invocations.resolve": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["ResolveRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Invocation"];
      } } };
    };
  };
  /** List impact limits with what is used of them, newest first */
  "impactLimits.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** `money`, `resource_mutations`, or a unit of your own, such as `emails`. An open string. */
        dimension?: string;
        /** Also those that are archived. */
        includeArchived?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ImpactLimit"]>;
      } } };
    };
  };
  /** Create an impact limit */
  "impactLimits.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Unique among the live limits of an environment. */
      name: string;
      /** `money`, `resource_mutations`, or a unit of your own, such as `emails`. An open string. */
      dimension: string;
      /** Needed for `money`, and only for it. */
      currency?: string;
      /** For one period: minor units for money, a count otherwise. 0 lets nothing pass. */
      cap: number;
      /** `per_effect`: the cap is of each effect by itself. */
      period: "per_effect" | "hour" | "day" | "week" | "month" | "lifetime";
      /** Where its hours, days, weeks (from Monday) and months begin. */
      timezone?: string;
      scope?: schemas["ImpactLimitScope"];
      /** Percent of the cap. That one was reached is kept once for each period, in `crossings`. */
      thresholds?: Array<number>;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenImpactLimit"];
      } } };
    };
  };
  /** Get an impact limit with what is used of it */
  "impactLimits.get": {
    parameters: {
      path: {
        /** Id of the limit, `lim_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ImpactLimit"];
      } } };
    };
  };
  /** Change the name, cap or thresholds of an impact limit */
  "impactLimits.update": {
    parameters: {
      path: {
        /** Id of the limit, `lim_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      /** Unique among the live limits of an environment. */
      name?: string;
      /** For one period: minor units for money, a count otherwise. 0 lets nothing pass. */
      cap?: number;
      /** Percent of the cap. That one was reached is kept once for each period, in `crossings`. */
      thresholds?: Array<number>;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenImpactLimit"];
      } } };
    };
  };
  /** Archive an impact limit */
  "impactLimits.archive": {
    parameters: {
      path: {
        /** Id of the limit, `lim_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ImpactLimit"];
      } } };
    };
  };
  /** List the budgets of API keys, newest first */
  "budgets.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Budget"]>;
      } } };
    };
  };
  /** Get the budget of an API key */
  "budgets.get": {
    parameters: {
      path: {
        /** Id of a key of this environment. */
        apiKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Budget"];
      } } };
    };
  };
  /** Create or replace the budget of an API key */
  "budgets.put": {
    parameters: {
      path: {
        /** Id of a key of this environment. */
        apiKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** In microcents a UTC month. Replaces all earlier caps. */
      caps: schemas["BudgetCaps"];
      /** What the key had used this month before its use was counted; for `reconciliationRequired` only. */
      usedBefore?: {
        messages?: number;
        events?: number;
        cacheLookups?: number;
        memoryOperations?: number;
        invocations?: number;
      };
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Budget"];
      } } };
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Budget"];
      } } };
    };
  };
  /** Remove the budget of an API key */
  "budgets.delete": {
    parameters: {
      path: {
        /** Id of a key of this environment. */
        apiKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Get the numbers of the environment at a glance */
  "analytics.overview": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsOverview"];
      } } };
    };
  };
  /** List what each agent did */
  "analytics.agents": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** Only this agent. */
        agentId?: string;
        /** The largest first. `runs`: those that began in the range. */
        sort?: "lastSeenAt" | "invocations" | "runs" | "failed" | "tokens" | "costUsd";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": {
        success: true;
        data: Array<schemas["AnalyticsAgent"]>;
        range: schemas["AnalyticsRange"];
        /** Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones. */
        truncated: boolean;
        pagination: schemas["OffsetPagination"];
      }; "text/csv": Blob } };
    };
  };
  /** Get what governed the actions of the environment */
  "analytics.trustControl": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsTrustControl"];
      } } };
    };
  };
  /** Analyse the delivery of messages */
  "analytics.delivery": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        /** Only this destination: origin and path. The query and the fragment of the URL are ignored. */
        url?: string;
        /** Only deliveries of events to this subscription. */
        subscriptionId?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsDelivery"];
      }; "text/csv": Blob } };
    };
  };
  /** Count messages */
  "analytics.messages": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        /** Whether deliveries of events to subscriptions count too, as in the list of messages. */
        includeEventDeliveries?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsMessages"];
      }; "text/csv": Blob } };
    };
  };
  /** Get a metric over time */
  "analytics.timeSeries": {
    parameters: {
      path?: never;
      query: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        metric: schemas["AnalyticsMetric"];
        /** One series for each value. By metric: `invocations.created`: status, action, agent, refusal. `invocations.ended`: status, action, agent, refusal. `effects.graded`: grade, action. `approvals.requested`: status, policy. `approvals.decided`: status, policy. `messages.accepted`: status, kind, label. `messages.ended`: status, kind, label. `delivery.attempts`: outcome, url. `delivery.latency.p50`: outcome, url. `delivery.latency.p95`: outcome, url. `delivery.latency.p99`: outcome, url. `schedules.fired`: outcome, schedule. `runs.started`: status, agent. `runs.ended`: status, agent. `runs.duration.p95`: status, agent. `tokens`: agent. `cost`: agent. `refusals`: code. `errors`: area, code. */
        groupBy?: string;
        /** How many groups have a series of their own, those with the most; the rest is one series. */
        top?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsTimeSeries"];
      }; "text/csv": Blob } };
    };
  };
  /** List the busiest, the failing or the slowest destinations */
  "analytics.topUrls": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        /** The first: with the most messages, with the most failed ones, or with the highest 95th percentile of latency. */
        sort?: "messages" | "failed" | "latency";
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": {
        success: true;
        data: Array<schemas["TopUrl"]>;
        range: schemas["AnalyticsRange"];
        /** The destinations that are not shown. */
        other: {
          messages: number;
        };
        /** Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones. */
        truncated: boolean;
      }; "text/csv": Blob } };
    };
  };
  /** Get what was used this month */
  "analytics.usageCurrent": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsUsageCurrent"];
      } } };
    };
  };
  /** List what was used on each day */
  "analytics.usageHistory": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** Shows this meter alone. */
        meter?: "executions" | "messages" | "egress" | "memory_processing" | "notification_emails";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsUsageHistory"];
      }; "text/csv": Blob } };
    };
  };
  /** Analyse schedules, newest first */
  "analytics.schedules": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": {
        success: true;
        data: Array<schemas["ScheduleAnalytics"]>;
        range: schemas["AnalyticsRange"];
        pagination: schemas["OffsetPagination"];
      }; "text/csv": Blob } };
    };
  };
  /** List the firings of all schedules, newest first */
  "analytics.scheduleExecutions": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** Only those of this schedule. */
        scheduleId?: string;
        /** Only those with this outcome. */
        outcome?: "queued" | "waiting" | "published" | "skipped" | "failed" | "missed";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": {
        success: true;
        data: Array<schemas["ScheduleExecution"]>;
        range: schemas["AnalyticsRange"];
        pagination: schemas["OffsetPagination"];
      }; "text/csv": Blob } };
    };
  };
  /** List errors by kind, the most frequent first */
  "analytics.errors": {
    parameters: {
      path?: never;
      query?: {
        /** The beginning, included, at most 400 days before `to`. Before the workspace was made it is cut. */
        from?: schemas["DateTimeWithOffset"];
        /** The end, not included. By default, and at the latest, now. */
        to?: schemas["DateTimeWithOffset"];
        /** The length of a bucket, at most 400 of them. The bounds move outward to its grid. `auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week. */
        interval?: "auto" | "15m" | "hour" | "day" | "week" | "month";
        /** The IANA time zone of days, weeks and months. Shorter intervals are those of UTC. */
        timezone?: string;
        /** `invocation`: refused before it was sent. `dispatch`: sent, and failed or of unknown outcome. `delivery`: a failed attempt of a message. `subscription`: the same of an event. `schedule`: a slot whose publishing was refused. `run`: a run of an agent that failed. `integration`: a chat that refused a question. */
        area?: "invocation" | "dispatch" | "delivery" | "schedule" | "run" | "integration" | "subscription";
        /** Only this code, exactly. */
        code?: string;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": {
        success: true;
        data: Array<schemas["ErrorAnalytics"]>;
        range: schemas["AnalyticsRange"];
        /** Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones. */
        truncated: boolean;
      }; "text/csv": Blob } };
    };
  };
  /** Get the steps that lead to a first governed action */
  "analytics.onboarding": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["AnalyticsOnboarding"];
      } } };
    };
  };
  /** Get the workspace's plan */
  "billing.plan": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["BillingPlan"];
      } } };
    };
  };
  /** List the plans */
  "billing.plans": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: Array<schemas["ListedPlan"]>;
      } } };
    };
  };
  /** Get what is left of each quota */
  "billing.quota": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["QuotaList"];
      } } };
    };
  };
  /** Get what the workspace has used this month */
  "billing.usageCurrent": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["CurrentUsage"];
      } } };
    };
  };
  /** List what the workspace used on each day */
  "billing.usageHistory": {
    parameters: {
      path?: never;
      query?: {
        /** The first UTC day. Left out: 29 days before `to`. */
        from?: string;
        /** The last UTC day, included. Left out: today. */
        to?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["BillingUsageHistory"];
      } } };
    };
  };
  /** Estimate what this month costs */
  "billing.costEstimate": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["CostEstimate"];
      } } };
    };
  };
  /** List the invoices */
  "billing.invoices": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "draft" | "open" | "paid" | "void" | "uncollectible";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Invoice"]>;
      } } };
    };
  };
  /** Get the alert target of the workspace */
  "billing.budget": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["BillingBudget"];
      } } };
    };
  };
  /** Set the alert target of the workspace */
  "billing.putBudget": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** In the currency of the price list; null for no target. */
      target: {
        amount: number;
        currency: string;
      } | null;
      /** Percent of the target. Left out: 50, 80 and 100. */
      thresholds?: Array<number>;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["BillingBudget"];
      } } };
    };
  };
  /** Ask for another plan */
  "billing.upgrade": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      plan: "free" | "early_beta_access" | "production" | "growth" | "pay_as_you_go" | "enterprise";
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["BillingPlan"];
      } } };
    };
  };
  /** Get the payment provider's configuration for a browser */
  "billing.stripeConfig": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["StripeConfig"];
      } } };
    };
  };
  /** Get the pricing policy */
  "billing.pricingPolicy": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PricingPolicy"];
      } } };
    };
  };
  /** Publish a message */
  "messages.publish": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["PublishMessageRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublishResult"];
      } } };
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublishResult"];
      } } };
    };
  };
  /** Publish up to 1,000 messages */
  "messages.batch": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["PublishBatchRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: Array<schemas["BatchResult"]>;
      } } };
    };
  };
  /** List messages, newest first */
  "messages.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "pending" | "scheduled" | "processing" | "delivered" | "failed" | "cancelled";
        /** Messages created after. */
        startDate?: schemas["DateTimeWithOffset"];
        /** Messages created before. */
        endDate?: schemas["DateTimeWithOffset"];
        /** The destination, exactly as it was published. */
        url?: string;
        /** The label, exactly as it was published. */
        label?: string;
        /** Messages that this schedule published. */
        scheduleId?: string;
        /** Deliveries of events are messages too; hidden by default. */
        includeEventDeliveries?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedMessage"]>;
      } } };
    };
  };
  /** Get a message */
  "messages.get": {
    parameters: {
      path: {
        messageId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublicMessage"];
      } } };
    };
  };
  /** Cancel a message */
  "messages.cancel": {
    parameters: {
      path: {
        messageId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublicMessage"];
      } } };
    };
  };
  /** List a message's attempts, the first one first */
  "messages.attempts.list": {
    parameters: {
      path: {
        messageId: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["MessageAttempt"]>;
      } } };
    };
  };
  /** List schedules, newest first */
  "schedules.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedSchedule"]>;
      } } };
    };
  };
  /** Create a schedule */
  "schedules.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["CreateScheduleRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenSchedule"];
      } } };
    };
  };
  /** Preview the next ten times of a cron expression */
  "schedules.preview": {
    parameters: {
      path?: never;
      query: {
        /** Minute, hour, day of the month, month, day of the week; or with the second as a sixth field in front. */
        cron: string;
        /** An IANA name. UTC where it is left out. */
        timezone?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SchedulePreview"];
      } } };
    };
  };
  /** Get a schedule */
  "schedules.get": {
    parameters: {
      path: {
        scheduleId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Schedule"];
      } } };
    };
  };
  /** Change a schedule */
  "schedules.update": {
    parameters: {
      path: {
        scheduleId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UpdateScheduleRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["WrittenSchedule"];
      } } };
    };
  };
  /** Delete a schedule */
  "schedules.delete": {
    parameters: {
      path: {
        scheduleId: string;
      };
      query?: {
        /** In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body. */
        confirmProtected?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      /** In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body. */
      confirmProtected?: boolean;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Pause a schedule */
  "schedules.pause": {
    parameters: {
      path: {
        scheduleId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Schedule"];
      } } };
    };
  };
  /** Resume a schedule */
  "schedules.resume": {
    parameters: {
      path: {
        scheduleId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Schedule"];
      } } };
    };
  };
  /** Fire a schedule now */
  "schedules.run": {
    parameters: {
      path: {
        scheduleId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["ScheduleRun"];
      } } };
    };
  };
  /** List the runs of a schedule, newest first */
  "schedules.runs": {
    parameters: {
      path: {
        scheduleId: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ScheduleRun"]>;
      } } };
    };
  };
  /** List flow-control keys, newest first */
  "flowControl.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The key of this name alone. */
        key?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["FlowControlKey"]>;
      } } };
    };
  };
  /** Create a flow-control key */
  "flowControl.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["FlowControl"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Get a flow-control key with what waits and what is in flight */
  "flowControl.get": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Change the rate or the parallelism of a flow-control key */
  "flowControl.update": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["FlowControlLimits"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Delete a flow-control key */
  "flowControl.delete": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Get why the messages of a flow-control key wait, and for how long */
  "flowControl.status": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlStatus"];
      } } };
    };
  };
  /** Hold the messages of a flow-control key */
  "flowControl.pause": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Let the messages of a held flow-control key through again */
  "flowControl.resume": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Keep the limits of a flow-control key, whatever messages bring */
  "flowControl.pin": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["FlowControlLimits"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Let messages change the limits of a flow-control key again */
  "flowControl.unpin": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UnpinFlowControlKeyRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** Begin the window of a flow-control key anew */
  "flowControl.resetRate": {
    parameters: {
      path: {
        /** Id of the flow-control key, `fck_…`. */
        flowControlKeyId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["FlowControlKey"];
      } } };
    };
  };
  /** List the keys that sign deliveries */
  "signingKeys.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["SigningKey"]>;
      } } };
    };
  };
  /** Make a new signing key and show its secret once */
  "signingKeys.rotate": {
    parameters: {
      path: {
        workspaceId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      /** How long the earlier key still signs. 0: from now on it does not. */
      gracePeriodSeconds?: number;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["RotatedSigningKey"];
      } } };
    };
  };
  /** List URL groups, newest first */
  "urlGroups.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The name, exactly. */
        name?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["PublicUrlGroup"]>;
      } } };
    };
  };
  /** Create a URL group */
  "urlGroups.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Unique in its environment. A publish request names the group by it, or by its id. */
      name: string;
      endpoints?: Array<schemas["UrlGroupEndpointRequest"]>;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublicUrlGroupWithEndpoints"];
      } } };
    };
  };
  /** Get a URL group with its endpoints */
  "urlGroups.get": {
    parameters: {
      path: {
        /** Id of the group, `grp_…`. */
        groupId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublicUrlGroupWithEndpoints"];
      } } };
    };
  };
  /** Rename a URL group */
  "urlGroups.update": {
    parameters: {
      path: {
        /** Id of the group, `grp_…`. */
        groupId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Unique in its environment. A publish request names the group by it, or by its id. */
      name: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublicUrlGroupWithEndpoints"];
      } } };
    };
  };
  /** Delete a URL group */
  "urlGroups.delete": {
    parameters: {
      path: {
        /** Id of the group, `grp_…`. */
        groupId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Add an endpoint to a URL group */
  "urlGroups.endpoints.add": {
    parameters: {
      path: {
        /** Id of the group, `grp_…`. */
        groupId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["UrlGroupEndpointRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublicUrlGroupEndpoint"];
      } } };
    };
  };
  /** Remove an endpoint from a URL group */
  "urlGroups.endpoints.remove": {
    parameters: {
      path: {
        /** Id of the group, `grp_…`. */
        groupId: string;
        /** Id of the endpoint, a UUID. */
        endpointId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Publish to all endpoints of a URL group */
  "urlGroups.publish": {
    parameters: {
      path: {
        /** Id of the group, `grp_…`. */
        groupId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["PublishToUrlGroupRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: Array<schemas["PublishedMessage"]>;
      } } };
      201: { content: { "application/json": schemas["Success"] & {
        data: Array<schemas["PublishedMessage"]>;
      } } };
    };
  };
  /** List cached answers, newest first */
  "cache.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        namespace?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedCacheEntry"]>;
      } } };
    };
  };
  /** Store an answer */
  "cache.store": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["CacheStore"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["CacheEntry"];
      } } };
    };
  };
  /** Look an answer up */
  "cache.lookup": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["CacheLookup"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["CacheLookupResult"];
      } } };
    };
  };
  /** Flush the cache */
  "cache.flush": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      namespace?: string;
      /** Entries that have these, and perhaps others. */
      attributes?: Record<string, string | number | boolean>;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          flushed: number;
        };
      } } };
    };
  };
  /** What the cache holds, and how often it was hit */
  "cache.stats": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["CacheStats"];
      } } };
    };
  };
  /** Read a cached answer */
  "cache.get": {
    parameters: {
      path: {
        entryId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["CacheEntry"];
      } } };
    };
  };
  /** Delete a cached answer */
  "cache.delete": {
    parameters: {
      path: {
        entryId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** List files, newest first */
  "files.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "pending" | "ready";
        purpose?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["File"]>;
      } } };
    };
  };
  /** Upload a file */
  "files.upload": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "multipart/form-data": FormData } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["File"];
      } } };
    };
  };
  /** Ask where to upload a file */
  "files.presign": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["FilePresign"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["PresignedFile"];
      } } };
    };
  };
  /** Upload to a presigned URL */
  "files.content": {
    parameters: {
      path: {
        fileId: string;
      };
      query: {
        workspace: schemas["Uuid"];
        environment: schemas["Uuid"];
        expires: string;
        signature: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/octet-stream": Blob } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          /** Bytes. */
          received: number;
        };
      } } };
    };
  };
  /** Confirm an upload */
  "files.confirm": {
    parameters: {
      path: {
        fileId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["File"];
      } } };
    };
  };
  /** Read what is known of a file */
  "files.get": {
    parameters: {
      path: {
        fileId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["File"];
      } } };
    };
  };
  /** Delete a file */
  "files.delete": {
    parameters: {
      path: {
        fileId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Download a file */
  "files.download": {
    parameters: {
      path: {
        fileId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "*/*": Blob } };
      206: { content: { "*/*": Blob } };
    };
  };
  /** List events, newest first */
  "events.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The id of a topic, or its name. */
        topic?: string;
        /** The type, exactly. */
        type?: string;
        /** `failed`: some of its messages could not be made, for the reason in `error`. */
        status?: "fanning_out" | "fanned_out" | "failed";
        /** Events published after. */
        startDate?: schemas["DateTimeWithOffset"];
        /** Events published before. */
        endDate?: schemas["DateTimeWithOffset"];
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedEvent"]>;
      } } };
    };
  };
  /** Publish an event */
  "events.publish": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["PublishEventRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublishedEvent"];
      } } };
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["PublishedEvent"];
      } } };
    };
  };
  /** Get an event with its deliveries */
  "events.get": {
    parameters: {
      path: {
        /** The id of the event, `evt_…`, or the one that its publisher gave it. */
        eventId: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EventWithDeliveries"];
      } } };
    };
  };
  /** List topics, newest first */
  "events.topics.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The name, exactly. */
        name?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["EventTopic"]>;
      } } };
    };
  };
  /** Create a topic */
  "events.topics.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Unique in its environment. Letters, digits, `_`, `.` and `-`. */
      name: string;
      description?: string | null;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["EventTopic"];
      } } };
    };
  };
  /** Get a topic */
  "events.topics.get": {
    parameters: {
      path: {
        /** The id of the topic, `top_…`, or its name. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EventTopic"];
      } } };
    };
  };
  /** Change a topic */
  "events.topics.update": {
    parameters: {
      path: {
        /** The id of the topic, `top_…`, or its name. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      /** Unique in its environment. Letters, digits, `_`, `.` and `-`. */
      name?: string;
      description?: string | null;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EventTopic"];
      } } };
    };
  };
  /** Delete a topic with its subscriptions and events */
  "events.topics.delete": {
    parameters: {
      path: {
        /** The id of the topic, `top_…`, or its name. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** List a topic's subscriptions, newest first */
  "events.subscriptions.list": {
    parameters: {
      path: {
        /** The id of the topic, `top_…`, or its name. */
        ref: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedEventSubscription"]>;
      } } };
    };
  };
  /** Subscribe to a topic */
  "events.subscriptions.create": {
    parameters: {
      path: {
        /** The id of the topic, `top_…`, or its name. */
        ref: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Where events are delivered to: http or https. */
      url: string;
      eventTypes?: Array<schemas["EventTypePattern"]>;
      /** False: it gets no events until it is enabled. Events of that time are not delivered later. */
      enabled?: boolean;
      /** Makes a signing secret for this subscription alone, in place of the keys of the workspace. */
      generateSecret?: boolean;
      headers?: schemas["EventHeaders"] | null;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["EventSubscriptionCreated"];
      } } };
    };
  };
  /** Get a subscription */
  "events.subscriptions.get": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EventSubscription"];
      } } };
    };
  };
  /** Change a subscription */
  "events.subscriptions.update": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      /** Deliveries that are under way still go to the earlier one. */
      url?: string;
      eventTypes?: Array<schemas["EventTypePattern"]>;
      enabled?: boolean;
      /** All of them. `[REDACTED]` keeps a sealed value. Null: none. */
      headers?: schemas["EventHeaders"] | null;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["EventSubscription"];
      } } };
    };
  };
  /** Delete a subscription */
  "events.subscriptions.delete": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Give a subscription a new signing secret and show it once */
  "events.subscriptions.rotateSecret": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      /** How long what signed before still signs. 0: from now on it does not. */
      gracePeriodSeconds?: number;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["RotatedSubscriptionSecret"];
      } } };
    };
  };
  /** Send a test event to a subscription */
  "events.subscriptions.test": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["SubscriptionTest"];
      } } };
    };
  };
  /** List a subscription's attempts, newest first */
  "events.subscriptions.attempts.list": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "started" | "delivered" | "failed";
        /** Attempts that began after. */
        startDate?: schemas["DateTimeWithOffset"];
        /** Attempts that began before. */
        endDate?: schemas["DateTimeWithOffset"];
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["SubscriptionAttempt"]>;
      } } };
    };
  };
  /** Deliver again what failed for a subscription */
  "events.subscriptions.recover": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["RecoverSubscriptionRequest"] } };
    responses: {
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["SubscriptionRecovery"];
      } } };
    };
  };
  /** List a subscription's recoveries, newest first */
  "events.subscriptions.recoveries.list": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "running" | "paused" | "completed" | "failed" | "cancelled";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["SubscriptionRecovery"]>;
      } } };
    };
  };
  /** Get a recovery, with its progress */
  "events.subscriptions.recoveries.get": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
        /** Id of the recovery, `rcv_…`. */
        recoveryId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SubscriptionRecovery"];
      } } };
    };
  };
  /** Cancel a recovery */
  "events.subscriptions.recoveries.cancel": {
    parameters: {
      path: {
        /** Id of the subscription, `sub_…`. */
        subscriptionId: string;
        /** Id of the recovery, `rcv_…`. */
        recoveryId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SubscriptionRecovery"];
      } } };
    };
  };
  /** List dead letters, those that failed last first */
  "deadLetters.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The destination, exactly as it was published. */
        url?: string;
        /** The id of a URL group, or the name of one. */
        urlGroup?: string;
        scheduleId?: string;
        /** Exactly as it was published. */
        label?: string;
        reason?: "retries_exhausted" | "gone" | "not_retryable" | "destination_blocked";
        /** Failed after. */
        startDate?: schemas["DateTimeWithOffset"];
        /** Failed before. */
        endDate?: schemas["DateTimeWithOffset"];
        /** The status of the last response. */
        responseStatus?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedDeadLetter"]>;
      } } };
    };
  };
  /** Clear the dead letters, or those of a filter, for good */
  "deadLetters.clear": {
    parameters: {
      path?: never;
      query?: {
        /** The destination, exactly as it was published. */
        url?: string;
        /** The id of a URL group, or the name of one. */
        urlGroup?: string;
        scheduleId?: string;
        /** Exactly as it was published. */
        label?: string;
        reason?: "retries_exhausted" | "gone" | "not_retryable" | "destination_blocked";
        /** Failed after. */
        startDate?: schemas["DateTimeWithOffset"];
        /** Failed before. */
        endDate?: schemas["DateTimeWithOffset"];
        /** The status of the last response. */
        responseStatus?: number;
        /** In a protected environment it must be true, because nothing brings the records back. */
        confirmProtected?: "true" | "false";
        /** How many records you have seen. If the filter matches another number now, the answer is 409. */
        expectedCount?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["DeadLetterJob"];
      } } };
    };
  };
  /** Count dead letters, by reason, response status and destination */
  "deadLetters.stats": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["DeadLetterStats"];
      } } };
    };
  };
  /** Get a dead letter */
  "deadLetters.get": {
    parameters: {
      path: {
        messageId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["DeadLetter"];
      } } };
    };
  };
  /** Delete a dead letter */
  "deadLetters.delete": {
    parameters: {
      path: {
        messageId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Send a dead letter again */
  "deadLetters.retry": {
    parameters: {
      path: {
        messageId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["RetryMessageRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["RetriedMessage"];
      } } };
    };
  };
  /** Send all dead letters again, or those of a filter */
  "deadLetters.retryAll": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["RetryDeadLetters"] } };
    responses: {
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["DeadLetterJob"];
      } } };
    };
  };
  /** List jobs that retry or clear dead letters, newest first */
  "deadLetters.jobs.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "running" | "paused" | "completed" | "failed" | "cancelled";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["DeadLetterJob"]>;
      } } };
    };
  };
  /** Get a job, with its progress */
  "deadLetters.jobs.get": {
    parameters: {
      path: {
        /** Id of the job, `dlj_…`. */
        jobId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["DeadLetterJob"];
      } } };
    };
  };
  /** Cancel a job */
  "deadLetters.jobs.cancel": {
    parameters: {
      path: {
        /** Id of the job, `dlj_…`. */
        jobId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["DeadLetterJob"];
      } } };
    };
  };
  /** List runs, newest first */
  "runs.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        status?: "running" | "succeeded" | "failed" | "cancelled";
        agentId?: string;
        userId?: string;
        application?: string;
        /** Runs with this tag. */
        tag?: string;
        /** Runs that started then or later. */
        startDate?: schemas["DateTimeWithOffset"];
        /** Runs that started before then. */
        endDate?: schemas["DateTimeWithOffset"];
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedRun"]>;
      } } };
    };
  };
  /** Begin a run */
  "runs.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["CreateRun"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Run"];
      } } };
    };
  };
  /** Get a run with the number of its spans, invocations, effects and approvals */
  "runs.get": {
    parameters: {
      path: {
        /** Id of the run, `run_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["RunWithCounts"];
      } } };
    };
  };
  /** Change or end a run */
  "runs.update": {
    parameters: {
      path: {
        /** Id of the run, `run_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UpdateRun"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["RunWithCounts"];
      } } };
    };
  };
  /** Cancel a run */
  "runs.cancel": {
    parameters: {
      path: {
        /** Id of the run, `run_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["RunWithCounts"];
      } } };
    };
  };
  /** List one level of the spans of a run */
  "runs.spans.list": {
    parameters: {
      path: {
        /** Id of the run, `run_…`. */
        id: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The children of this span. Left out: the roots, and spans whose parent never came. */
        parentId?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Span"]>;
      } } };
    };
  };
  /** Write spans of a run */
  "runs.spans.upsert": {
    parameters: {
      path: {
        /** Id of the run, `run_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      spans: Array<schemas["SpanUpsert"]>;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["UpsertedSpans"];
      } } };
    };
  };
  /** Get a span, whole */
  "runs.spans.get": {
    parameters: {
      path: {
        /** Id of the run, `run_…`. */
        id: string;
        /** Id of the span. */
        spanId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Span"];
      } } };
    };
  };
  /** Change a span */
  "runs.spans.update": {
    parameters: {
      path: {
        /** Id of the run, `run_…`. */
        id: string;
        /** Id of the span. */
        spanId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UpdateSpan"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Span"];
      } } };
    };
  };
  /** Ingest traces of OpenTelemetry */
  "runs.ingestTraces": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": unknown; "application/x-protobuf": Blob } };
    responses: {
      200: { content: { "application/json": {
        partialSuccess?: {
          /** How many, as protobuf writes an int64 in JSON. */
          rejectedSpans?: string;
          errorMessage?: string;
        };
      }; "application/x-protobuf": Blob } };
    };
  };
  /** List sessions, newest first */
  "sessions.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The sessions of this user. */
        userId?: string;
        /** The sessions of this agent. */
        agentId?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["ListedSession"]>;
      } } };
    };
  };
  /** Begin a session */
  "sessions.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": {
      name?: string | null;
      /** Whose conversation it is, by your own name for them. */
      userId?: string | null;
      agentId?: string | null;
      metadata?: Record<string, schemas["JsonValue"]> | null;
      /** It expires so long after its creation, with all its messages. Null: it does not expire. */
      ttlSeconds?: number | null;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Session"];
      } } };
    };
  };
  /** Get a session */
  "sessions.get": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Session"];
      } } };
    };
  };
  /** Change a session */
  "sessions.update": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { "application/json": schemas["UpdateSession"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Session"];
      } } };
    };
  };
  /** Delete a session with its messages */
  "sessions.delete": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** List the messages of a session */
  "sessions.messages.list": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** `asc`: as they were said. `desc`: the newest first. */
        order?: "asc" | "desc";
        /** Only what follows the message of this sequence, in the order asked for. */
        after?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["SessionMessage"]>;
      } } };
    };
  };
  /** Append messages to a session */
  "sessions.messages.append": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** In the order in which they were said. All or none. */
      messages: Array<schemas["NewSessionMessage"]>;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: Array<schemas["SessionMessage"]>;
      } } };
    };
  };
  /** Delete all messages of a session */
  "sessions.messages.clear": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          /** How many there were. */
          deleted: number;
        };
      } } };
    };
  };
  /** Remove the newest message of a session */
  "sessions.messages.pop": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SessionMessage"];
      } } };
    };
  };
  /** Get a prompt-ready context of a session */
  "sessions.context": {
    parameters: {
      path: {
        /** Id of the session, `ses_…`. */
        id: string;
      };
      query?: {
        /** The budget, in tokens of o200k_base. 4000 where it is left out. */
        maxTokens?: number;
        /** `openai`: messages of Chat Completions. `anthropic`: `system` and messages of the Messages API. `text`: one text. */
        format?: "openai" | "anthropic" | "text";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Context"];
      } } };
    };
  };
  /** Assemble a prompt-ready context */
  "context.assemble": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["AssembleContext"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Context"];
      } } };
    };
  };
  /** List collections of memories, newest first */
  "memory.collections.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** The name, exactly. */
        name?: string;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["MemoryCollection"]>;
      } } };
    };
  };
  /** Create a collection of memories */
  "memory.collections.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Unique in its environment. */
      name: string;
      description?: string | null;
    } } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["MemoryCollection"];
      } } };
    };
  };
  /** Get a collection of memories */
  "memory.collections.get": {
    parameters: {
      path: {
        /** Id of the collection, `col_…`. */
        collectionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["MemoryCollection"];
      } } };
    };
  };
  /** Change the name or the description of a collection */
  "memory.collections.update": {
    parameters: {
      path: {
        /** Id of the collection, `col_…`. */
        collectionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Unique in its environment. */
      name?: string;
      description?: string | null;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["MemoryCollection"];
      } } };
    };
  };
  /** Delete a collection and its memories */
  "memory.collections.delete": {
    parameters: {
      path: {
        /** Id of the collection, `col_…`. */
        collectionId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          message: string;
        };
      } } };
    };
  };
  /** List memories, the one recorded last first */
  "memory.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        /** Ids of collections, after commas. Left out: every collection of the environment. */
        collectionIds?: string | Array<string>;
        userId?: string;
        agentId?: string;
        sessionId?: string;
        /** `fact`: something that holds. `episode`: something that happened. */
        kind?: "fact" | "episode";
        sourceType?: string;
        /** Needs `sourceType`. */
        sourceId?: string;
        /** A JSON object: members that the metadata has, with these values. */
        metadata?: string;
        includeSuperseded?: "true" | "false";
        /** As it was recorded then and held then. Not with `validAt`. */
        asOf?: schemas["DateTimeWithOffset"];
        /** What held then, as it is recorded now. Not with `asOf`. */
        validAt?: schemas["DateTimeWithOffset"];
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Memory"]>;
      } } };
    };
  };
  /** Remember something */
  "memory.create": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["StoreMemoryRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Memory"];
      } } };
    };
  };
  /** Search memories */
  "memory.search": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["SearchMemoryRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: Array<schemas["FoundMemory"]>;
      } } };
    };
  };
  /** Get a memory */
  "memory.get": {
    parameters: {
      path: {
        /** Id of the memory, `mem_…`. */
        memoryId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Memory"];
      } } };
    };
  };
  /** Record a new version of a memory */
  "memory.supersede": {
    parameters: {
      path: {
        /** Id of the memory, `mem_…`. */
        memoryId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["SupersedeMemoryRequest"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Memory"];
      } } };
    };
  };
  /** Delete a memory, with its history and what was derived from it */
  "memory.delete": {
    parameters: {
      path: {
        /** Id of the memory, `mem_…`. */
        memoryId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          /** Memories: every version of each, and what was derived from them. */
          deleted: number;
        };
      } } };
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["MemoryJob"];
      } } };
    };
  };
  /** List all versions of a memory, the one recorded last first */
  "memory.history": {
    parameters: {
      path: {
        /** Id of the memory, `mem_…`. */
        memoryId: string;
      };
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Memory"]>;
      } } };
    };
  };
  /** Forget what a filter finds, with its history and what was derived from it */
  "memory.forget": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      filter: schemas["MemoryFilter"];
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          /** Memories: every version of each, and what was derived from them. */
          deleted: number;
        };
      } } };
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["MemoryJob"];
      } } };
    };
  };
  /** Split, embed and store a text, messages or a session */
  "memory.ingest": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. Kept for 24 hours; a failed request frees it. */
        "Idempotency-Key"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["IngestMemoryRequest"] } };
    responses: {
      202: { content: { "application/json": schemas["Success"] & {
        data: schemas["MemoryJob"];
      } } };
    };
  };
  /** Get a job of memory, with its progress */
  "memory.jobs.get": {
    parameters: {
      path: {
        /** Id of the job, `job_…`. */
        jobId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["MemoryJob"];
      } } };
    };
  };
  /** List integrations, newest first, without their credentials */
  "integrations.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Integration"]>;
      } } };
    };
  };
  /** Connect a Discord channel */
  "integrations.discord.connect": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["DiscordConnection"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Integration"];
      } } };
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Integration"];
      } } };
    };
  };
  /** Post a test message to a Discord channel */
  "integrations.discord.test": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["TestMessageSent"];
      } } };
    };
  };
  /** Connect a Slack workspace */
  "integrations.slack.connect": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["SlackConnection"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Integration"];
      } } };
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["Integration"];
      } } };
    };
  };
  /** List the channels of the Slack workspace */
  "integrations.slack.channels": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["SlackChannels"];
      } } };
    };
  };
  /** Choose the Slack channel */
  "integrations.slack.channel": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      /** Slack's id of the channel, such as C0123456789. */
      channelId: string;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Integration"];
      } } };
    };
  };
  /** Post a test message to the Slack channel */
  "integrations.slack.test": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["TestMessageSent"];
      } } };
    };
  };
  /** Turn an integration on or off */
  "integrations.toggle": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": {
      isActive: boolean;
    } } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["IntegrationToggled"];
      } } };
    };
  };
  /** Say who you are in a chat */
  "integrations.links.create": {
    parameters: {
      path: {
        workspaceId: string;
        environmentId: schemas["Uuid"];
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["ChatLinkRequest"] } };
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: schemas["ChatLink"];
      } } };
    };
  };
  /** End your links with a chat */
  "integrations.links.delete": {
    parameters: {
      path: {
        workspaceId: string;
        environmentId: schemas["Uuid"];
        integrationId: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["ChatUnlinked"];
      } } };
    };
  };
  /** List notifications, newest first */
  "notifications.list": {
    parameters: {
      path?: never;
      query?: {
        /** The page, from 1. */
        page?: number;
        /** Items on a page. */
        limit?: number;
        type?: schemas["NotificationType"];
        unread?: "true" | "false";
      };
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Page"] & {
        data: Array<schemas["Notification"]>;
      } } };
    };
  };
  /** Count unread notifications */
  "notifications.unreadCount": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          unread: number;
        };
      } } };
    };
  };
  /** Mark a notification as read */
  "notifications.read": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["Notification"];
      } } };
    };
  };
  /** Mark all notifications as read */
  "notifications.readAll": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          /** How many were unread. */
          read: number;
        };
      } } };
    };
  };
  /** Delete a notification from the own view */
  "notifications.delete": {
    parameters: {
      path: {
        id: string;
      };
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: {
          deleted: true;
        };
      } } };
    };
  };
  /** Get the workspace's notification preferences */
  "notifications.preferences.get": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["NotificationPreferences"];
      } } };
    };
  };
  /** Change the workspace's notification preferences */
  "notifications.preferences.update": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["NotificationPreferencesUpdate"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["NotificationPreferences"];
      } } };
    };
  };
  /** Send a test alert to the webhook */
  "notifications.preferences.testWebhook": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      201: { content: { "application/json": schemas["Success"] & {
        data: {
          messageId: string;
        };
      } } };
    };
  };
  /** Get what the member has muted */
  "notifications.preferences.getOwn": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["OwnNotificationPreferences"];
      } } };
    };
  };
  /** Change what the member has muted */
  "notifications.preferences.updateOwn": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
        /** The environment that a session works in. An API key has its own, and this is not read. */
        "X-Environment-Id"?: string;
        /** For a session: the `csrfToken` of GET /api/v2/auth/session. */
        "X-CSRF-Token"?: string;
      };
      cookie?: never;
    };
    requestBody: { content: { "application/json": schemas["OwnNotificationPreferencesUpdate"] } };
    responses: {
      200: { content: { "application/json": schemas["Success"] & {
        data: schemas["OwnNotificationPreferences"];
      } } };
    };
  };
  /** Be told what changed */
  "console.stream": {
    parameters: {
      path?: never;
      query?: never;
      header?: {
        /** Your correlation id. One that is unsafe or too long is replaced. */
        "X-Request-Id"?: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { "text/event-stream": Blob } };
    };
  };
}

export interface paths {
  "/api/v2/auth/identity": {
    get: operations["auth.identity"];
  };
  "/api/v2/auth/session": {
    get: operations["auth.session.get"];
    post: operations["auth.session.create"];
    delete: operations["auth.session.delete"];
  };
  "/api/v2/auth/password": {
    post: operations["auth.password.change"];
  };
  "/api/v2/auth/invitations/accept": {
    post: operations["auth.invitations.accept"];
  };
  "/api/v2/auth/connected-apps": {
    get: operations["auth.connected-apps.list"];
  };
  "/api/v2/auth/connected-apps/{id}": {
    delete: operations["auth.connected-apps.delete"];
  };
  "/api/v2/auth/passkey-sign-in/options": {
    post: operations["auth.passkeySignIn.options"];
  };
  "/api/v2/auth/passkey-sign-in": {
    post: operations["auth.passkeySignIn.create"];
  };
  "/api/v2/auth/passkeys": {
    get: operations["auth.passkeys.list"];
    post: operations["auth.passkeys.create"];
  };
  "/api/v2/auth/passkeys/options": {
    post: operations["auth.passkeys.options"];
  };
  "/api/v2/auth/passkeys/{id}": {
    patch: operations["auth.passkeys.update"];
    delete: operations["auth.passkeys.delete"];
  };
  "/api/v2/auth/recovery-codes": {
    get: operations["auth.recovery-codes.get"];
    post: operations["auth.recovery-codes.create"];
  };
  "/api/v2/auth/session/passkey/options": {
    post: operations["auth.session.passkey.options"];
  };
  "/api/v2/auth/session/passkey": {
    post: operations["auth.session.passkey"];
  };
  "/api/v2/auth/session/recovery-code": {
    post: operations["auth.session.recovery-code"];
  };
  "/api/v2/auth/session/password": {
    post: operations["auth.session.password"];
  };
  "/api/v2/workspaces/{workspaceId}/members": {
    get: operations["members.list"];
    post: operations["members.invite"];
  };
  "/api/v2/workspaces/{workspaceId}/members/{userId}": {
    patch: operations["members.update"];
    delete: operations["members.remove"];
  };
  "/api/v2/workspaces/{workspaceId}/api-keys": {
    get: operations["apiKeys.list"];
    post: operations["apiKeys.create"];
  };
  "/api/v2/workspaces/{workspaceId}/api-keys/{keyId}": {
    delete: operations["apiKeys.delete"];
  };
  "/api/v2/workspaces/{workspaceId}/environments": {
    get: operations["environments.list"];
    post: operations["environments.create"];
  };
  "/api/v2/workspaces/{workspaceId}/environments/{environmentId}": {
    get: operations["environments.get"];
    patch: operations["environments.update"];
  };
  "/api/v2/workspaces/{workspaceId}/environments/{environmentId}/halt": {
    post: operations["environments.halt"];
  };
  "/api/v2/workspaces/{workspaceId}/environments/{environmentId}/resume": {
    post: operations["environments.resume"];
  };
  "/api/v2/workspaces/{workspaceId}/audit": {
    get: operations["audit.list"];
  };
  "/api/v2/secrets": {
    get: operations["secrets.list"];
  };
  "/api/v2/secrets/{name}": {
    get: operations["secrets.get"];
    put: operations["secrets.put"];
    delete: operations["secrets.delete"];
  };
  "/api/v2/actions": {
    get: operations["actions.list"];
    post: operations["actions.create"];
  };
  "/api/v2/actions/import": {
    post: operations["actions.import"];
  };
  "/api/v2/actions/{ref}": {
    get: operations["actions.get"];
    patch: operations["actions.update"];
    delete: operations["actions.archive"];
  };
  "/api/v2/actions/{ref}/versions": {
    get: operations["actions.versions.list"];
  };
  "/api/v2/actions/{ref}/versions/{number}": {
    get: operations["actions.versions.get"];
  };
  "/api/v2/actions/tools": {
    get: operations["actions.exportTools"];
  };
  "/api/v2/actions/{ref}/previews": {
    post: operations["previews.create"];
  };
  "/api/v2/actions/previews/{id}": {
    get: operations["previews.get"];
  };
  "/api/v2/actions/previews/{id}/refresh": {
    post: operations["previews.refresh"];
  };
  "/api/v2/actions/{ref}/invoke": {
    post: operations["actions.invoke"];
  };
  "/api/v2/actions/invocations": {
    get: operations["invocations.list"];
  };
  "/api/v2/actions/invocations/{id}": {
    get: operations["invocations.get"];
  };
  "/api/v2/actions/{ref}/invocations": {
    get: operations["actions.listInvocations"];
  };
  "/api/v2/actions/effects": {
    get: operations["effects.list"];
  };
  "/api/v2/actions/effects/{id}": {
    get: operations["effects.get"];
  };
  "/api/v2/actions/effects/{id}/verify": {
    get: operations["effects.verify"];
  };
  "/api/v2/actions/effects/{id}/notes": {
    post: operations["effects.addNote"];
  };
  "/api/v2/approval-policies": {
    get: operations["approvalPolicies.list"];
    post: operations["approvalPolicies.create"];
  };
  "/api/v2/approval-policies/evaluate": {
    post: operations["approvalPolicies.evaluate"];
  };
  "/api/v2/approval-policies/files/plan": {
    post: operations["approvalPolicies.files.plan"];
  };
  "/api/v2/approval-policies/files/apply": {
    post: operations["approvalPolicies.files.apply"];
  };
  "/api/v2/approval-policies/files/test": {
    post: operations["approvalPolicies.files.test"];
  };
  "/api/v2/approval-policies/{policyId}": {
    get: operations["approvalPolicies.get"];
    patch: operations["approvalPolicies.update"];
    delete: operations["approvalPolicies.delete"];
  };
  "/api/v2/approval-policies/{policyId}/versions": {
    get: operations["approvalPolicies.versions.list"];
  };
  "/api/v2/approval-policies/{policyId}/versions/{version}": {
    get: operations["approvalPolicies.versions.get"];
  };
  "/api/v2/approvals": {
    get: operations["approvals.list"];
    post: operations["approvals.create"];
  };
  "/api/v2/approvals/{id}": {
    get: operations["approvals.get"];
  };
  "/api/v2/approvals/{id}/approve": {
    post: operations["approvals.approve"];
  };
  "/api/v2/approvals/{id}/deny": {
    post: operations["approvals.deny"];
  };
  "/api/v2/actions/effects/{id}/reconcile": {
    post: operations["effects.reconcile"];
  };
  "/api/v2/actions/effects/{id}/resolve": {
    post: operations["effects.resolve"];
  };
  "/api/v2/actions/effects/{id}/replay": {
    post: operations["effects.replay"];
  };
  "/api/v2/actions/invocations/{id}/resolve": {
    post: operations["invocations.resolve"];
  };
  "/api/v2/impact-limits": {
    get: operations["impactLimits.list"];
    post: operations["impactLimits.create"];
  };
  "/api/v2/impact-limits/{id}": {
    get: operations["impactLimits.get"];
    patch: operations["impactLimits.update"];
    delete: operations["impactLimits.archive"];
  };
  "/api/v2/budgets": {
    get: operations["budgets.list"];
  };
  "/api/v2/budgets/{apiKeyId}": {
    get: operations["budgets.get"];
    put: operations["budgets.put"];
    delete: operations["budgets.delete"];
  };
  "/api/v2/analytics/overview": {
    get: operations["analytics.overview"];
  };
  "/api/v2/analytics/agents": {
    get: operations["analytics.agents"];
  };
  "/api/v2/analytics/trust-control": {
    get: operations["analytics.trustControl"];
  };
  "/api/v2/analytics/delivery": {
    get: operations["analytics.delivery"];
  };
  "/api/v2/analytics/messages": {
    get: operations["analytics.messages"];
  };
  "/api/v2/analytics/time-series": {
    get: operations["analytics.timeSeries"];
  };
  "/api/v2/analytics/top-urls": {
    get: operations["analytics.topUrls"];
  };
  "/api/v2/analytics/usage/current": {
    get: operations["analytics.usageCurrent"];
  };
  "/api/v2/analytics/usage/history": {
    get: operations["analytics.usageHistory"];
  };
  "/api/v2/analytics/schedules": {
    get: operations["analytics.schedules"];
  };
  "/api/v2/analytics/schedule-executions": {
    get: operations["analytics.scheduleExecutions"];
  };
  "/api/v2/analytics/errors": {
    get: operations["analytics.errors"];
  };
  "/api/v2/analytics/onboarding": {
    get: operations["analytics.onboarding"];
  };
  "/api/v2/billing/plan": {
    get: operations["billing.plan"];
  };
  "/api/v2/billing/plans": {
    get: operations["billing.plans"];
  };
  "/api/v2/billing/quota": {
    get: operations["billing.quota"];
  };
  "/api/v2/billing/usage/current": {
    get: operations["billing.usageCurrent"];
  };
  "/api/v2/billing/usage/history": {
    get: operations["billing.usageHistory"];
  };
  "/api/v2/billing/cost-estimate": {
    get: operations["billing.costEstimate"];
  };
  "/api/v2/billing/invoices": {
    get: operations["billing.invoices"];
  };
  "/api/v2/billing/budget": {
    get: operations["billing.budget"];
    put: operations["billing.putBudget"];
  };
  "/api/v2/billing/upgrade": {
    post: operations["billing.upgrade"];
  };
  "/api/v2/billing/stripe-config": {
    get: operations["billing.stripeConfig"];
  };
  "/api/v2/public/pricing-policy": {
    get: operations["billing.pricingPolicy"];
  };
  "/api/v2/messages/publish": {
    post: operations["messages.publish"];
  };
  "/api/v2/messages/batch": {
    post: operations["messages.batch"];
  };
  "/api/v2/messages": {
    get: operations["messages.list"];
  };
  "/api/v2/messages/{messageId}": {
    get: operations["messages.get"];
    delete: operations["messages.cancel"];
  };
  "/api/v2/messages/{messageId}/attempts": {
    get: operations["messages.attempts.list"];
  };
  "/api/v2/schedules": {
    get: operations["schedules.list"];
    post: operations["schedules.create"];
  };
  "/api/v2/schedules/preview": {
    get: operations["schedules.preview"];
  };
  "/api/v2/schedules/{scheduleId}": {
    get: operations["schedules.get"];
    patch: operations["schedules.update"];
    delete: operations["schedules.delete"];
  };
  "/api/v2/schedules/{scheduleId}/pause": {
    post: operations["schedules.pause"];
  };
  "/api/v2/schedules/{scheduleId}/resume": {
    post: operations["schedules.resume"];
  };
  "/api/v2/schedules/{scheduleId}/run": {
    post: operations["schedules.run"];
  };
  "/api/v2/schedules/{scheduleId}/runs": {
    get: operations["schedules.runs"];
  };
  "/api/v2/flow-control": {
    get: operations["flowControl.list"];
    post: operations["flowControl.create"];
  };
  "/api/v2/flow-control/{flowControlKeyId}": {
    get: operations["flowControl.get"];
    patch: operations["flowControl.update"];
    delete: operations["flowControl.delete"];
  };
  "/api/v2/flow-control/{flowControlKeyId}/status": {
    get: operations["flowControl.status"];
  };
  "/api/v2/flow-control/{flowControlKeyId}/pause": {
    post: operations["flowControl.pause"];
  };
  "/api/v2/flow-control/{flowControlKeyId}/resume": {
    post: operations["flowControl.resume"];
  };
  "/api/v2/flow-control/{flowControlKeyId}/pin": {
    post: operations["flowControl.pin"];
  };
  "/api/v2/flow-control/{flowControlKeyId}/unpin": {
    post: operations["flowControl.unpin"];
  };
  "/api/v2/flow-control/{flowControlKeyId}/reset-rate": {
    post: operations["flowControl.resetRate"];
  };
  "/api/v2/signing-keys": {
    get: operations["signingKeys.list"];
  };
  "/api/v2/workspaces/{workspaceId}/signing-keys/rotate": {
    post: operations["signingKeys.rotate"];
  };
  "/api/v2/url-groups": {
    get: operations["urlGroups.list"];
    post: operations["urlGroups.create"];
  };
  "/api/v2/url-groups/{groupId}": {
    get: operations["urlGroups.get"];
    patch: operations["urlGroups.update"];
    delete: operations["urlGroups.delete"];
  };
  "/api/v2/url-groups/{groupId}/endpoints": {
    post: operations["urlGroups.endpoints.add"];
  };
  "/api/v2/url-groups/{groupId}/endpoints/{endpointId}": {
    delete: operations["urlGroups.endpoints.remove"];
  };
  "/api/v2/url-groups/{groupId}/publish": {
    post: operations["urlGroups.publish"];
  };
  "/api/v2/cache": {
    get: operations["cache.list"];
    post: operations["cache.store"];
  };
  "/api/v2/cache/lookup": {
    post: operations["cache.lookup"];
  };
  "/api/v2/cache/flush": {
    post: operations["cache.flush"];
  };
  "/api/v2/cache/stats": {
    get: operations["cache.stats"];
  };
  "/api/v2/cache/{entryId}": {
    get: operations["cache.get"];
    delete: operations["cache.delete"];
  };
  "/api/v2/files": {
    get: operations["files.list"];
    post: operations["files.upload"];
  };
  "/api/v2/files/presign": {
    post: operations["files.presign"];
  };
  "/api/v2/files/{fileId}/content": {
    put: operations["files.content"];
  };
  "/api/v2/files/{fileId}/confirm": {
    post: operations["files.confirm"];
  };
  "/api/v2/files/{fileId}": {
    get: operations["files.get"];
    delete: operations["files.delete"];
  };
  "/api/v2/files/{fileId}/download": {
    get: operations["files.download"];
  };
  "/api/v2/events": {
    get: operations["events.list"];
    post: operations["events.publish"];
  };
  "/api/v2/events/{eventId}": {
    get: operations["events.get"];
  };
  "/api/v2/events/topics": {
    get: operations["events.topics.list"];
    post: operations["events.topics.create"];
  };
  "/api/v2/events/topics/{ref}": {
    get: operations["events.topics.get"];
    patch: operations["events.topics.update"];
    delete: operations["events.topics.delete"];
  };
  "/api/v2/events/topics/{ref}/subscriptions": {
    get: operations["events.subscriptions.list"];
    post: operations["events.subscriptions.create"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}": {
    get: operations["events.subscriptions.get"];
    patch: operations["events.subscriptions.update"];
    delete: operations["events.subscriptions.delete"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}/rotate-secret": {
    post: operations["events.subscriptions.rotateSecret"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}/test": {
    post: operations["events.subscriptions.test"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}/attempts": {
    get: operations["events.subscriptions.attempts.list"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}/recover": {
    post: operations["events.subscriptions.recover"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}/recoveries": {
    get: operations["events.subscriptions.recoveries.list"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}/recoveries/{recoveryId}": {
    get: operations["events.subscriptions.recoveries.get"];
  };
  "/api/v2/events/subscriptions/{subscriptionId}/recoveries/{recoveryId}/cancel": {
    post: operations["events.subscriptions.recoveries.cancel"];
  };
  "/api/v2/dlq": {
    get: operations["deadLetters.list"];
    delete: operations["deadLetters.clear"];
  };
  "/api/v2/dlq/stats": {
    get: operations["deadLetters.stats"];
  };
  "/api/v2/dlq/{messageId}": {
    get: operations["deadLetters.get"];
    delete: operations["deadLetters.delete"];
  };
  "/api/v2/dlq/{messageId}/retry": {
    post: operations["deadLetters.retry"];
  };
  "/api/v2/dlq/retry-all": {
    post: operations["deadLetters.retryAll"];
  };
  "/api/v2/dlq/jobs": {
    get: operations["deadLetters.jobs.list"];
  };
  "/api/v2/dlq/jobs/{jobId}": {
    get: operations["deadLetters.jobs.get"];
  };
  "/api/v2/dlq/jobs/{jobId}/cancel": {
    post: operations["deadLetters.jobs.cancel"];
  };
  "/api/v2/runs": {
    get: operations["runs.list"];
    post: operations["runs.create"];
  };
  "/api/v2/runs/{id}": {
    get: operations["runs.get"];
    patch: operations["runs.update"];
  };
  "/api/v2/runs/{id}/cancel": {
    post: operations["runs.cancel"];
  };
  "/api/v2/runs/{id}/spans": {
    get: operations["runs.spans.list"];
    post: operations["runs.spans.upsert"];
  };
  "/api/v2/runs/{id}/spans/{spanId}": {
    get: operations["runs.spans.get"];
    patch: operations["runs.spans.update"];
  };
  "/api/v2/otlp/v1/traces": {
    post: operations["runs.ingestTraces"];
  };
  "/api/v2/sessions": {
    get: operations["sessions.list"];
    post: operations["sessions.create"];
  };
  "/api/v2/sessions/{id}": {
    get: operations["sessions.get"];
    patch: operations["sessions.update"];
    delete: operations["sessions.delete"];
  };
  "/api/v2/sessions/{id}/messages": {
    get: operations["sessions.messages.list"];
    post: operations["sessions.messages.append"];
    delete: operations["sessions.messages.clear"];
  };
  "/api/v2/sessions/{id}/messages/last": {
    delete: operations["sessions.messages.pop"];
  };
  "/api/v2/sessions/{id}/context": {
    get: operations["sessions.context"];
  };
  "/api/v2/context": {
    post: operations["context.assemble"];
  };
  "/api/v2/memory/collections": {
    get: operations["memory.collections.list"];
    post: operations["memory.collections.create"];
  };
  "/api/v2/memory/collections/{collectionId}": {
    get: operations["memory.collections.get"];
    patch: operations["memory.collections.update"];
    delete: operations["memory.collections.delete"];
  };
  "/api/v2/memory": {
    get: operations["memory.list"];
    post: operations["memory.create"];
  };
  "/api/v2/memory/search": {
    post: operations["memory.search"];
  };
  "/api/v2/memory/{memoryId}": {
    get: operations["memory.get"];
    patch: operations["memory.supersede"];
    delete: operations["memory.delete"];
  };
  "/api/v2/memory/{memoryId}/history": {
    get: operations["memory.history"];
  };
  "/api/v2/memory/forget": {
    post: operations["memory.forget"];
  };
  "/api/v2/memory/ingest": {
    post: operations["memory.ingest"];
  };
  "/api/v2/memory/jobs/{jobId}": {
    get: operations["memory.jobs.get"];
  };
  "/api/v2/integrations": {
    get: operations["integrations.list"];
  };
  "/api/v2/integrations/discord": {
    post: operations["integrations.discord.connect"];
  };
  "/api/v2/integrations/discord/{id}/test": {
    post: operations["integrations.discord.test"];
  };
  "/api/v2/integrations/slack": {
    post: operations["integrations.slack.connect"];
  };
  "/api/v2/integrations/slack/{id}/channels": {
    get: operations["integrations.slack.channels"];
  };
  "/api/v2/integrations/slack/{id}/channel": {
    patch: operations["integrations.slack.channel"];
  };
  "/api/v2/integrations/slack/{id}/test": {
    post: operations["integrations.slack.test"];
  };
  "/api/v2/integrations/{id}/toggle": {
    patch: operations["integrations.toggle"];
  };
  "/api/v2/workspaces/{workspaceId}/environments/{environmentId}/chat-links": {
    post: operations["integrations.links.create"];
  };
  "/api/v2/workspaces/{workspaceId}/environments/{environmentId}/chat-links/{integrationId}": {
    delete: operations["integrations.links.delete"];
  };
  "/api/v2/notifications": {
    get: operations["notifications.list"];
  };
  "/api/v2/notifications/unread-count": {
    get: operations["notifications.unreadCount"];
  };
  "/api/v2/notifications/{id}/read": {
    patch: operations["notifications.read"];
  };
  "/api/v2/notifications/read-all": {
    patch: operations["notifications.readAll"];
  };
  "/api/v2/notifications/{id}": {
    delete: operations["notifications.delete"];
  };
  "/api/v2/notifications/preferences": {
    get: operations["notifications.preferences.get"];
    patch: operations["notifications.preferences.update"];
  };
  "/api/v2/notifications/preferences/test-webhook": {
    post: operations["notifications.preferences.testWebhook"];
  };
  "/api/v2/notifications/preferences/me": {
    get: operations["notifications.preferences.getOwn"];
    patch: operations["notifications.preferences.updateOwn"];
  };
  "/api/v2/console/stream": {
    get: operations["console.stream"];
  };
}
