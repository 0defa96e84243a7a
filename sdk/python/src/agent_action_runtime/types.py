"""What is sent to the service, and what it answers: its API description as types of Python.

Records are dictionaries with the names of the API. Made by `npm run openapi`; do not change it by hand.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class _ActionRequired(TypedDict):
    id: str
    name: str
    description: Optional[str]
    environmentId: str
    adapter: ActionAdapterObject
    inputSchema: Dict[str, Any]
    """JSON Schema 2020-12 of the input."""
    governed: bool
    """True where the action carries impact, verify or governed: true."""
    impact: List[ImpactDeclaration]
    approval: ActionApproval
    timeoutMs: int
    mcp: ActionMcp
    """pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions."""
    currentVersion: ActionCurrentVersion
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]


class Action(_ActionRequired, total=False):
    outputSchema: Dict[str, Any]
    verify: VerifyDeclaration


class _ActionAdapterRequired(TypedDict):
    type: str
    """For example `http.request`."""
    config: Dict[str, Any]
    """What the adapter's documentation says."""


class ActionAdapter(_ActionAdapterRequired, total=False):
    version: str
    """Left out: the adapter's newest, which is recorded."""


class ActionAdapterObject(TypedDict):
    type: str
    version: str
    config: Dict[str, Any]


class _ActionApprovalRequired(TypedDict):
    required: bool


class ActionApproval(_ActionApprovalRequired, total=False):
    tag: str


class ActionCurrentVersion(TypedDict):
    id: str
    number: int
    digest: str
    """SHA-256 over the RFC 8785 (JCS) bytes of the definition."""


class ActionDefinition(TypedDict):
    adapter: ActionDefinitionAdapter
    inputSchema: Dict[str, Any]
    outputSchema: Optional[Dict[str, Any]]
    governed: bool
    impact: List[ImpactDeclaration]
    verify: Optional[VerifyDeclaration]
    approval: ActionDefinitionApproval
    timeoutMs: int


class ActionDefinitionAdapter(TypedDict):
    type: str
    version: str
    config: Dict[str, Any]


class ActionDefinitionApproval(TypedDict):
    required: bool
    tag: Optional[str]


class ActionEventData(TypedDict):
    actionId: str
    name: str
    versionId: str
    version: int


class ActionMcp(TypedDict):
    """pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions."""
    pinned: bool


class ActionPreview(TypedDict):
    id: str
    action: ActionPreviewAction
    adapter: ActionPreviewAdapter
    environment: ActionPreviewEnvironment
    target: Dict[str, Any]
    request: PreparedRequest
    impact: List[ImpactQuantity]
    blocks: List[PreviewBlock]
    preconditions: Dict[str, Any]
    """What must still hold right before the dispatch. Part of the binding."""
    capabilities: Dict[str, Any]
    allowances: List[PreviewAllowance]
    evidenceObservedAt: str
    expiresAt: str
    expired: bool
    """It can no longer be used: its time is over, or another one supersedes it."""
    requestDigest: str
    bindingDigest: str
    """What an approval agrees to."""
    supersedes: Optional[str]
    effectId: Optional[str]
    """The effect that executes it, once one is admitted."""
    createdAt: str


class ActionPreviewAction(TypedDict):
    id: str
    name: str
    versionId: str


class ActionPreviewAdapter(TypedDict):
    type: str
    version: str


class ActionPreviewEnvironment(TypedDict):
    id: str
    name: str
    kind: str


class ActionVersion(TypedDict):
    id: str
    actionId: str
    number: int
    digest: str
    """SHA-256 over the RFC 8785 (JCS) bytes of the definition."""
    definition: ActionDefinition
    createdBy: ActionVersionCreatedBy
    createdAt: str
    changeNote: Optional[str]


class ActionVersionCreatedBy(TypedDict):
    type: str
    id: str


class ActionWarning(TypedDict):
    path: str
    """Dotted path into what was written, such as `adapter.config.url` of an action."""
    code: Literal["input_not_described", "input_may_be_missing", "output_not_described", "schema_takes_no_member", "secret_missing", "url_group_missing", "url_group_empty", "topic_missing", "destination_blocked"]
    """Each code is explained in docs/reference/warnings.md."""
    message: str


class _ActorRequired(TypedDict):
    type: str
    id: Optional[str]


class Actor(_ActorRequired, total=False):
    """Who did it."""
    clientId: str
    """The app through which a user asked, where one did."""


class AnalyticsAgent(TypedDict):
    agentId: Optional[str]
    """Null for invocations and runs that named no agent."""
    versions: List[str]
    """Those that its runs named, the newest first, at most 10."""
    runs: AnalyticsAgentRuns
    durationMs: Optional[AnalyticsPercentiles]
    """From the start to the end of the runs that ended in the range."""
    approximate: AnalyticsApproximation
    tokens: AnalyticsAgentTokens
    costUsd: float
    """What these runs say that they cost, in US dollars."""
    invocations: int
    """Admitted in the range."""
    refused: int
    """Ended in the range as `refused`. Denied, expired and cancelled ones are not."""
    approvalsRequested: int
    """Invocations, admitted in the range, that asked for an approval."""
    lastSeenAt: Optional[str]
    """The newest time in the range that is counted here."""


class AnalyticsAgentRuns(TypedDict):
    started: int
    """Began in the range."""
    succeeded: int
    """Ended in the range with this status, and so are the next ones."""
    failed: int
    cancelled: int


class AnalyticsAgentTokens(TypedDict):
    input: int
    """What the runs that ended in the range say, and so is `output`. Runs with a sum alone are in neither."""
    output: int


class AnalyticsApproximation(TypedDict):
    """How far the percentiles beside it are from the exact ones, at most."""
    relativeError: float
    """Always 0.05."""


class AnalyticsDelivery(TypedDict):
    range: AnalyticsRange
    attempts: AnalyticsDeliveryAttempts
    byOutcome: AnalyticsDeliveryByOutcome
    """Without the abandoned ones. `timeout`: no answer in time. `connection`: no connection, or one that broke. `blocked`: the egress rules forbade it, and nothing was sent."""
    latencyMs: Optional[AnalyticsPercentiles]
    """From the dialling to the end of the answer, of attempts that dialled."""
    firstAttemptSuccessRate: AnalyticsRate
    """The share of first attempts that succeeded, among those that ended in the range."""
    attemptsPerMessage: Optional[float]
    """The mean, over the messages that were delivered or failed in the range, with all their attempts."""
    timeToDeliveryMs: Optional[AnalyticsPercentiles]
    """From the time at which a message was due until it was delivered, retries included, of those delivered in the range."""
    approximate: AnalyticsApproximation
    buckets: List[AnalyticsDeliveryBucketsItem]


class AnalyticsDeliveryAttempts(TypedDict):
    total: int
    """Attempts that ended in the range, of messages, callbacks and deliveries of events."""
    succeeded: int
    """Those that were answered 2xx."""
    failed: int
    """All others whose end is known."""
    abandoned: int
    """Those whose worker was lost: nobody knows what the destination did."""


class AnalyticsDeliveryBucketsItem(TypedDict):
    start: str
    end: str
    """Not included."""
    succeeded: int
    failed: int
    """Without the abandoned ones."""
    p95: Optional[float]
    """The 95th percentile of the latency."""


_AnalyticsDeliveryByOutcomeRequired = TypedDict("_AnalyticsDeliveryByOutcomeRequired", {"2xx": "int", "3xx": "int", "4xx": "int", "5xx": "int", "timeout": "int", "connection": "int", "blocked": "int"})
_AnalyticsDeliveryByOutcomeOptional = TypedDict("_AnalyticsDeliveryByOutcomeOptional", {}, total=False)


class AnalyticsDeliveryByOutcome(_AnalyticsDeliveryByOutcomeRequired, _AnalyticsDeliveryByOutcomeOptional):
    pass


class AnalyticsGauge(TypedDict):
    """How many there are now, whatever the range."""
    count: int
    isCapped: bool
    """Whether there may be more: counting ends at 10,000."""


class AnalyticsGrades(TypedDict):
    """Effects by the grade that they have now, at the time of their outcome or rejection."""
    confirmed: int
    acknowledged: int
    unknown: int
    failed: int
    refused: int
    denied: int
    pending: int
    """Always 0: what is pending has no grade yet."""


class AnalyticsHalt(TypedDict):
    at: str
    by: AnalyticsHaltBy
    until: Optional[str]
    """Null while the halt lasts."""


class AnalyticsHaltBy(TypedDict):
    type: Literal["api_key", "user", "system"]
    id: Optional[str]


class AnalyticsImpactLimit(TypedDict):
    limitId: str
    name: str
    dimension: str
    currency: Optional[str]
    cap: float
    """In minor units of the currency, or in pieces of the dimension; so are the next three."""
    settled: float
    """Used in the current period."""
    reserved: float
    """Held in the current period by effects that have not ended, those with an unknown outcome included."""
    unknown: float
    """Held by unknown outcomes, of all periods."""
    utilisation: Optional[float]
    """(settled + reserved) / cap. Null for a limit of each effect."""
    exceeded: bool
    """Whether an effect was refused for it in the current period."""


class AnalyticsMessages(TypedDict):
    range: AnalyticsRange
    totals: AnalyticsMessagesTotals
    """Sums of the buckets."""
    now: AnalyticsMessagesNow
    """Messages that have not ended, by their status as it is now, whatever the range."""
    byKind: List[AnalyticsMessagesByKindItem]
    """Sums to `totals`."""
    byLabel: List[AnalyticsMessagesByLabelItem]
    """The 20 labels with the most messages."""
    buckets: List[AnalyticsMessagesBucketsItem]


class AnalyticsMessagesBucketsItem(TypedDict):
    start: str
    end: str
    """Not included."""
    accepted: int
    """Accepted in the range or bucket, duplicates left out."""
    delivered: int
    """Delivered in it, whenever they were accepted."""
    failed: int
    """Failed for good in it."""
    cancelled: int
    """Cancelled in it."""


class AnalyticsMessagesByKindItem(TypedDict):
    kind: str
    """`message`, `callback`, `event` or `alert`."""
    accepted: int
    """Accepted in the range or bucket, duplicates left out."""
    delivered: int
    """Delivered in it, whenever they were accepted."""
    failed: int
    """Failed for good in it."""
    cancelled: int
    """Cancelled in it."""


class AnalyticsMessagesByLabelItem(TypedDict):
    label: Optional[str]
    """Null for messages without a label; `(other)` for those beyond 1,000 labels of a day."""
    accepted: int
    """Accepted in the range or bucket, duplicates left out."""
    delivered: int
    """Delivered in it, whenever they were accepted."""
    failed: int
    """Failed for good in it."""
    cancelled: int
    """Cancelled in it."""


class AnalyticsMessagesNow(TypedDict):
    """Messages that have not ended, by their status as it is now, whatever the range."""
    pending: AnalyticsGauge
    scheduled: AnalyticsGauge
    processing: AnalyticsGauge


class AnalyticsMessagesTotals(TypedDict):
    """Sums of the buckets."""
    accepted: int
    """Accepted in the range or bucket, duplicates left out."""
    delivered: int
    """Delivered in it, whenever they were accepted."""
    failed: int
    """Failed for good in it."""
    cancelled: int
    """Cancelled in it."""


class AnalyticsOverview(TypedDict):
    range: AnalyticsRange
    invocations: AnalyticsOverviewInvocations
    effects: AnalyticsOverviewEffects
    approvals: AnalyticsOverviewApprovals
    messages: AnalyticsOverviewMessages
    schedules: AnalyticsOverviewSchedules
    runs: AnalyticsOverviewRuns
    deadLettersNow: AnalyticsGauge
    """In the dead-letter queue now, whatever the range."""
    previous: AnalyticsPreviousOverview


class AnalyticsOverviewApprovals(TypedDict):
    requested: int
    """Asked for in the range, those for free-standing work too."""
    approved: int
    """Decided in the range, consumed ones included."""
    denied: int
    """Decided in the range."""
    expired: int
    """Expired in the range without a decision."""
    decisionMs: Optional[AnalyticsPercentiles]
    """From the request to the decision, of the approved and the denied."""
    approximate: AnalyticsApproximation
    pendingNow: AnalyticsGauge
    """Waiting for a decision now, whatever the range."""


class AnalyticsOverviewEffects(TypedDict):
    byGrade: AnalyticsGrades
    confirmedShare: AnalyticsRate
    """confirmed / (confirmed + acknowledged)."""
    unknownNow: AnalyticsGauge
    """Effects whose outcome is not known now, whatever the range."""
    oldestUnknownAt: Optional[str]
    """Since when the oldest of them is unknown; null when none is."""


class AnalyticsOverviewInvocations(TypedDict):
    created: int
    """Admitted in the range, whatever became of them. Requests that were refused before are not."""
    succeeded: int
    """Ended in the range with this status, and so are the next ones."""
    failed: int
    unknown: int
    """Became unknown in the range and still are. A resolution moves one to its new status and time."""
    refused: int
    denied: int
    expired: int
    cancelled: int
    pendingNow: AnalyticsGauge
    """Queued, being sent, or waiting for an approval now, whatever the range."""


class AnalyticsOverviewMessages(TypedDict):
    accepted: int
    """Accepted in the range, callbacks and alerts too. Deliveries of events are left out, as in the list of messages."""
    delivered: int
    """Ended in the range with this status, and so are the next ones."""
    failed: int
    """A retry of a dead letter is another message: this one stays failed."""
    cancelled: int
    deliveryRate: AnalyticsRate
    """delivered / (delivered + failed)."""
    pendingNow: AnalyticsGauge
    """Accepted and not ended: pending, scheduled or being sent now, whatever the range."""


class AnalyticsOverviewRuns(TypedDict):
    started: int
    """Began in the range."""
    succeeded: int
    """Ended in the range with this status, and so are the next ones."""
    failed: int
    cancelled: int
    tokens: int
    """What the runs that ended in the range say that they used."""
    costUsd: float
    """What they say that they cost, in US dollars."""
    runningNow: AnalyticsGauge
    """Running now, whatever the range."""


class AnalyticsOverviewSchedules(TypedDict):
    firings: int
    """Runs of every trigger that ended in the range, whatever their outcome."""
    failed: int
    missed: int
    activeNow: AnalyticsGauge
    """Not paused now, whatever the range."""


class AnalyticsPercentiles(TypedDict):
    p50: float
    """In milliseconds, at most 5 % from the exact value."""
    p95: float
    """In milliseconds, at most 5 % from the exact value."""
    p99: float
    """In milliseconds, at most 5 % from the exact value."""
    max: float
    """In milliseconds, at most 5 % from the exact value."""
    count: int
    """The durations that these are of."""


class AnalyticsPolicyDecision(TypedDict):
    policyId: Optional[str]
    """Null when the action or the default of the environment decided."""
    ruleId: Optional[str]
    version: Optional[int]
    """The version of the policy."""
    effect: Literal["allow", "require_approval", "deny"]
    count: int


class AnalyticsPreviousOverview(TypedDict):
    """The same numbers of the range of equal length before this one, without those of now."""
    invocations: AnalyticsPreviousOverviewInvocations
    effects: AnalyticsPreviousOverviewEffects
    approvals: AnalyticsPreviousOverviewApprovals
    messages: AnalyticsPreviousOverviewMessages
    schedules: AnalyticsPreviousOverviewSchedules
    runs: AnalyticsPreviousOverviewRuns


class AnalyticsPreviousOverviewApprovals(TypedDict):
    requested: int
    """Asked for in the range, those for free-standing work too."""
    approved: int
    """Decided in the range, consumed ones included."""
    denied: int
    """Decided in the range."""
    expired: int
    """Expired in the range without a decision."""
    decisionMs: Optional[AnalyticsPercentiles]
    """From the request to the decision, of the approved and the denied."""
    approximate: AnalyticsApproximation


class AnalyticsPreviousOverviewEffects(TypedDict):
    byGrade: AnalyticsGrades
    confirmedShare: AnalyticsRate
    """confirmed / (confirmed + acknowledged)."""


class AnalyticsPreviousOverviewInvocations(TypedDict):
    created: int
    """Admitted in the range, whatever became of them. Requests that were refused before are not."""
    succeeded: int
    """Ended in the range with this status, and so are the next ones."""
    failed: int
    unknown: int
    """Became unknown in the range and still are. A resolution moves one to its new status and time."""
    refused: int
    denied: int
    expired: int
    cancelled: int


class AnalyticsPreviousOverviewMessages(TypedDict):
    accepted: int
    """Accepted in the range, callbacks and alerts too. Deliveries of events are left out, as in the list of messages."""
    delivered: int
    """Ended in the range with this status, and so are the next ones."""
    failed: int
    """A retry of a dead letter is another message: this one stays failed."""
    cancelled: int
    deliveryRate: AnalyticsRate
    """delivered / (delivered + failed)."""


class AnalyticsPreviousOverviewRuns(TypedDict):
    started: int
    """Began in the range."""
    succeeded: int
    """Ended in the range with this status, and so are the next ones."""
    failed: int
    cancelled: int
    tokens: int
    """What the runs that ended in the range say that they used."""
    costUsd: float
    """What they say that they cost, in US dollars."""


class AnalyticsPreviousOverviewSchedules(TypedDict):
    firings: int
    """Runs of every trigger that ended in the range, whatever their outcome."""
    failed: int
    missed: int


_AnalyticsRangeRequired = TypedDict("_AnalyticsRangeRequired", {"from": "str", "to": "str", "interval": "Literal[\"15m\", \"hour\", \"day\", \"week\", \"month\"]", "timezone": "str", "completeUntil": "str"})
_AnalyticsRangeOptional = TypedDict("_AnalyticsRangeOptional", {}, total=False)


class AnalyticsRange(_AnalyticsRangeRequired, _AnalyticsRangeOptional):
    pass


class AnalyticsSeries(TypedDict):
    key: Optional[str]
    """The value of the group, such as the id of an action; empty for records without one, null for all groups that are not among the top."""
    label: str
    """For people: the name of what the key is the id of, else the key; `none`, `other`, or `all` without a group."""
    total: Optional[float]
    """The sum of the points; for a percentile, that of the whole range."""
    points: List[Optional[float]]
    """One for each bucket, in its order. Counts and sums are integers, 0 where there was none; a percentile is null there."""


class AnalyticsTimeSeries(TypedDict):
    range: AnalyticsRange
    metric: AnalyticsMetric
    unit: Literal["count", "ms", "tokens", "micro_usd"]
    """`micro_usd`: millionths of a US dollar."""
    groupBy: Optional[str]
    buckets: List[AnalyticsTimeSeriesBucketsItem]
    """The oldest first, those without a record included."""
    series: List[AnalyticsSeries]
    """The largest first, the rest last. None where nothing was counted and a group was asked for."""
    approximate: Optional[AnalyticsApproximation]
    """Null where the metric is exact."""
    truncated: bool
    """Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones."""


class AnalyticsTimeSeriesBucketsItem(TypedDict):
    start: str
    end: str
    """Not included."""


class AnalyticsTrustControl(TypedDict):
    range: AnalyticsRange
    decisions: AnalyticsTrustControlDecisions
    """Invocations that were evaluated in the range, by what was decided."""
    byPolicy: List[AnalyticsPolicyDecision]
    """The same by rule, the most frequent first, at most 50."""
    approvals: AnalyticsTrustControlApprovals
    """Those for free-standing work are counted too."""
    grades: AnalyticsGrades
    verification: AnalyticsTrustControlVerification
    """The same effects by who says what became of them."""
    refusals: List[AnalyticsTrustControlRefusalsItem]
    """Invocations that ended in the range as refused, denied, expired or cancelled, by code, the most frequent first."""
    unknowns: AnalyticsTrustControlUnknowns
    impactLimits: List[AnalyticsImpactLimit]
    """The live limits as they stand now, whatever the range."""
    halts: List[AnalyticsHalt]
    """Times in the range in which the environment was halted, the newest first."""
    truncated: bool
    """Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones."""


class AnalyticsTrustControlApprovals(TypedDict):
    """Those for free-standing work are counted too."""
    requested: int
    """Asked for in the range."""
    approved: int
    """Decided in the range, consumed ones included."""
    denied: int
    """Decided in the range."""
    expired: int
    """Ended in the range without a decision, and so are the next two."""
    cancelled: int
    invalidated: int
    """What was asked for had changed."""
    decisionMs: Optional[AnalyticsPercentiles]
    """From the request to the decision, of the approved and the denied."""
    approximate: AnalyticsApproximation


class AnalyticsTrustControlDecisions(TypedDict):
    """Invocations that were evaluated in the range, by what was decided."""
    allow: int
    requireApproval: int
    deny: int


class AnalyticsTrustControlRefusalsItem(TypedDict):
    code: str
    count: int


class AnalyticsTrustControlUnknowns(TypedDict):
    opened: int
    """Effects that became unknown in the range, whatever became of them."""
    resolvedByLookup: int
    """Became known in the range by a read of the provider or a late answer."""
    resolvedManually: int
    """Became known in the range by a person."""
    openNow: AnalyticsGauge
    """Unknown now, whatever the range."""
    oldestOpenAt: Optional[str]
    """Since when the oldest of them is unknown; null when none is."""
    resolutionMs: Optional[AnalyticsPercentiles]
    """How long those that became known in the range were unknown."""
    approximate: AnalyticsApproximation


class AnalyticsTrustControlVerification(TypedDict):
    """The same effects by who says what became of them."""
    provider: int
    manual: int
    unverified: int
    notDispatched: int


class AnalyticsUsageCurrent(TypedDict):
    range: AnalyticsRange
    period: AnalyticsUsageCurrentPeriod
    """The UTC month."""
    resetsAt: str
    """When every meter and budget begins at 0 again: the end of the period."""
    items: List[EnvironmentUsageItem]
    """One for each meter, in a fixed order."""
    budget: Optional[Budget]
    """The budget of the calling key. Null for a key without one, and for a session."""


class AnalyticsUsageCurrentPeriod(TypedDict):
    """The UTC month."""
    start: str
    end: str


class _AnalyticsUsageDayRequired(TypedDict):
    date: str
    """The UTC day."""
    complete: bool
    """Whether the day has ended."""


class AnalyticsUsageDay(_AnalyticsUsageDayRequired, total=False):
    """With `meter`, the other meters are left out."""
    executions: int
    """Invocations admitted on the day, without those that were given back later."""
    messages: int
    """Messages accepted on the day, deliveries of events included."""
    egressBytes: int
    """Bytes of bodies that were sent and read on the day."""
    memoryOperations: int
    """Memories stored or superseded, searches, and ingests."""
    notificationEmails: int
    """Notification e-mails, one for each recipient."""


class AnalyticsUsageHistory(TypedDict):
    range: AnalyticsRange
    days: List[AnalyticsUsageDay]
    """The oldest first; days without use have zeros."""
    totals: AnalyticsUsageHistoryTotals
    """Sums of the days shown."""


class AnalyticsUsageHistoryTotals(TypedDict, total=False):
    """Sums of the days shown."""
    executions: int
    """Invocations admitted on the day, without those that were given back later."""
    messages: int
    """Messages accepted on the day, deliveries of events included."""
    egressBytes: int
    """Bytes of bodies that were sent and read on the day."""
    memoryOperations: int
    """Memories stored or superseded, searches, and ingests."""
    notificationEmails: int
    """Notification e-mails, one for each recipient."""


class ApiKey(TypedDict):
    id: str
    name: str
    keyPrefix: str
    """The first 18 characters."""
    isActive: bool
    """Neither deleted nor expired."""
    createdAt: str
    expiresAt: Optional[str]
    lastUsedAt: Optional[str]
    """To the minute."""
    createdBy: Optional[str]
    """The member who made it; both count as one person. Null: the operator, at the command line."""


class _ApiKeysCreateBodyRequired(TypedDict):
    name: str
    environmentId: str
    """The one environment that the key works in, for good."""


class ApiKeysCreateBody(_ApiKeysCreateBodyRequired, total=False):
    preset: Literal["standard", "read_only", "full_access", "agent"]
    """`agent` is for the key that an agent holds: it invokes actions, and can neither define them nor decide. No preset grants an earlier namespace such as `messages:*`; name such scopes beside it."""
    scopes: List[Scope]
    """Beside a preset they are added to what it grants. Without scopes and preset the key holds every scope that is not privileged, earlier namespaces included."""
    expiresAt: Optional[str]
    """In the future. The key stops working then, and cannot be reactivated."""


class ApiKeysDeleteReply(TypedDict):
    deleted: Literal[True]


class AppliedApprovalPolicyPlan(TypedDict):
    planId: str
    revision: int
    """The revision of the policies after it."""
    changes: List[AppliedApprovalPolicyPlanChangesItem]
    warnings: List[GovernanceWarning]
    """What may be a slip, as in the plan. Each path leads into the `changes` of the plan."""
    appliedAt: str


class AppliedApprovalPolicyPlanChangesItem(TypedDict):
    name: str
    action: Literal["create", "update", "delete", "none"]
    policyId: Optional[str]
    version: Optional[int]
    """The newest after it."""


class _ApplyApprovalPolicyPlanRequired(TypedDict):
    planId: str
    digest: str


class ApplyApprovalPolicyPlan(_ApplyApprovalPolicyPlanRequired, total=False):
    failOnWarnings: bool
    """Refuse with 400 and change nothing where there is a warning; `details.warnings` has them."""


class Approval(TypedDict):
    id: str
    kind: Literal["invocation", "free_standing"]
    """`free_standing`: for work that its caller runs itself."""
    status: Literal["pending", "approved", "denied", "expired", "cancelled", "invalidated", "consumed"]
    """`consumed`: the one dispatch that it was given for was marked. `invalidated`: what was agreed to no longer held."""
    invocationId: Optional[str]
    effectId: Optional[str]
    previewId: Optional[str]
    action: Optional[ApprovalAction]
    title: str
    summary: str
    """What will happen, in one sentence."""
    payload: Any
    """What a free-standing approval agrees to; null for the others."""
    bindingDigest: str
    """Echo it to approve."""
    policy: ApprovalReason
    quorum: ApprovalQuorum
    approvers: List[Approvers]
    """Each of these must name the one who decides. An entry without names: any key with `approvals:decide`, any admin or owner."""
    preventSelf: bool
    """The requester cannot approve."""
    decisions: List[ApprovalDecision]
    """Oldest first."""
    requestedBy: Actor
    agentId: Optional[str]
    runId: Optional[str]
    preview: Optional[ActionPreview]
    """Exactly what will be sent, credentials hidden; its target, impact and blocks. Null for a free-standing one."""
    allowances: List[PreviewAllowance]
    """What remains of the impact limits: now, while it is pending; as it was previewed, afterwards."""
    reminders: ApprovalReminders
    url: Optional[str]
    """Where a person reads this and decides, signed in. Null where the service has no `PUBLIC_URL`."""
    createdAt: str
    expiresAt: str
    decidedAt: Optional[str]
    consumedAt: Optional[str]


class ApprovalAction(TypedDict):
    id: str
    name: str


class ApprovalDecision(TypedDict):
    actor: Actor
    decision: Literal["approve", "deny"]
    note: Optional[str]
    bindingDigest: str
    authentication: ApprovalDecisionAuthentication
    """How the actor was known when it decided."""
    stands: bool
    """False once its key was revoked, its app disconnected, or its member, or the maker of its key, removed. An agreement that does not stand when the approval is consumed does not count."""
    at: str


class ApprovalDecisionAuthentication(TypedDict):
    """How the actor was known when it decided."""
    method: Literal["password", "passkey", "recovery_code", "api_key", "oauth", "chat"]
    """`passkey` and `recovery_code`: beside the password. `chat`: the account of a chat, linked to the actor."""
    at: str
    """When a person of a session was; for the others the time of the record."""
    keyName: Optional[str]
    sessionId: Optional[str]
    chat: Optional[ApprovalDecisionAuthenticationChat]
    """The chat user who is linked to the actor, where it decided in a chat."""
    app: Optional[ApprovalDecisionAuthenticationApp]
    """The app that the actor has let decide for them, where it did."""
    role: Optional[Literal["member", "admin", "owner"]]


class ApprovalDecisionAuthenticationApp(TypedDict):
    """The app that the actor has let decide for them, where it did."""
    clientId: str
    connectedAppId: str


class ApprovalDecisionAuthenticationChat(TypedDict):
    """The chat user who is linked to the actor, where it decided in a chat."""
    provider: Literal["slack", "discord"]
    integrationId: str
    userId: str
    userName: str


class ApprovalEventData(TypedDict):
    approvalId: str
    kind: Literal["invocation", "free_standing"]
    title: str
    status: Literal["pending", "approved", "denied", "expired"]
    invocationId: Optional[str]
    effectId: Optional[str]
    previewId: Optional[str]
    action: Optional[str]
    bindingDigest: str
    quorum: int
    requestedBy: ApprovalEventDataRequestedBy
    expiresAt: str
    decidedAt: Optional[str]


class ApprovalEventDataRequestedBy(TypedDict):
    type: str
    id: Optional[str]


class ApprovalPolicy(TypedDict):
    id: str
    name: str
    priority: int
    """That of the newest document."""
    enabled: bool
    version: int
    """Number of the newest version."""
    document: ApprovalPolicyDocument
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]
    """Set once it was deleted: it decides nothing, and its history stays."""


class ApprovalPolicyDocument(TypedDict):
    schema: Literal["approval-policy/v1"]
    name: str
    priority: int
    rules: List[ApprovalPolicyDocumentRulesItem]


class _ApprovalPolicyDocumentRulesItemRequired(TypedDict):
    id: str
    match: ApprovalPolicyDocumentRulesItemMatch
    effect: Literal["allow", "require_approval", "deny"]


class ApprovalPolicyDocumentRulesItem(_ApprovalPolicyDocumentRulesItemRequired, total=False):
    when: str
    approval: ApprovalPolicyDocumentRulesItemApproval


class ApprovalPolicyDocumentRulesItemApproval(TypedDict):
    quorum: int
    approvers: ApprovalPolicyDocumentRulesItemApprovalApprovers
    preventSelf: bool
    expiresIn: str
    onExpiry: Literal["deny"]


class ApprovalPolicyDocumentRulesItemApprovalApprovers(TypedDict, total=False):
    roles: List[Literal["member", "admin", "owner"]]
    users: List[str]
    keys: List[str]


class ApprovalPolicyDocumentRulesItemMatch(TypedDict, total=False):
    actions: List[str]
    adapters: List[str]
    agents: List[str]
    keys: List[str]
    tags: List[str]


class ApprovalPolicyFile(TypedDict):
    path: str
    """For messages; it decides nothing."""
    content: str
    """One policy document in YAML or JSON, at most 131072 bytes."""


class ApprovalPolicyPlan(TypedDict):
    planId: str
    baseRevision: int
    """The revision of the policies that the files were compared with."""
    digest: str
    """Names what the plan does; `apply` repeats it."""
    unchanged: bool
    """True where nothing would change."""
    changes: List[ApprovalPolicyPlanChangesItem]
    warnings: List[GovernanceWarning]
    """What may be a slip. Each path leads into the request."""
    expiresAt: str


class ApprovalPolicyPlanChangesItem(TypedDict):
    name: str
    action: Literal["create", "update", "delete", "none"]
    before: Optional[ApprovalPolicyDocument]
    after: Optional[ApprovalPolicyDocument]


class ApprovalPolicyTrace(TypedDict):
    policyId: Optional[str]
    """null in a test of files: they are no policies yet."""
    policyName: str
    version: Optional[int]
    ruleId: str
    outcome: Literal["matched", "not_matched", "condition_false", "error"]
    """`not_matched`: `match` did not hold; `condition_false`: `when` did not."""
    effect: Literal["allow", "require_approval", "deny"]
    """What the rule asks for."""
    detail: Optional[str]
    """Which part of `match` did not hold, or the error of the expression."""
    values: Dict[str, str]
    """What the expression saw, by path."""


class ApprovalPolicyVerdict(TypedDict):
    effect: Literal["allow", "require_approval", "deny"]
    source: Literal["policy", "action", "environment"]
    """What decided: a rule, the action's own `approval.required`, or the default of the environment."""
    policyId: Optional[str]
    version: Optional[int]
    """Number of the version of the policy."""
    ruleId: Optional[str]
    quorum: Optional[int]
    """How many must approve. Set, as the next three, where the effect is require_approval."""
    approvers: Optional[List[ApprovalPolicyVerdictApproversItem]]
    """One for each rule that requires an approval: all of them must name the one who decides. `{}` names any key with `approvals:decide`, any admin or owner."""
    preventSelf: Optional[bool]
    expiresInSeconds: Optional[int]
    reason: str
    refusal: Optional[ApprovalPolicyVerdictRefusal]
    """The code of the refusal, where the effect is deny."""
    revision: int
    """The revision of the policies that were evaluated."""
    trace: List[ApprovalPolicyTrace]
    """Every rule that was looked at, in order."""


class ApprovalPolicyVerdictApproversItem(TypedDict, total=False):
    roles: List[Literal["member", "admin", "owner"]]
    users: List[str]
    keys: List[str]


class ApprovalPolicyVerdictRefusal(TypedDict):
    """The code of the refusal, where the effect is deny."""
    code: str
    message: str


class ApprovalPolicyVersion(TypedDict):
    policyId: str
    version: int
    digest: str
    """SHA-256 over the RFC 8785 (JCS) bytes of the document."""
    document: ApprovalPolicyDocument
    createdBy: ApprovalPolicyVersionCreatedBy
    createdAt: str


class ApprovalPolicyVersionCreatedBy(TypedDict):
    type: str
    id: str


class ApprovalQuorum(TypedDict):
    """`received`: how many people agreed; until the approval ends, those alone whose agreement stands."""
    required: int
    received: int


class ApprovalReason(TypedDict):
    """Why it is asked for."""
    source: Literal["policy", "action", "environment", "caller"]
    id: Optional[str]
    version: Optional[int]
    ruleId: Optional[str]
    reason: str


class ApprovalReminders(TypedDict):
    sent: int
    lastAt: Optional[str]


class _ApprovalRequestRequired(TypedDict):
    title: str
    summary: str
    """What will happen, in one sentence for those who decide."""
    payload: Any
    """What is agreed to. Part of the binding digest."""


class ApprovalRequest(_ApprovalRequestRequired, total=False):
    expiresIn: str
    """ISO 8601 duration, PT1M to P30D. Default P1D."""
    quorum: int
    """How many different principals must approve."""


class _ApproveRequestRequired(TypedDict):
    bindingDigest: str
    """The approval's own, as it was shown: a decision is about exactly this. Another one is answered 409."""


class ApproveRequest(_ApproveRequestRequired, total=False):
    note: str


class Approvers(TypedDict, total=False):
    roles: List[Literal["member", "admin", "owner"]]
    users: List[str]
    keys: List[str]


class AssembleContext(TypedDict, total=False):
    sessionId: str
    """The session that the messages come from. Name it, or `memory`, or both."""
    query: str
    """The text that memory is searched for; needed with `memory`."""
    memory: AssembleContextMemory
    """Searches memory, which needs `memory:read` and is one memory operation."""
    maxTokens: int
    """The budget, in tokens of o200k_base. 4000 where it is left out."""
    format: Literal["openai", "anthropic", "text"]
    """`openai`: messages of Chat Completions. `anthropic`: `system` and messages of the Messages API. `text`: one text."""


class AssembleContextMemory(TypedDict, total=False):
    """Searches memory, which needs `memory:read` and is one memory operation."""
    collectionIds: List[str]
    userId: str
    limit: int


class Attachment(TypedDict):
    """A file that a request carries."""
    id: str
    filename: str
    contentType: str
    size: int
    """Bytes."""
    sha256: str
    """Hex. Other bytes are not sent."""


class Attempt(TypedDict):
    number: int
    kind: Literal["dispatch", "replay", "reconcile"]
    status: Literal["started", "completed", "abandoned"]
    observedOutcome: Optional[str]
    error: Optional[str]
    startedAt: str
    finishedAt: Optional[str]
    id: str
    claimedAt: Optional[str]
    """From this moment on something may have been sent."""
    refusal: Optional[RecordedRefusal]
    responseDigest: Optional[str]
    """SHA-256 over the response."""
    secretVersions: Optional[Dict[str, int]]
    """The versions that its secrets had when it was marked."""
    lateAnswer: Optional[AttemptLateAnswer]
    """What came after the attempt had been given up."""
    chain: List[ReceiptEntry]
    """Its entries in the chain of the effect."""


class AttemptLateAnswer(TypedDict):
    """What came after the attempt had been given up."""
    observedOutcome: str
    error: Optional[str]
    responseDigest: Optional[str]
    recordedAt: str


class AuditEntry(TypedDict):
    """Who changed what. Never changed or removed."""
    id: str
    sequence: int
    """Counts the workspace's entries."""
    actor: AuditEntryActor
    authentication: Optional[Authentication]
    """How the actor was authenticated. null: the service itself, or nobody was."""
    action: str
    target: AuditEntryTarget
    environmentId: Optional[str]
    """null: of the workspace as a whole."""
    details: Dict[str, Any]
    requestId: Optional[str]
    recordedAt: str
    previousHash: Optional[str]
    """The hash of the entry before; null for the first."""
    hash: str
    """SHA-256 over the entry and `previousHash`; the database computes it."""


class AuditEntryActor(TypedDict):
    type: Literal["api_key", "user", "system"]
    id: Optional[str]


class AuditEntryTarget(TypedDict):
    type: str
    id: str


class AuthConnectedAppsDeleteReply(TypedDict):
    deleted: Literal[True]


class _AuthInvitationsAcceptBodyRequired(TypedDict):
    token: str


class AuthInvitationsAcceptBody(_AuthInvitationsAcceptBodyRequired, total=False):
    password: str
    """The password that the e-mail address signs in with, or for a new user the one it shall have (12 characters)."""
    name: str
    """The name of a new user."""


class AuthInvitationsAcceptReply(TypedDict):
    user: User
    workspace: AuthInvitationsAcceptReplyWorkspace


class AuthInvitationsAcceptReplyWorkspace(TypedDict):
    id: str
    role: Literal["member", "admin", "owner"]


class AuthPasskeySignInCreateBody(TypedDict):
    credential: PublicKeyCredential


class AuthPasskeysCreateBody(TypedDict):
    name: str
    """Such as "Work phone"."""
    credential: PublicKeyCredential


class AuthPasskeysCreateReply(TypedDict):
    passkey: Passkey
    recoveryCodes: Optional[List[str]]
    """10 codes, shown this once. Each signs in once in place of a passkey."""


class AuthPasskeysDeleteReply(TypedDict):
    deleted: Literal[True]


class AuthPasskeysUpdateBody(TypedDict):
    name: str
    """Such as "Work phone"."""


class AuthPasswordChangeBody(TypedDict):
    currentPassword: str
    newPassword: str
    """At least 12 characters, whichever they are."""


class AuthRecoveryCodesCreateReply(TypedDict):
    recoveryCodes: List[str]
    """10 codes, shown this once. Each signs in once in place of a passkey."""


class AuthRecoveryCodesGetReply(TypedDict):
    unused: int


class AuthSessionCreateBody(TypedDict):
    email: str
    """Case makes no difference."""
    password: str


class AuthSessionDeleteReply(TypedDict):
    deleted: Literal[True]


class AuthSessionPasskeyBody(TypedDict):
    credential: PublicKeyCredential


class AuthSessionPasswordBody(TypedDict):
    password: str


class AuthSessionRecoveryCodeBody(TypedDict):
    code: str
    """Case, hyphens and spaces make no difference."""


class Authentication(TypedDict):
    method: Literal["password", "passkey", "recovery_code", "api_key", "oauth", "chat"]
    """`passkey` and `recovery_code`: beside the password. `chat`: the account of a chat, linked to the actor."""
    at: str
    """When a person of a session was; for the others the time of the record."""


class BatchResult4(TypedDict):
    error: BatchResult4Error


class _BatchResult4ErrorRequired(TypedDict):
    code: str
    message: str


class BatchResult4Error(_BatchResult4ErrorRequired, total=False):
    details: Dict[str, Any]


class BillingBudget(TypedDict):
    target: Optional[BillingMoney]
    thresholds: List[int]
    """Percent of the target, ascending."""
    spend: BillingMoney
    """What the month has come to so far, as the cost estimate says."""
    projectedSpend: Optional[BillingMoney]
    percentUsed: Optional[float]
    """One decimal, cut. Null without a target."""
    alerts: List[BillingBudgetAlertsItem]
    """Thresholds that were reached this month; each is told of once."""
    enforcement: Literal["alert_only"]
    """Nothing is refused because of it."""
    resetsAt: str


class BillingBudgetAlertsItem(TypedDict):
    threshold: int
    at: str


class BillingMoney(TypedDict):
    amount: int
    """In minor units of the currency."""
    currency: str


class BillingPeriod(TypedDict):
    start: str
    end: str
    """Excluded."""


class BillingPlan(TypedDict):
    id: Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]
    name: str
    """For people."""
    limits: PlanLimits
    betaAllowances: Optional[BillingPlanBetaAllowances]
    """What Early Beta Access includes; null for every other plan."""
    features: BillingPlanFeatures
    price: Optional[BillingMoney]
    """For a month. Null: no price is published."""
    status: Literal["active", "past_due", "cancelled"]
    since: str
    """When the workspace got this plan."""
    access: BillingPlanAccess
    pendingChange: Optional[BillingPlanPendingChange]
    """A change that a customer asked for and that is not in force yet."""


class BillingPlanAccess(TypedDict):
    usageResetsAt: str
    """When monthly allowances begin again: 00:00 UTC on the first of the next month."""
    paidPlansOpen: bool
    canUpgrade: bool
    """Whether `POST /api/v2/billing/upgrade` would be accepted from an admin."""


class BillingPlanBetaAllowances(TypedDict):
    """What Early Beta Access includes; null for every other plan."""
    environments: PlanCap
    executions: PlanCap
    messages: PlanCap
    egressBytes: PlanCap
    memoryOperations: PlanCap
    notificationEmails: PlanCap


class BillingPlanFeatures(TypedDict):
    auditLog: bool
    """Whether the audit log can be read."""


class BillingPlanPendingChange(TypedDict):
    """A change that a customer asked for and that is not in force yet."""
    plan: Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]
    effectiveAt: str


class _BillingPutBudgetBodyRequired(TypedDict):
    target: Optional[BillingPutBudgetBodyTarget]
    """In the currency of the price list; null for no target."""


class BillingPutBudgetBody(_BillingPutBudgetBodyRequired, total=False):
    thresholds: List[int]
    """Percent of the target. Left out: 50, 80 and 100."""


class BillingPutBudgetBodyTarget(TypedDict):
    """In the currency of the price list; null for no target."""
    amount: int
    currency: str


class BillingUpgradeBody(TypedDict):
    plan: Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]


class BillingUsageHistory(TypedDict):
    timezone: Literal["UTC"]
    days: List[BillingUsageHistoryDaysItem]
    months: List[BillingUsageHistoryMonthsItem]
    totals: BillingUsageHistoryTotals


class BillingUsageHistoryDaysItem(TypedDict):
    date: str
    complete: bool
    """Whether the day has ended."""
    executions: int
    """Invocations that were admitted on the day, without those that were given back."""
    messages: int
    """Messages that were accepted on the day, deliveries of events included."""
    egressBytes: int
    """Bytes of bodies that were sent and read on the day."""
    memoryOperations: int
    """Memories stored or superseded, searches, and ingests."""
    notificationEmails: int
    """Notification e-mails, one for each recipient."""


class BillingUsageHistoryMonthsItem(TypedDict):
    month: str
    """`YYYY-MM`, as far as the range reaches."""
    executions: int
    """Invocations that were admitted on the day, without those that were given back."""
    messages: int
    """Messages that were accepted on the day, deliveries of events included."""
    egressBytes: int
    """Bytes of bodies that were sent and read on the day."""
    memoryOperations: int
    """Memories stored or superseded, searches, and ingests."""
    notificationEmails: int
    """Notification e-mails, one for each recipient."""


class BillingUsageHistoryTotals(TypedDict):
    executions: int
    """Invocations that were admitted on the day, without those that were given back."""
    messages: int
    """Messages that were accepted on the day, deliveries of events included."""
    egressBytes: int
    """Bytes of bodies that were sent and read on the day."""
    memoryOperations: int
    """Memories stored or superseded, searches, and ingests."""
    notificationEmails: int
    """Notification e-mails, one for each recipient."""


class BodyPart1(TypedDict):
    text: str


class BodyPart2(TypedDict):
    file: Attachment
    encoding: Literal["raw", "base64"]


class Budget(TypedDict):
    apiKeyId: str
    month: str
    """The UTC month that `used` and `reserved` are of."""
    caps: BudgetCaps
    used: BudgetSums
    reserved: BudgetSums
    """For invocations that are under way, or whose outcome is unknown."""
    unit: Literal["microcents"]
    """A millionth of a cent."""
    reconciliationRequired: bool
    """The key is paused (503 BUDGET_RECONCILIATION_REQUIRED): put the budget with `usedBefore`."""
    resetsAt: str
    createdAt: str
    updatedAt: str


class BudgetCaps(TypedDict, total=False):
    """What is left out has no cap of its own."""
    total: int
    messages: int
    events: int
    cacheLookups: int
    memoryOperations: int
    invocations: int


class BudgetSums(TypedDict):
    total: int
    messages: int
    events: int
    cacheLookups: int
    memoryOperations: int
    invocations: int


class BudgetsDeleteReply(TypedDict):
    deleted: Literal[True]


class _BudgetsPutBodyRequired(TypedDict):
    caps: BudgetCaps
    """In microcents a UTC month. Replaces all earlier caps."""


class BudgetsPutBody(_BudgetsPutBodyRequired, total=False):
    usedBefore: BudgetsPutBodyUsedBefore
    """What the key had used this month before its use was counted; for `reconciliationRequired` only."""


class BudgetsPutBodyUsedBefore(TypedDict, total=False):
    """What the key had used this month before its use was counted; for `reconciliationRequired` only."""
    messages: int
    events: int
    cacheLookups: int
    memoryOperations: int
    invocations: int


class CacheDeleteReply(TypedDict):
    deleted: Literal[True]


class CacheEntry(TypedDict):
    id: str
    prompt: str
    response: Any
    model: Optional[str]
    namespace: str
    attributes: Dict[str, Any]
    hits: int
    createdAt: str
    expiresAt: str
    lastHitAt: Optional[str]


class CacheFlushBody(TypedDict, total=False):
    namespace: str
    attributes: Dict[str, Union[str, float, bool]]
    """Entries that have these, and perhaps others."""


class CacheFlushReply(TypedDict):
    flushed: int


class _CacheLookupRequired(TypedDict):
    prompt: str


class CacheLookup(_CacheLookupRequired, total=False):
    model: str
    """The model that answers."""
    system: str
    """The system prompt."""
    tools: List[Any]
    """The tools that the model was given."""
    attributes: Dict[str, Union[str, float, bool]]
    """What else the answer depends on, such as the user, the locale or a temperature."""
    namespace: str
    """`default` where it is left out."""
    near: bool
    """Answer near prompts too: those that differ in harmless words alone. Left out: only the same prompt."""
    threshold: float
    """How alike a near prompt must be, with `near`: 0.85 by default."""
    shadow: bool
    """Says what it would answer. It is no hit, and is counted as none."""


class CacheLookupResult(TypedDict):
    hit: bool
    wouldHit: bool
    """What `hit` would be without `shadow`."""
    entry: Optional[CacheEntry]
    """What is answered, or with `shadow` would be."""
    similarity: Optional[float]
    """To the nearest prompt; 1 for the same one. Null where there is none."""
    reason: Literal["exact", "near", "not_exact", "gated", "below_threshold", "empty"]
    """`not_exact`: no entry has the same prompt, and near ones were not asked for."""
    gate: List[Literal["numbers", "quoted", "names", "words", "order"]]
    """What differs from the nearest prompt that is alike enough."""


class CacheStats(TypedDict):
    entries: int
    bytes: int
    """Prompts and responses together."""
    hits: int
    misses: int
    hitRate: float
    gated: int
    """Misses that were near enough, and that the gate kept back."""
    tokensSaved: int
    """An estimate: a quarter of the characters of the answers that were hit."""


class _CacheStoreRequired(TypedDict):
    prompt: str
    response: Any
    """What the model answered: a text, or any JSON, to 256 KiB."""


class CacheStore(_CacheStoreRequired, total=False):
    model: str
    """The model that answers."""
    system: str
    """The system prompt."""
    tools: List[Any]
    """The tools that the model was given."""
    attributes: Dict[str, Union[str, float, bool]]
    """What else the answer depends on, such as the user, the locale or a temperature."""
    namespace: str
    """`default` where it is left out."""
    ttlSeconds: int
    """How long it may be answered: 86400 by default, 30 days at most."""


class ChatLink(TypedDict):
    integrationId: str
    chatUser: ChatLinkChatUser
    """Who you are in this chat: the clicks of this user are yours from now on."""
    linkedAt: str


class ChatLinkChatUser(TypedDict):
    """Who you are in this chat: the clicks of this user are yours from now on."""
    id: str
    name: str


class ChatLinkRequest(TypedDict):
    code: str
    """As the chat showed it to you, and to nobody else."""


class ChatUnlinked(TypedDict):
    unlinked: List[str]
    """The chat users that you were."""


class ConnectedApp(TypedDict):
    """An app that the user lets act for them in one environment."""
    id: str
    clientId: str
    """As the app named itself, or as it was named when it registered."""
    name: str
    """What the app says of itself."""
    resource: Literal["mcp", "api"]
    """Whether its tokens are for the MCP endpoint or for the REST API."""
    workspace: ConnectedAppWorkspace
    environment: ConnectedAppEnvironment
    scopes: List[Scope]
    """What the user allowed, sorted."""
    createdAt: str
    lastUsedAt: Optional[str]
    """To the minute."""
    expiresAt: str
    """The user decides anew after that."""


class ConnectedAppEnvironment(TypedDict):
    id: str
    name: str
    kind: Literal["development", "staging", "production"]


class ConnectedAppWorkspace(TypedDict):
    id: str
    name: str


class _ConsoleInvalidationRequired(TypedDict):
    topic: Literal["everything", "actions", "api-keys", "approvals", "approval-policies", "billing", "budgets", "cache", "dlq", "effects", "environments", "events", "files", "flow-control", "impact-limits", "integrations", "invocations", "members", "memory", "messages", "notifications", "runs", "schedules", "secrets", "sessions", "signing-keys", "url-groups"]
    """What changed. `everything`: the service may have missed changes; read all again."""
    environmentId: Optional[str]
    """Null for what belongs to the workspace as a whole."""


class ConsoleInvalidation(_ConsoleInvalidationRequired, total=False):
    id: str
    """The record. Without it any record of the topic may have changed."""


class Context1(TypedDict):
    format: Literal["openai"]
    messages: List[Dict[str, Any]]
    tokens: int
    """Those of the whole: the text, or the messages (and `system`) as JSON. Never more than `maxTokens`."""
    included: ContextParts
    dropped: ContextDropped


class Context2(TypedDict):
    format: Literal["anthropic"]
    system: str
    messages: List[Dict[str, Any]]
    tokens: int
    """Those of the whole: the text, or the messages (and `system`) as JSON. Never more than `maxTokens`."""
    included: ContextParts
    dropped: ContextDropped


class Context3(TypedDict):
    format: Literal["text"]
    text: str
    tokens: int
    """Those of the whole: the text, or the messages (and `system`) as JSON. Never more than `maxTokens`."""
    included: ContextParts
    dropped: ContextDropped


class ContextDropped(TypedDict):
    """What was left out."""
    messages: int
    """Messages of the session that are not in it: older ones, and calls without all of their results."""
    memories: int
    """Memories that were found and did not fit."""


class ContextPartsItem(TypedDict):
    source: Literal["session", "memory"]
    id: str
    """Id of the message or of the memory."""
    tokens: int
    """Its own, without the frame of the format."""
    score: Optional[float]
    """How well a memory fits the query; null for a message."""


class CostEstimate(TypedDict):
    period: BillingPeriod
    asOf: str
    currency: str
    lines: List[EstimateLine]
    monthToDate: CostEstimateMonthToDate
    projected: Optional[CostEstimateProjected]
    """The month if it goes on as it did. Null in its first 24 hours."""
    priceListVersion: str
    isEstimate: Literal[True]
    excludes: List[Literal["tax", "provider_bills", "credits"]]
    """What the figures leave out."""
    reason: Optional[Literal["plan_has_no_charges"]]
    """Why there are no lines."""


class CostEstimateMonthToDate(TypedDict):
    subtotal: int
    """The sum of the lines, in minor units."""


class CostEstimateProjected(TypedDict):
    """The month if it goes on as it did. Null in its first 24 hours."""
    subtotal: int
    method: Literal["linear_by_elapsed_seconds"]
    confidence: Literal["low", "normal"]
    """`low` in the first seven days."""
    elapsedShare: float


class _CreateActionRequired(TypedDict):
    adapter: ActionAdapter
    """What makes the call, and how. A PATCH replaces it whole."""
    name: str
    """Unique among the live actions of the environment."""


class CreateAction(_CreateActionRequired, total=False):
    description: Optional[str]
    inputSchema: Dict[str, Any]
    """JSON Schema 2020-12 of the input; it must describe an object."""
    outputSchema: Optional[Dict[str, Any]]
    """JSON Schema 2020-12 of the `result` of an invocation: `{status, headers, body}`."""
    governed: bool
    """An action with impact or verify is governed whatever stands here, and may not say false."""
    impact: List[ImpactDeclarationInput]
    """What one invocation uses up. An empty list is none."""
    verify: Optional[VerifyDeclarationInput]
    """How the outcome is read back from the provider."""
    approval: CreateActionApproval
    """Whether a person must approve. A member that a PATCH leaves out stays as it is."""
    timeoutMs: int
    """Milliseconds that the call may take; 30000 where none is named."""
    mcp: CreateActionMcp
    """pinned: a tool of its own for MCP clients, under its own name. False where it is left out."""
    changeNote: Optional[str]
    """Kept with the version that this makes."""


class CreateActionApproval(TypedDict, total=False):
    """Whether a person must approve. A member that a PATCH leaves out stays as it is."""
    required: bool
    tag: Optional[str]


class CreateActionMcp(TypedDict, total=False):
    """pinned: a tool of its own for MCP clients, under its own name. False where it is left out."""
    pinned: bool


class CreateApprovalPolicy(TypedDict):
    document: Union[str, Dict[str, Any]]
    """A policy document `{ schema: "approval-policy/v1", name, priority, rules }`, as an object or as a string of YAML. What it leaves out is filled in with its default."""


class _CreateEnvironmentRequestRequired(TypedDict):
    name: str
    """Unique in the workspace."""
    kind: Literal["development", "staging", "production"]
    """Fixed for good."""


class CreateEnvironmentRequest(_CreateEnvironmentRequestRequired, total=False):
    protected: bool
    """Left out: true for production, false elsewhere."""
    approvalDefault: Optional[Literal["allow", "require_approval"]]
    """What decides where neither a policy nor the action does. null: by the kind, which is require_approval for governed actions in production and allow elsewhere."""


class CreateRun(TypedDict, total=False):
    name: Optional[str]
    agentId: Optional[str]
    agentVersion: Optional[str]
    userId: Optional[str]
    application: Optional[str]
    input: Any
    """What the agent was asked."""
    tags: Optional[List[str]]
    metadata: Optional[Dict[str, Any]]


class _CreateScheduleRequestRequired(TypedDict):
    cron: str
    """Minute, hour, day of the month, month, day of the week; or with the second as a sixth field in front."""
    destination: ScheduleDestination


class CreateScheduleRequest(_CreateScheduleRequestRequired, total=False):
    name: Optional[str]
    """For people; need not be unique."""
    timezone: str
    """An IANA name. UTC where it is left out."""
    overlap: Literal["skip", "buffer_one", "allow_all"]
    """What a slot does while a message of an earlier run has not ended. `skip`: nothing. `buffer_one`: one run waits for it. `allow_all`: publishes. `skip` where it is left out."""
    catchUpSeconds: int
    """How late a slot is still fired after an outage of the scheduler. 60 where it is left out."""
    paused: bool
    """True: it fires nothing until it is resumed."""


class CreatedApiKey(TypedDict):
    id: str
    name: str
    keyPrefix: str
    """The first 18 characters."""
    isActive: bool
    """Neither deleted nor expired."""
    createdAt: str
    expiresAt: Optional[str]
    lastUsedAt: Optional[str]
    """To the minute."""
    createdBy: Optional[str]
    """The member who made it; both count as one person. Null: the operator, at the command line."""
    key: str
    """Shown this once: only its hash is kept."""


class CurrentUsage(TypedDict):
    period: BillingPeriod
    asOf: str
    items: List[UsageItem]


class DeadLetter(TypedDict):
    messageId: str
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    headers: Optional[Dict[str, str]]
    """Authorization, cookie and API key values are `[REDACTED]`."""
    body: Any
    scheduledFor: Optional[str]
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]
    attempts: Optional[int]
    maxRetries: Optional[int]
    responseStatus: Optional[int]
    responseBody: Optional[str]
    """At most 8 KiB of it, credentials that were sent removed."""
    errorMessage: Optional[str]
    """Why the newest attempt failed."""
    deliveredAt: Optional[str]
    failedAt: Optional[str]
    callbackUrl: Optional[str]
    failureCallbackUrl: Optional[str]
    flowControlKey: Optional[str]
    retryOf: Optional[str]
    """The failed message that this one is a retry of, from the DLQ."""
    label: Optional[str]
    """As it was published."""
    scheduleId: Optional[str]
    """The schedule that published it."""
    urlGroupId: Optional[str]
    """The URL group that it was published to."""
    nextAttemptAt: Optional[str]
    """When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended."""
    contentExpired: bool
    """True: headers, body and attempts had their time after the end and are gone. The record is kept longer."""
    createdAt: str
    updatedAt: str
    dlqReason: Literal["retries_exhausted", "gone", "not_retryable", "destination_blocked"]
    """Why nothing more was tried."""
    lastAttemptAt: Optional[str]
    responseHeaders: Optional[Dict[str, str]]
    """Those of the last response."""


class DeadLetterFilter(TypedDict, total=False):
    """Every member must hold. None: all."""
    url: str
    """The destination, exactly as it was published."""
    urlGroup: str
    """The id of a URL group, or the name of one."""
    scheduleId: str
    label: str
    """Exactly as it was published."""
    reason: Literal["retries_exhausted", "gone", "not_retryable", "destination_blocked"]
    startDate: str
    """Failed after."""
    endDate: str
    """Failed before."""
    responseStatus: int


class DeadLetterJob(TypedDict):
    id: str
    kind: Literal["retry", "clear"]
    filter: DeadLetterFilter
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    """`paused`: it goes on by itself once the environment is resumed. `failed`: see `reason`; what is left stays."""
    reason: Optional[DeadLetterJobReason]
    total: Optional[int]
    """The records that it found when it began; null until they are counted."""
    done: int
    """Retried, or cleared."""
    failed: int
    """Records that could not be retried. They stay."""
    cursor: Optional[str]
    """The last record of the last page."""
    createdAt: str
    updatedAt: str
    endedAt: Optional[str]


class DeadLetterJobReason(TypedDict):
    code: str
    message: str


class DeadLetterStats(TypedDict):
    total: int
    oldestAt: Optional[str]
    newestAt: Optional[str]
    examined: int
    """How many of the newest records the groups below are made of."""
    byReason: List[DeadLetterStatsByReasonItem]
    byResponseStatus: List[DeadLetterStatsByResponseStatusItem]
    topUrls: List[DeadLetterStatsTopUrlsItem]
    """The ten destinations with the most."""


class DeadLetterStatsByReasonItem(TypedDict):
    reason: Literal["retries_exhausted", "gone", "not_retryable", "destination_blocked"]
    count: int


class DeadLetterStatsByResponseStatusItem(TypedDict):
    responseStatus: Optional[int]
    """Null: no response."""
    count: int


class DeadLetterStatsTopUrlsItem(TypedDict):
    url: str
    count: int


class DeadLettersDeleteReply(TypedDict):
    deleted: Literal[True]


class DenyRequest(TypedDict):
    note: str
    """Why. Kept for good."""


class _DiscordConnectionRequired(TypedDict):
    webhookUrl: str
    """https://discord.com/api/webhooks/{id}/{token}. Sealed; never shown."""


class DiscordConnection(_DiscordConnectionRequired, total=False):
    name: str
    """By default the webhook's own."""
    publicKey: str
    """That of the Discord application that owns the webhook: with it, messages have buttons that decide."""


class DryRun(TypedDict):
    dryRun: Literal[True]
    action: DryRunAction
    versionId: str
    governed: bool
    request: PreparedRequest
    """What would be sent; credentials stand as `{{secret:NAME}}`. Ids of the invocation and the effect in it are examples."""
    target: Dict[str, Any]
    next: Literal["send", "ask_for_approval", "refuse", "read_provider"]
    """What the service would do now. `read_provider`: only a read of the provider says what the invocation uses, and a preview makes it."""
    refusal: Optional[DryRunRefusal]
    impact: Optional[List[ImpactQuantity]]
    """Null where only the provider knows it, or it has no bound."""
    decision: Optional[DryRunDecision]
    """What the approval policies decide. Null where it was refused before, or the impact is not known."""
    allowances: List[PreviewAllowance]
    """Those of the impact limits that apply. Nothing is reserved."""


class DryRunAction(TypedDict):
    id: str
    name: str


class DryRunDecision(TypedDict):
    """What the approval policies decide. Null where it was refused before, or the impact is not known."""
    effect: Literal["allow", "require_approval", "deny"]
    source: Literal["policy", "action", "environment"]
    """What decided: a rule, the action's own `approval.required`, or the default of the environment."""
    quorum: Optional[int]
    """How many must approve. Set, as the next three, where the effect is require_approval."""


class DryRunRefusal(TypedDict):
    code: str
    message: str


class EffectDetail(TypedDict):
    id: str
    invocationId: str
    operationKey: str
    environmentId: str
    action: EffectDetailAction
    adapter: EffectDetailAdapter
    stage: Literal["awaiting_approval", "ready", "dispatching", "reconciling", "settled", "rejected"]
    outcome: Literal["not_dispatched", "pending", "succeeded", "failed", "unknown"]
    partialEffect: Literal["none", "possible", "confirmed"]
    """A failure is not proof of zero impact."""
    grade: Literal["confirmed", "acknowledged", "unknown", "failed", "refused", "denied", "pending"]
    """Derived by the database. Treat a grade you do not know as `unknown`."""
    verification: Literal["provider", "manual", "unverified", "not_dispatched"]
    providerReference: Optional[str]
    target: Dict[str, Any]
    impact: List[ImpactQuantity]
    previewId: Optional[str]
    approvalId: Optional[str]
    bindingDigest: Optional[str]
    dependsOn: List[EffectDetailDependsOnItem]
    compensates: Optional[str]
    rejectionReason: Optional[str]
    unresolvedExposure: bool
    reconciliation: EffectDetailReconciliation
    createdAt: str
    updatedAt: str
    firstDispatchedAt: Optional[str]
    outcomeAt: Optional[str]
    request: Dict[str, Any]
    """The exact request; credentials stand as `{{secret:NAME}}`."""
    capabilities: Dict[str, Any]
    attempts: List[Attempt]
    evidence: List[Evidence]
    reservations: List[Reservation]
    preview: Optional[ActionPreview]
    """What was agreed to, where it is bound to a preview."""
    resolution: Optional[Dict[str, Any]]
    """What a person recorded of an outcome that nobody saw. Permanent."""


class EffectDetailAction(TypedDict):
    name: str
    versionId: str


class EffectDetailAdapter(TypedDict):
    type: str
    version: str


class EffectDetailDependsOnItem(TypedDict):
    effectId: str
    outcome: str


class EffectDetailReconciliation(TypedDict):
    attempts: int
    nextAt: Optional[str]
    exhausted: bool


class EffectEventData(TypedDict):
    effectId: str
    invocationId: str
    action: str
    outcome: Literal["pending", "succeeded", "failed", "unknown"]
    outcomeSource: Optional[str]
    grade: str
    verification: str
    partialEffect: Literal["none", "possible", "confirmed"]
    providerReference: Optional[str]


class EffectsAddNoteBody(TypedDict):
    note: str


class Environment(TypedDict):
    id: str
    name: str
    kind: Literal["development", "staging", "production"]
    protected: bool
    requireSecondFactor: bool
    """Decisions, resolutions, replays, halts and new API keys of this environment take a passkey of the person, and nobody decides through a chat or an app."""
    approvalDefault: Optional[Literal["allow", "require_approval"]]
    """null: by the kind."""
    haltedAt: Optional[str]
    """null while it runs."""
    haltedReason: Optional[str]
    createdAt: str


class EnvironmentUsageItem(TypedDict):
    meter: Literal["executions", "messages", "egress", "memory_processing", "notification_emails"]
    """`executions`: admitted invocations, without those given back. `messages`: accepted messages and deliveries of events. `egress`: bytes of bodies sent and read. `memory_processing`: memories stored, searches, ingests. `notification_emails`: one for each recipient."""
    unit: Literal["execution", "message", "byte", "operation", "email"]
    """What `used` counts."""
    used: int
    """In this environment since the beginning of the UTC month, counted up to this reply."""
    workspace: EnvironmentUsageItemWorkspace


class EnvironmentUsageItemWorkspace(TypedDict):
    used: int
    """The same in all environments of the workspace: the allowance is one for all."""
    limit: PlanCap
    """What the plan includes in a month. Work beyond it is refused (`QUOTA_EXCEEDED`)."""


class ErrorAnalytics(TypedDict):
    fingerprint: str
    """The same for the same area, code and text, in every range and environment."""
    area: Literal["invocation", "dispatch", "delivery", "schedule", "run", "integration", "subscription"]
    """`invocation`: refused before it was sent. `dispatch`: sent, and failed or of unknown outcome. `delivery`: a failed attempt of a message. `subscription`: the same of an event. `schedule`: a slot whose publishing was refused. `run`: a run of an agent that failed. `integration`: a chat that refused a question."""
    code: str
    """A refusal code, a status that was answered, or a word such as `timeout`."""
    sampleMessage: str
    """Without credentials, addresses and the queries of URLs; what differs from one to the next is `#`."""
    count: int
    """How often it happened in the range."""
    firstSeenAt: str
    """The first time in the range."""
    lastSeenAt: str
    """The last time in the range."""
    affected: List[ErrorAnalyticsAffectedItem]
    """What the samples are about, as far as they are kept. It is not everything that is affected."""
    sampleIds: List[str]
    """Newest records: invocations, messages, schedules, runs, or approvals that a chat was asked about."""
    trend: List[int]
    """24 equal parts of the range, the oldest first; they sum to `count`. Counts are by quarters of an hour, or by UTC days beyond 31 of them."""


class ErrorAnalyticsAffectedItem(TypedDict):
    type: Literal["action", "destination", "subscription", "schedule", "agent", "integration"]
    id: str
    """The id; a destination has its origin and path."""
    name: Optional[str]


class EstimateLine(TypedDict):
    id: str
    """Names the line in this estimate alone: `line_1`, `line_2`, …"""
    type: Literal["plan", "usage", "proration", "correction", "credit", "tax"]
    meter: Optional[Literal["executions", "messages", "egress", "memory_processing", "notification_emails"]]
    """Null for a line that meters nothing."""
    description: str
    period: BillingPeriod
    """For executions: the month of their admission."""
    meteredQuantity: Optional[int]
    includedQuantity: Optional[PlanCap]
    billableQuantity: Optional[int]
    """`max(0, metered - included)`; negative where a correction takes back."""
    unitPrice: Optional[UnitPrice]
    amount: int
    """Minor units of the currency, rounded once, half up."""
    proration: Optional[EstimateLineProration]
    corrects: Optional[EstimateLineCorrects]


class EstimateLineCorrects(TypedDict):
    invoiceId: str
    lineId: str


class EstimateLineProration(TypedDict):
    fromPlan: Optional[Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]]
    """Null when the workspace was made in this month."""
    toPlan: Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]
    seconds: int
    """From the change to the end of the month."""
    ofSeconds: int
    """The whole month."""


class _EvaluateApprovalPoliciesRequired(TypedDict):
    action: str
    """Id or name of the action. An archived action is found by its id alone."""
    input: Dict[str, Any]
    """Checked against the action's inputSchema, as an invocation's is."""


class EvaluateApprovalPolicies(_EvaluateApprovalPoliciesRequired, total=False):
    agentId: str
    keyId: str
    """The key of this environment that would ask. Left out: whoever asks now."""


class EventDelivery(TypedDict):
    messageId: str
    """The message that delivers it: `GET /messages/{messageId}/attempts` shows the responses."""
    subscriptionId: str
    url: str
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]
    attempts: List[EventDeliveryAttempt]
    """The first one first."""
    maxRetries: int
    nextAttemptAt: Optional[str]
    """Null once it has ended."""
    deliveredAt: Optional[str]
    failedAt: Optional[str]


class EventDeliveryAttempt(TypedDict):
    number: int
    status: Literal["started", "completed", "abandoned"]
    startedAt: str
    finishedAt: Optional[str]
    latencyMs: Optional[int]
    responseStatus: Optional[int]
    errorMessage: Optional[str]


class EventSubscription(TypedDict):
    id: str
    topicId: str
    url: str
    eventTypes: List[str]
    enabled: bool
    hasCustomSecret: bool
    """False: its deliveries are signed with the keys of the workspace."""
    headers: Optional[EventHeaders]
    disabledAt: Optional[str]
    """When the service disabled it, because it kept failing."""
    createdAt: str
    updatedAt: str


class _EventSubscriptionCreatedRequired(TypedDict):
    id: str
    topicId: str
    url: str
    eventTypes: List[str]
    enabled: bool
    hasCustomSecret: bool
    """False: its deliveries are signed with the keys of the workspace."""
    headers: Optional[EventHeaders]
    disabledAt: Optional[str]
    """When the service disabled it, because it kept failing."""
    createdAt: str
    updatedAt: str


class EventSubscriptionCreated(_EventSubscriptionCreatedRequired, total=False):
    secret: str
    """The signing secret, where `generateSecret` is true. It is shown here, once."""


class EventTopic(TypedDict):
    id: str
    name: str
    description: Optional[str]
    createdAt: str
    updatedAt: str


class EventWithDeliveries(TypedDict):
    eventId: str
    """The service's id for it."""
    id: str
    """What its deliveries carry as `id`: the id that its publisher gave it, or the same as `eventId`."""
    topicId: str
    topic: str
    type: str
    data: Any
    occurredAt: str
    status: Literal["fanning_out", "fanned_out", "failed"]
    """`failed`: some of its messages could not be made, for the reason in `error`."""
    deliveryCount: int
    """Messages that were made for it, one for each subscription that it matched."""
    error: Optional[EventWithDeliveriesError]
    publishedBy: EventWithDeliveriesPublishedBy
    createdAt: str
    fannedOutAt: Optional[str]
    deliveries: List[EventDelivery]
    """The page that `page` and `limit` ask for."""
    deliveryPagination: OffsetPagination
    deliveryStatuses: EventWithDeliveriesDeliveryStatuses
    """How many of its deliveries have each status."""


class EventWithDeliveriesDeliveryStatuses(TypedDict):
    """How many of its deliveries have each status."""
    pending: int
    scheduled: int
    processing: int
    delivered: int
    failed: int
    cancelled: int


class EventWithDeliveriesError(TypedDict):
    code: str
    message: str


class EventWithDeliveriesPublishedBy(TypedDict):
    type: str
    id: Optional[str]


class _EventsSubscriptionsCreateBodyRequired(TypedDict):
    url: str
    """Where events are delivered to: http or https."""


class EventsSubscriptionsCreateBody(_EventsSubscriptionsCreateBodyRequired, total=False):
    eventTypes: List[EventTypePattern]
    enabled: bool
    """False: it gets no events until it is enabled. Events of that time are not delivered later."""
    generateSecret: bool
    """Makes a signing secret for this subscription alone, in place of the keys of the workspace."""
    headers: Optional[EventHeaders]


class EventsSubscriptionsDeleteReply(TypedDict):
    deleted: Literal[True]


class EventsSubscriptionsRotateSecretBody(TypedDict, total=False):
    gracePeriodSeconds: int
    """How long what signed before still signs. 0: from now on it does not."""


class EventsSubscriptionsUpdateBody(TypedDict, total=False):
    url: str
    """Deliveries that are under way still go to the earlier one."""
    eventTypes: List[EventTypePattern]
    enabled: bool
    headers: Optional[EventHeaders]
    """All of them. `[REDACTED]` keeps a sealed value. Null: none."""


class _EventsTopicsCreateBodyRequired(TypedDict):
    name: str
    """Unique in its environment. Letters, digits, `_`, `.` and `-`."""


class EventsTopicsCreateBody(_EventsTopicsCreateBodyRequired, total=False):
    description: Optional[str]


class EventsTopicsDeleteReply(TypedDict):
    deleted: Literal[True]


class EventsTopicsUpdateBody(TypedDict, total=False):
    name: str
    """Unique in its environment. Letters, digits, `_`, `.` and `-`."""
    description: Optional[str]


class Evidence(TypedDict):
    id: str
    source: Literal["preview", "provider_response", "provider_lookup", "system", "operator_note", "manual_resolution"]
    observedAt: str
    impliedOutcome: Optional[str]
    providerIds: Dict[str, str]
    summary: str
    details: Dict[str, Any]
    actor: Actor
    recordedAt: str
    chain: List[ReceiptEntry]
    """Its entries in the chain of the effect."""


class _ExpectationRequired(TypedDict):
    path: str
    op: Literal["eq", "in", "exists"]


class Expectation(_ExpectationRequired, total=False):
    value: Any


class _ExpectationInputRequired(TypedDict):
    path: str
    op: Literal["eq", "in", "exists"]


class ExpectationInput(_ExpectationInputRequired, total=False):
    """One expectation over {status, headers, body}"""
    value: Any


class File(TypedDict):
    id: str
    filename: str
    contentType: str
    size: int
    """Bytes. While it is pending: what was promised."""
    sha256: Optional[str]
    """Hex. While it is pending: what was promised, if anything."""
    status: Literal["pending", "ready"]
    """`pending`: presigned, and not confirmed yet."""
    purpose: Optional[str]
    metadata: Dict[str, Any]
    createdAt: str
    confirmedAt: Optional[str]
    """When its bytes were found to be what was promised."""
    expiresAt: Optional[str]
    """While it is pending: when it is removed. Null: it is kept."""


class _FilePresignRequired(TypedDict):
    filename: str
    """Kept as it is, for the download. It is never part of a path, and holds none."""
    size: int
    """Bytes, exactly. To 100 MiB; to 5 GiB where the store is S3."""


class FilePresign(_FilePresignRequired, total=False):
    contentType: str
    """`application/octet-stream` where nobody says."""
    sha256: str
    """Hex. Where it is named, `confirm` refuses other bytes."""
    purpose: str
    """A word of your own to list by, such as `invoice`."""
    metadata: Dict[str, Any]
    """Yours; not read by the service. At most 16 KiB of JSON."""


class FilesContentReply(TypedDict):
    received: int
    """Bytes."""


class FilesDeleteReply(TypedDict):
    deleted: Literal[True]


class _FixtureActionRequired(TypedDict):
    name: str


class FixtureAction(_FixtureActionRequired, total=False):
    adapter: str
    """Type of its adapter; http.request where none is named."""
    governed: bool
    """Left out: false."""
    tag: str
    approvalRequired: bool
    """Left out: false."""


class _FixtureExpectationRequired(TypedDict):
    effect: Literal["allow", "require_approval", "deny"]


class FixtureExpectation(_FixtureExpectationRequired, total=False):
    policy: str
    """Name of the policy that must decide."""
    ruleId: Optional[str]
    """null: no rule may decide."""
    quorum: int


class _FixtureRequestRequired(TypedDict):
    action: Union[str, FixtureAction]
    """The id or name of an action of this environment, or what the policies would see of one."""
    input: Dict[str, Any]


class FixtureRequest(_FixtureRequestRequired, total=False):
    impact: List[ImpactQuantity]
    """Left out: what the action's declaration makes of the input."""
    agentId: str
    keyId: str
    """Id of the key that asks; it need not exist."""
    keyName: str
    runId: str
    environment: FixtureRequestEnvironment
    """In place of this environment’s own."""
    now: str
    """Left out: the present."""


class FixtureRequestEnvironment(TypedDict, total=False):
    """In place of this environment’s own."""
    name: str
    kind: Literal["development", "staging", "production"]
    approvalDefault: Optional[Literal["allow", "require_approval"]]


class _FlowControlRequired(TypedDict):
    key: str
    """Any name. Messages of one key in one environment share its limits."""


class FlowControl(_FlowControlRequired, total=False):
    rate: int
    """How many calls one window dispatches, retries included."""
    periodSeconds: int
    """The length of a window. It goes with `rate`; 1 where it is left out."""
    parallelism: int
    """How many calls may be without their response at once. At most 1000, also where it is left out."""


class FlowControlKey(TypedDict):
    id: str
    key: str
    rate: Optional[int]
    """Calls of one window; null: no limit."""
    periodSeconds: Optional[int]
    parallelism: Optional[int]
    """Calls in flight at once; null: 1000."""
    pinned: FlowControlKeyPinned
    """What messages do not change. `rate` stands for the period too."""
    paused: bool
    heldUntil: Optional[str]
    """A destination answered 429 or 503 with Retry-After: nothing is sent until then."""
    waiting: int
    """Messages that wait for their turn or their time. A list counts to 1000."""
    inFlight: int
    """Messages that have their turn: their calls are under way, or about to be."""
    windowCount: int
    """Calls dispatched in the present window."""
    windowStartedAt: Optional[str]
    """Null: no window is open."""
    createdAt: str
    updatedAt: str


class FlowControlKeyPinned(TypedDict):
    """What messages do not change. `rate` stands for the period too."""
    rate: bool
    parallelism: bool


class FlowControlLimits(TypedDict, total=False):
    rate: Optional[int]
    """Null: no limit by rate."""
    periodSeconds: int
    """It goes with `rate`."""
    parallelism: Optional[int]
    """Null: 1000."""


class FlowControlStatus(TypedDict):
    id: str
    key: str
    rate: Optional[int]
    """Calls of one window; null: no limit."""
    periodSeconds: Optional[int]
    parallelism: Optional[int]
    """Calls in flight at once; null: 1000."""
    pinned: FlowControlStatusPinned
    """What messages do not change. `rate` stands for the period too."""
    paused: bool
    heldUntil: Optional[str]
    """A destination answered 429 or 503 with Retry-After: nothing is sent until then."""
    waiting: int
    """Messages that wait for their turn or their time. A list counts to 1000."""
    inFlight: int
    """Messages that have their turn: their calls are under way, or about to be."""
    windowCount: int
    """Calls dispatched in the present window."""
    windowStartedAt: Optional[str]
    """Null: no window is open."""
    createdAt: str
    updatedAt: str
    due: int
    """Waiting messages that are due, counted to 10000."""
    oldestDueAt: Optional[str]
    """When the first waiting message is due, or was."""
    windowEndsAt: Optional[str]
    nextGrantAt: Optional[str]
    """When time may let the next message through. Null: a finished call does, or the end of a pause or a halt."""
    halted: bool
    """The environment is halted: nothing is sent."""


class FlowControlStatusPinned(TypedDict):
    """What messages do not change. `rate` stands for the period too."""
    rate: bool
    parallelism: bool


class FoundMemory(TypedDict):
    memory: Memory
    score: float
    """`hybrid`: the fused ranks. `vector`: the cosine. `text`: PostgreSQL’s rank of the words."""
    why: FoundMemoryWhy


class FoundMemoryWhy(TypedDict):
    vector: Optional[FoundMemoryWhyVector]
    """Null: not among the first hundred."""
    text: Optional[FoundMemoryWhyText]
    """Null: not among the first hundred."""


class FoundMemoryWhyText(TypedDict):
    """Null: not among the first hundred."""
    rank: int
    score: float


class FoundMemoryWhyVector(TypedDict):
    """Null: not among the first hundred."""
    rank: int
    score: float


class GovernanceWarning(TypedDict):
    path: str
    """Dotted path into what was written, such as `document.rules[0].match.actions[1]`."""
    code: Literal["matches_no_action", "matches_no_adapter", "matches_no_tag", "matches_no_key", "matches_no_member", "unknown_dimension", "unknown_currency", "impossible_member", "policy_disabled", "policy_left_alone"]
    """Each code is explained in docs/reference/warnings.md."""
    message: str


class HaltEnvironmentRequest(TypedDict):
    reason: str
    """Callers read it in the refusal of each invocation. Never put a credential here."""


class _IdentityRequired(TypedDict):
    type: Literal["api_key", "session", "oauth"]
    keyId: Optional[str]
    """For API keys only; null otherwise."""
    workspaceId: Optional[str]
    """Null for a session that names no environment."""
    environment: Optional[IdentityEnvironment]
    scopes: List[Scope]
    """What this credential may do, sorted."""
    preset: Optional[Literal["standard", "read_only", "full_access", "agent"]]
    expiresAt: Optional[str]


class Identity(_IdentityRequired, total=False):
    userId: str
    """For sessions and OAuth only."""


class IdentityEnvironment(TypedDict):
    id: str
    name: str
    kind: Literal["development", "staging", "production"]


class _ImpactDeclarationRequired(TypedDict):
    dimension: str
    amount: Union[ImpactDeclarationAmount1, ImpactDeclarationAmount2]
    bound: Literal["exact", "upper_bound"]


class ImpactDeclaration(_ImpactDeclarationRequired, total=False):
    currency: str
    observed: ImpactDeclarationObserved
    """Path into the response `{status, headers, body}`: what an `upper_bound` settles to."""


class ImpactDeclarationAmount1(TypedDict):
    path: str


class ImpactDeclarationAmount2(TypedDict):
    const: int


class _ImpactDeclarationInputRequired(TypedDict):
    dimension: str
    amount: Union[ImpactDeclarationInputAmount1, ImpactDeclarationInputAmount2]
    bound: Literal["exact", "upper_bound"]


class ImpactDeclarationInput(_ImpactDeclarationInputRequired, total=False):
    currency: str
    observed: ImpactDeclarationInputObserved


class ImpactDeclarationInputAmount1(TypedDict):
    path: str


class ImpactDeclarationInputAmount2(TypedDict):
    const: int


class ImpactDeclarationInputObserved(TypedDict):
    path: str


class ImpactDeclarationObserved(TypedDict):
    """Path into the response `{status, headers, body}`: what an `upper_bound` settles to."""
    path: str


class ImpactLimit(TypedDict):
    id: str
    name: str
    dimension: str
    currency: Optional[str]
    unit: str
    """What its amounts count: `minor_units` for money, else the dimension."""
    cap: int
    period: Literal["per_effect", "hour", "day", "week", "month", "lifetime"]
    timezone: str
    scope: ImpactLimitScope
    thresholds: List[int]
    currentPeriod: Optional[str]
    """The period that counts now, such as `2026-11-21`; null for `per_effect`."""
    resetsAt: Optional[str]
    """When the next period begins; null for `per_effect` and `lifetime`."""
    reserved: int
    """In the current period, by effects that are under way or whose outcome is not known."""
    settled: int
    """In the current period, by effects that happened."""
    available: int
    """In the current period. 0 where the cap was lowered below what is used."""
    exposures: ImpactLimitExposures
    crossings: List[ImpactLimitCrossing]
    """Those of the current period, newest first; of `per_effect`, the newest."""
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]


class ImpactLimitCrossing(TypedDict):
    type: Literal["threshold", "exceeded"]
    """`exceeded`: a reservation was refused, for the first time in the period."""
    threshold: Optional[int]
    """Percent of the cap."""
    period: str
    used: int
    """Reserved and settled, then."""
    requested: Optional[int]
    """By the reservation that was refused."""
    cap: int
    """As it was then."""
    crossedAt: str


class ImpactLimitExposures(TypedDict):
    """What is held, of every period, by effects whose outcome is unknown, or still pending at the provider."""
    unknown: int
    pending: int


class ImpactLimitScope(TypedDict, total=False):
    """Which effects the limit applies to: every member must hold, and of a list one entry. `{}`: all."""
    actions: List[str]
    """Names of actions; `*` stands for any run of characters."""
    adapters: List[str]
    """Adapter types; `*` likewise."""
    apiKeys: List[str]
    """Ids of the API keys that ask."""
    agentIds: List[str]
    """As the invocations name them in `agentId`."""
    target: ImpactLimitScopeTarget


class ImpactLimitScopeTarget(TypedDict):
    path: str
    """Into the effect's `target`."""
    equals: Union[str, float, bool]


class _ImpactLimitsCreateBodyRequired(TypedDict):
    name: str
    """Unique among the live limits of an environment."""
    dimension: str
    """`money`, `resource_mutations`, or a unit of your own, such as `emails`. An open string."""
    cap: int
    """For one period: minor units for money, a count otherwise. 0 lets nothing pass."""
    period: Literal["per_effect", "hour", "day", "week", "month", "lifetime"]
    """`per_effect`: the cap is of each effect by itself."""


class ImpactLimitsCreateBody(_ImpactLimitsCreateBodyRequired, total=False):
    currency: str
    """Needed for `money`, and only for it."""
    timezone: str
    """Where its hours, days, weeks (from Monday) and months begin."""
    scope: ImpactLimitScope
    thresholds: List[int]
    """Percent of the cap. That one was reached is kept once for each period, in `crossings`."""


class ImpactLimitsUpdateBody(TypedDict, total=False):
    name: str
    """Unique among the live limits of an environment."""
    cap: int
    """For one period: minor units for money, a count otherwise. 0 lets nothing pass."""
    thresholds: List[int]
    """Percent of the cap. That one was reached is kept once for each period, in `crossings`."""


class _ImpactQuantityRequired(TypedDict):
    dimension: str
    amount: int
    """Minor units for money, a count otherwise."""
    bound: Literal["exact", "upper_bound"]


class ImpactQuantity(_ImpactQuantityRequired, total=False):
    currency: str


class ImportActions(TypedDict, total=False):
    document: Union[str, Dict[str, Any]]
    """An OpenAPI 3.0, 3.1 or 3.2 description: an object, or a text of JSON or YAML. At most 16 MiB."""
    url: str
    """Where the description is, in place of `document`: https, no redirects, at most 16 MiB."""
    operations: List[str]
    """Only these operationIds; an operation without one is `GET /path`. Left out: all."""
    ungoverned: List[str]
    """The operationIds of writing operations whose actions are left ungoverned; needs `actions:govern`. Left out: every operation but GET and HEAD becomes `governed: true`."""
    namePrefix: str
    """A prefix of each name, for example `stripe.`."""
    secret: str
    """Vault secret with the credential; left out, a name is derived from the host and the security scheme."""
    dryRun: bool
    """Says what the import would do now, with every check, and keeps nothing."""


class _ImportedOperationRequired(TypedDict):
    operationId: str
    name: str
    """The name of the action that it is, or would be."""
    status: Literal["created", "updated", "unchanged", "skipped"]


class ImportedOperation(_ImportedOperationRequired, total=False):
    governed: bool
    """Whether the action is governed now. Left out where the operation was skipped."""
    warnings: List[ActionWarning]
    """Where an action was created or updated."""
    reason: str
    """Why it was skipped, or what was left out of the action."""


class _IngestMemoryRequestRequired(TypedDict):
    collectionId: str


class IngestMemoryRequest(_IngestMemoryRequestRequired, total=False):
    text: str
    """Either this, or `messages`, or `sessionId`."""
    messages: List[IngestedMessage]
    sessionId: str
    """A session of this environment, with all of its messages. The job fails where these are more than 8 MiB together, images and calls included."""
    kind: Literal["fact", "episode"]
    """Left out: `fact` for a text, `episode` for messages."""
    userId: Optional[str]
    agentId: Optional[str]
    metadata: Dict[str, Any]
    """Every memory that it stores has them. The job writes position, role, name, messageId, sequence by itself."""
    expiresAt: Optional[str]
    chunkCharacters: int
    """How long a chunk is at most. It is cut between paragraphs, lines, sentences or words."""


class _IngestedMessageRequired(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    content: str


class IngestedMessage(_IngestedMessageRequired, total=False):
    name: str


class Integration(TypedDict):
    id: str
    provider: Literal["slack", "discord"]
    name: str
    isActive: bool
    """Approvals are posted, and clicks decide."""
    account: IntegrationAccount
    """The Slack workspace, or the Discord webhook."""
    channel: Optional[IntegrationChannel]
    """Where approvals are posted. Null: no Slack channel was chosen yet."""
    buttons: bool
    """Messages have buttons that decide, because their clicks can be verified."""
    createdAt: str
    updatedAt: str


class IntegrationAccount(TypedDict):
    """The Slack workspace, or the Discord webhook."""
    id: str
    name: str


class IntegrationChannel(TypedDict):
    """Where approvals are posted. Null: no Slack channel was chosen yet."""
    id: str
    name: str


class IntegrationToggled(TypedDict):
    message: str
    isActive: bool


class IntegrationsSlackChannelBody(TypedDict):
    channelId: str
    """Slack's id of the channel, such as C0123456789."""


class IntegrationsToggleBody(TypedDict):
    isActive: bool


class Invitation(TypedDict):
    id: str
    email: str
    role: Literal["member", "admin", "owner"]
    createdAt: str
    expiresAt: str
    token: str
    """For POST /api/v2/auth/invitations/accept. Shown this once: hand it to the invited person."""


class Invocation(TypedDict):
    id: str
    status: Literal["pending_approval", "queued", "dispatching", "succeeded", "failed", "unknown", "refused", "denied", "expired", "cancelled"]
    grade: Literal["confirmed", "acknowledged", "unknown", "failed", "refused", "denied", "pending"]
    """What is really known. Treat a grade you do not know as `unknown`."""
    action: InvocationAction
    versionId: str
    effectId: Optional[str]
    """For a governed action only."""
    approvalId: Optional[str]
    expiresAt: Optional[str]
    """Until when people can decide its approval; null unless it waits for one."""
    operationKey: str
    result: Optional[InvocationResult]
    """The response of the destination, credentials removed."""
    error: Optional[str]
    refusal: Optional[Refusal]
    """Why it was not carried out, failed, or is unknown; null under any other status."""
    nextStep: Optional[str]
    """One sentence that an agent can follow. Null: nothing is left to do."""
    requestedBy: Actor
    retryOf: Optional[str]
    runId: Optional[str]
    agentId: Optional[str]
    requestId: Optional[str]
    """The `X-Request-Id` of the request that was admitted, as the log has it."""
    createdAt: str
    settledAt: Optional[str]
    resolution: Optional[Dict[str, Any]]


class InvocationAction(TypedDict):
    id: str
    name: str


class InvocationEventData(TypedDict):
    invocationId: str
    effectId: Optional[str]
    actionId: str
    action: str
    status: Literal["succeeded", "failed", "refused", "denied", "expired", "cancelled"]
    grade: str
    outcomeSource: Optional[str]
    refusalCode: Optional[str]
    agentId: Optional[str]
    runId: Optional[str]


class InvocationResult(TypedDict):
    """The response of the destination, credentials removed."""
    status: int
    headers: Dict[str, str]
    body: Any
    bodyEncoding: Literal["json", "utf8", "base64"]


class Invoice(TypedDict):
    id: str
    number: Optional[int]
    """Counted in the workspace, without a gap. Null while it is a draft."""
    status: Literal["draft", "open", "paid", "void", "uncollectible"]
    currency: str
    period: BillingPeriod
    lines: List[InvoiceLine]
    subtotal: int
    tax: int
    total: int
    amountDue: int
    issuedAt: Optional[str]
    dueAt: Optional[str]
    paidAt: Optional[str]
    voidedAt: Optional[str]
    quantitiesSnapshotAt: str
    """When the quantities were taken. What settles later is on a later invoice."""
    preceding: List[InvoicePrecedingItem]
    """Earlier invoices that lines of this one correct."""
    hostedUrl: Optional[str]
    pdfUrl: Optional[str]


class InvoiceLine(TypedDict):
    id: str
    type: Literal["plan", "usage", "proration", "correction", "credit", "tax"]
    meter: Optional[Literal["executions", "messages", "egress", "memory_processing", "notification_emails"]]
    """Null for a line that meters nothing."""
    description: str
    period: BillingPeriod
    """For executions: the month of their admission."""
    meteredQuantity: Optional[int]
    includedQuantity: Optional[PlanCap]
    billableQuantity: Optional[int]
    """`max(0, metered - included)`; negative where a correction takes back."""
    unitPrice: Optional[UnitPrice]
    amount: int
    """Minor units of the currency, rounded once, half up."""
    proration: Optional[InvoiceLineProration]
    corrects: Optional[InvoiceLineCorrects]


class InvoiceLineCorrects(TypedDict):
    invoiceId: str
    lineId: str


class InvoiceLineProration(TypedDict):
    fromPlan: Optional[Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]]
    """Null when the workspace was made in this month."""
    toPlan: Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]
    seconds: int
    """From the change to the end of the month."""
    ofSeconds: int
    """The whole month."""


class InvoicePrecedingItem(TypedDict):
    invoiceId: str
    reason: Literal["correction"]


class _InvokeRequestRequired(TypedDict):
    input: Dict[str, Any]
    """Checked against the action version's inputSchema."""


class InvokeRequest(_InvokeRequestRequired, total=False):
    operationKey: str
    """Names the operation for good, beyond the 24 hours of an Idempotency-Key, which it defaults to."""
    previewId: str
    """Executes this preview: its exact request, or nothing. What differs from it is `PREVIEW_MISMATCH`."""
    dependsOn: List[str]
    """Effects that must have succeeded before this one is sent. Where one ends otherwise, it is refused."""
    compensates: str
    """The effect that this one makes up for."""
    retryOf: str
    """The earlier invocation that this one runs again under a new key."""
    runId: str
    agentId: str
    dryRun: bool
    """True: nothing is sent, reserved or recorded. The answer is a `DryRun`, for plain actions too: what would be sent and what would be decided. It leaves its Idempotency-Key unused, for the invocation itself."""


class _ListedActionRequired(TypedDict):
    id: str
    name: str
    description: Optional[str]
    environmentId: str
    adapter: ListedActionAdapter
    inputSchema: Dict[str, Any]
    """JSON Schema 2020-12 of the input."""
    governed: bool
    """True where the action carries impact, verify or governed: true."""
    impact: List[ImpactDeclaration]
    approval: ListedActionApproval
    timeoutMs: int
    mcp: ListedActionMcp
    """pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions."""
    currentVersion: ListedActionCurrentVersion
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]


class ListedAction(_ListedActionRequired, total=False):
    outputSchema: Dict[str, Any]
    verify: Union[VerifyDeclaration, Shortened]


class ListedActionAdapter(TypedDict):
    type: str
    version: str
    config: Dict[str, Any]


class _ListedActionApprovalRequired(TypedDict):
    required: bool


class ListedActionApproval(_ListedActionApprovalRequired, total=False):
    tag: str


class ListedActionCurrentVersion(TypedDict):
    id: str
    number: int
    digest: str
    """SHA-256 over the RFC 8785 (JCS) bytes of the definition."""


class ListedActionDefinition(TypedDict):
    adapter: ListedActionDefinitionAdapter
    inputSchema: Dict[str, Any]
    outputSchema: Optional[Dict[str, Any]]
    governed: bool
    impact: List[ImpactDeclaration]
    verify: Optional[Union[VerifyDeclaration, Shortened]]
    approval: ListedActionDefinitionApproval
    timeoutMs: int


class ListedActionDefinitionAdapter(TypedDict):
    type: str
    version: str
    config: Dict[str, Any]


class ListedActionDefinitionApproval(TypedDict):
    required: bool
    tag: Optional[str]


class ListedActionMcp(TypedDict):
    """pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions."""
    pinned: bool


class ListedActionPreview(TypedDict):
    id: str
    action: ListedActionPreviewAction
    adapter: ListedActionPreviewAdapter
    environment: ListedActionPreviewEnvironment
    target: Dict[str, Any]
    request: Union[PreparedRequest, Shortened]
    impact: List[ImpactQuantity]
    blocks: Union[List[PreviewBlock], Shortened]
    preconditions: Dict[str, Any]
    """What must still hold right before the dispatch. Part of the binding."""
    capabilities: Dict[str, Any]
    allowances: List[PreviewAllowance]
    evidenceObservedAt: str
    expiresAt: str
    expired: bool
    """It can no longer be used: its time is over, or another one supersedes it."""
    requestDigest: str
    bindingDigest: str
    """What an approval agrees to."""
    supersedes: Optional[str]
    effectId: Optional[str]
    """The effect that executes it, once one is admitted."""
    createdAt: str


class ListedActionPreviewAction(TypedDict):
    id: str
    name: str
    versionId: str


class ListedActionPreviewAdapter(TypedDict):
    type: str
    version: str


class ListedActionPreviewEnvironment(TypedDict):
    id: str
    name: str
    kind: str


class ListedActionVersion(TypedDict):
    id: str
    actionId: str
    number: int
    digest: str
    """SHA-256 over the RFC 8785 (JCS) bytes of the definition."""
    definition: ListedActionDefinition
    createdBy: ListedActionVersionCreatedBy
    createdAt: str
    changeNote: Optional[str]


class ListedActionVersionCreatedBy(TypedDict):
    type: str
    id: str


class ListedApproval(TypedDict):
    id: str
    kind: Literal["invocation", "free_standing"]
    """`free_standing`: for work that its caller runs itself."""
    status: Literal["pending", "approved", "denied", "expired", "cancelled", "invalidated", "consumed"]
    """`consumed`: the one dispatch that it was given for was marked. `invalidated`: what was agreed to no longer held."""
    invocationId: Optional[str]
    effectId: Optional[str]
    previewId: Optional[str]
    action: Optional[ListedApprovalAction]
    title: str
    summary: str
    """What will happen, in one sentence."""
    payload: Any
    """What a free-standing approval agrees to; null for the others."""
    bindingDigest: str
    """Echo it to approve."""
    policy: ApprovalReason
    quorum: ApprovalQuorum
    approvers: List[Approvers]
    """Each of these must name the one who decides. An entry without names: any key with `approvals:decide`, any admin or owner."""
    preventSelf: bool
    """The requester cannot approve."""
    decisions: List[ApprovalDecision]
    """Oldest first."""
    requestedBy: Actor
    agentId: Optional[str]
    runId: Optional[str]
    preview: Optional[ListedActionPreview]
    allowances: List[PreviewAllowance]
    """What remains of the impact limits: now, while it is pending; as it was previewed, afterwards."""
    reminders: ListedApprovalReminders
    url: Optional[str]
    """Where a person reads this and decides, signed in. Null where the service has no `PUBLIC_URL`."""
    createdAt: str
    expiresAt: str
    decidedAt: Optional[str]
    consumedAt: Optional[str]


class ListedApprovalAction(TypedDict):
    id: str
    name: str


class ListedApprovalPolicy(TypedDict):
    id: str
    name: str
    priority: int
    """That of the newest document."""
    enabled: bool
    version: int
    """Number of the newest version."""
    document: Union[ApprovalPolicyDocument, Shortened]
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]
    """Set once it was deleted: it decides nothing, and its history stays."""


class ListedApprovalPolicyVersion(TypedDict):
    policyId: str
    version: int
    digest: str
    """SHA-256 over the RFC 8785 (JCS) bytes of the document."""
    document: Union[ApprovalPolicyDocument, Shortened]
    createdBy: ListedApprovalPolicyVersionCreatedBy
    createdAt: str


class ListedApprovalPolicyVersionCreatedBy(TypedDict):
    type: str
    id: str


class ListedApprovalReminders(TypedDict):
    sent: int
    lastAt: Optional[str]


class ListedCacheEntry(TypedDict):
    id: str
    prompt: Union[str, Shortened]
    response: Any
    model: Optional[str]
    namespace: str
    attributes: Dict[str, Any]
    hits: int
    createdAt: str
    expiresAt: str
    lastHitAt: Optional[str]


class ListedDeadLetter(TypedDict):
    messageId: str
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    headers: Optional[Union[Dict[str, str], Shortened]]
    body: Any
    scheduledFor: Optional[str]
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]
    attempts: Optional[int]
    maxRetries: Optional[int]
    responseStatus: Optional[int]
    responseBody: Optional[str]
    """At most 8 KiB of it, credentials that were sent removed."""
    errorMessage: Optional[str]
    """Why the newest attempt failed."""
    deliveredAt: Optional[str]
    failedAt: Optional[str]
    callbackUrl: Optional[str]
    failureCallbackUrl: Optional[str]
    flowControlKey: Optional[str]
    retryOf: Optional[str]
    """The failed message that this one is a retry of, from the DLQ."""
    label: Optional[str]
    """As it was published."""
    scheduleId: Optional[str]
    """The schedule that published it."""
    urlGroupId: Optional[str]
    """The URL group that it was published to."""
    nextAttemptAt: Optional[str]
    """When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended."""
    contentExpired: bool
    """True: headers, body and attempts had their time after the end and are gone. The record is kept longer."""
    createdAt: str
    updatedAt: str
    dlqReason: Literal["retries_exhausted", "gone", "not_retryable", "destination_blocked"]
    """Why nothing more was tried."""
    lastAttemptAt: Optional[str]
    responseHeaders: Union[Optional[Dict[str, str]], Shortened]


class ListedEffectDetail(TypedDict):
    id: str
    invocationId: str
    operationKey: str
    environmentId: str
    action: ListedEffectDetailAction
    adapter: ListedEffectDetailAdapter
    stage: Literal["awaiting_approval", "ready", "dispatching", "reconciling", "settled", "rejected"]
    outcome: Literal["not_dispatched", "pending", "succeeded", "failed", "unknown"]
    partialEffect: Literal["none", "possible", "confirmed"]
    """A failure is not proof of zero impact."""
    grade: Literal["confirmed", "acknowledged", "unknown", "failed", "refused", "denied", "pending"]
    """Derived by the database. Treat a grade you do not know as `unknown`."""
    verification: Literal["provider", "manual", "unverified", "not_dispatched"]
    providerReference: Optional[str]
    target: Dict[str, Any]
    impact: List[ImpactQuantity]
    previewId: Optional[str]
    approvalId: Optional[str]
    bindingDigest: Optional[str]
    dependsOn: List[ListedEffectDetailDependsOnItem]
    compensates: Optional[str]
    rejectionReason: Optional[str]
    unresolvedExposure: bool
    reconciliation: ListedEffectDetailReconciliation
    createdAt: str
    updatedAt: str
    firstDispatchedAt: Optional[str]
    outcomeAt: Optional[str]
    request: Dict[str, Any]
    """The exact request; credentials stand as `{{secret:NAME}}`."""
    capabilities: Dict[str, Any]
    attempts: List[Attempt]
    """The newest twenty."""
    evidence: List[Evidence]
    """The newest twenty."""
    reservations: List[Reservation]
    preview: Optional[ListedActionPreview]
    resolution: Optional[Dict[str, Any]]
    """What a person recorded of an outcome that nobody saw. Permanent."""
    attemptsCount: int
    """How many attempts there are."""
    evidenceCount: int
    """How much evidence there is."""


class ListedEffectDetailAction(TypedDict):
    name: str
    versionId: str


class ListedEffectDetailAdapter(TypedDict):
    type: str
    version: str


class ListedEffectDetailDependsOnItem(TypedDict):
    effectId: str
    outcome: str


class ListedEffectDetailReconciliation(TypedDict):
    attempts: int
    nextAt: Optional[str]
    exhausted: bool


class ListedEvent(TypedDict):
    eventId: str
    """The service's id for it."""
    id: str
    """What its deliveries carry as `id`: the id that its publisher gave it, or the same as `eventId`."""
    topicId: str
    topic: str
    type: str
    data: Any
    occurredAt: str
    status: Literal["fanning_out", "fanned_out", "failed"]
    """`failed`: some of its messages could not be made, for the reason in `error`."""
    deliveryCount: int
    """Messages that were made for it, one for each subscription that it matched."""
    error: Optional[ListedEventError]
    publishedBy: ListedEventPublishedBy
    createdAt: str
    fannedOutAt: Optional[str]


class ListedEventError(TypedDict):
    code: str
    message: str


class ListedEventPublishedBy(TypedDict):
    type: str
    id: Optional[str]


class ListedEventSubscription(TypedDict):
    id: str
    topicId: str
    url: str
    eventTypes: List[str]
    enabled: bool
    hasCustomSecret: bool
    """False: its deliveries are signed with the keys of the workspace."""
    headers: Optional[Union[EventHeaders, Shortened]]
    disabledAt: Optional[str]
    """When the service disabled it, because it kept failing."""
    createdAt: str
    updatedAt: str


class ListedInvocation(TypedDict):
    id: str
    status: Literal["pending_approval", "queued", "dispatching", "succeeded", "failed", "unknown", "refused", "denied", "expired", "cancelled"]
    grade: Literal["confirmed", "acknowledged", "unknown", "failed", "refused", "denied", "pending"]
    """What is really known. Treat a grade you do not know as `unknown`."""
    action: ListedInvocationAction
    versionId: str
    effectId: Optional[str]
    """For a governed action only."""
    approvalId: Optional[str]
    expiresAt: Optional[str]
    """Until when people can decide its approval; null unless it waits for one."""
    operationKey: str
    result: Union[Optional[ListedInvocationResult1], Shortened]
    error: Optional[str]
    refusal: Optional[Refusal]
    """Why it was not carried out, failed, or is unknown; null under any other status."""
    nextStep: Optional[str]
    """One sentence that an agent can follow. Null: nothing is left to do."""
    requestedBy: Actor
    retryOf: Optional[str]
    runId: Optional[str]
    agentId: Optional[str]
    requestId: Optional[str]
    """The `X-Request-Id` of the request that was admitted, as the log has it."""
    createdAt: str
    settledAt: Optional[str]
    resolution: Optional[Dict[str, Any]]


class ListedInvocationAction(TypedDict):
    id: str
    name: str


class ListedInvocationResult1(TypedDict):
    """The response of the destination, credentials removed."""
    status: int
    headers: Dict[str, str]
    body: Any
    bodyEncoding: Literal["json", "utf8", "base64"]


class ListedMessage(TypedDict):
    messageId: str
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    headers: Optional[Union[Dict[str, str], Shortened]]
    body: Any
    scheduledFor: Optional[str]
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]
    attempts: Optional[int]
    maxRetries: Optional[int]
    responseStatus: Optional[int]
    responseBody: Optional[str]
    """At most 8 KiB of it, credentials that were sent removed."""
    errorMessage: Optional[str]
    """Why the newest attempt failed."""
    deliveredAt: Optional[str]
    failedAt: Optional[str]
    callbackUrl: Optional[str]
    failureCallbackUrl: Optional[str]
    flowControlKey: Optional[str]
    retryOf: Optional[str]
    """The failed message that this one is a retry of, from the DLQ."""
    label: Optional[str]
    """As it was published."""
    scheduleId: Optional[str]
    """The schedule that published it."""
    urlGroupId: Optional[str]
    """The URL group that it was published to."""
    nextAttemptAt: Optional[str]
    """When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended."""
    contentExpired: bool
    """True: headers, body and attempts had their time after the end and are gone. The record is kept longer."""
    createdAt: str
    updatedAt: str


class ListedPlan(TypedDict):
    id: Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]
    name: str
    """For people."""
    limits: PlanLimits
    betaAllowances: Optional[ListedPlanBetaAllowances]
    """What Early Beta Access includes; null for every other plan."""
    features: ListedPlanFeatures
    price: Optional[BillingMoney]
    """For a month. Null: no price is published."""
    available: bool
    """Whether a workspace can have this plan today."""
    contactSales: bool
    """Whether the plan is agreed on with sales."""
    rates: PlanRates
    isCurrent: bool
    """Whether the workspace has this plan."""


class ListedPlanBetaAllowances(TypedDict):
    """What Early Beta Access includes; null for every other plan."""
    environments: PlanCap
    executions: PlanCap
    messages: PlanCap
    egressBytes: PlanCap
    memoryOperations: PlanCap
    notificationEmails: PlanCap


class ListedPlanFeatures(TypedDict):
    auditLog: bool
    """Whether the audit log can be read."""


class ListedRun(TypedDict):
    id: str
    agentId: Optional[str]
    agentVersion: Optional[str]
    environmentId: str
    name: Optional[str]
    status: Literal["running", "succeeded", "failed", "cancelled"]
    userId: Optional[str]
    application: Optional[str]
    input: Any
    """Any JSON value, or null."""
    output: Any
    """Any JSON value, or null."""
    error: Union[Optional[Dict[str, Any]], Shortened]
    tokens: Optional[int]
    cost: Optional[float]
    tags: Optional[List[str]]
    metadata: Union[Optional[Dict[str, Any]], Shortened]
    startedAt: str
    endedAt: Optional[str]
    durationMs: Optional[int]


class ListedSchedule(TypedDict):
    id: str
    name: Optional[str]
    cron: str
    timezone: str
    destination: ListedScheduleDestination
    overlap: Literal["skip", "buffer_one", "allow_all"]
    catchUpSeconds: int
    paused: bool
    lastRunAt: Optional[str]
    """When it last published, or failed to."""
    nextRunAt: Optional[str]
    """Null while it is paused."""
    createdBy: ListedScheduleCreatedBy
    createdAt: str
    updatedAt: str


class ListedScheduleCreatedBy(TypedDict):
    type: str
    id: Optional[str]


class ListedScheduleDestination(TypedDict, total=False):
    url: str
    """Where it is delivered to: http or https. Either this or `urlGroup`."""
    urlGroup: str
    """The id or the name of a URL group: one message for each of its endpoints, and the answer is an array."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """POST where it is left out."""
    headers: Union[Dict[str, str], Shortened]
    body: Any
    delay: Union[int, str]
    """Seconds, or a duration such as `1d10h30m`. At most a year."""
    scheduledFor: str
    """Not with `delay`. Past: at once. At most a year."""
    maxRetries: int
    """5 where it is left out."""
    retryDelay: str
    """CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n."""
    timeoutSeconds: int
    """For one attempt. 30 where it is left out."""
    callbackUrl: str
    """Told of the end, whichever it is."""
    failureCallbackUrl: str
    """Told of a failure."""
    deduplicationId: str
    """A second message with this id within 10 minutes is not accepted: the first one is answered."""
    contentBasedDeduplication: bool
    """The same for messages of equal url, method, headers and body. Not with `deduplicationId`."""
    flowControl: FlowControl
    """Its key, and the limits that the key has from now on. What is over them waits, in order."""
    label: str
    redact: MessageRedaction
    topic: str
    """The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone."""
    eventType: str
    """The type of the event. `message` where it is left out. With `topic` alone."""


class ListedSession(TypedDict):
    id: str
    name: Optional[str]
    userId: Optional[str]
    agentId: Optional[str]
    metadata: Union[Optional[Dict[str, Any]], Shortened]
    messageCount: int
    tokenCount: int
    """The sum over its messages."""
    expiresAt: Optional[str]
    """It answers 404 from then on."""
    createdAt: str
    updatedAt: str


class Member(TypedDict):
    userId: str
    email: str
    name: str
    role: Literal["member", "admin", "owner"]
    joinedAt: str


class _MembersInviteBodyRequired(TypedDict):
    email: str
    """Case makes no difference."""


class MembersInviteBody(_MembersInviteBodyRequired, total=False):
    role: Literal["member", "admin", "owner"]


class MembersRemoveReply(TypedDict):
    deleted: Literal[True]


class MembersUpdateBody(TypedDict):
    role: Literal["member", "admin", "owner"]


class Memory(TypedDict):
    id: str
    collectionId: str
    kind: Literal["fact", "episode"]
    """`fact`: something that holds. `episode`: something that happened."""
    content: str
    userId: Optional[str]
    agentId: Optional[str]
    sessionId: Optional[str]
    source: Optional[MemorySource]
    metadata: Dict[str, Any]
    validFrom: str
    """From when on it holds."""
    validTo: Optional[str]
    """Until when, exclusive. Null: no end is known."""
    createdAt: str
    """When it was recorded."""
    supersededBy: Optional[str]
    """The next version."""
    expiresAt: Optional[str]
    """When it is deleted, with its chain and what was derived from it."""


class MemoryCollection(TypedDict):
    id: str
    name: str
    description: Optional[str]
    embedding: MemoryCollectionEmbedding
    """The same for every vector in the collection, from its creation on."""
    memoryCount: int
    """Without superseded versions."""
    createdAt: str
    updatedAt: str


class MemoryCollectionEmbedding(TypedDict):
    """The same for every vector in the collection, from its creation on."""
    model: str
    dimensions: int


class _MemoryCollectionsCreateBodyRequired(TypedDict):
    name: str
    """Unique in its environment."""


class MemoryCollectionsCreateBody(_MemoryCollectionsCreateBodyRequired, total=False):
    description: Optional[str]


class MemoryCollectionsDeleteReply(TypedDict):
    message: str


class MemoryCollectionsUpdateBody(TypedDict, total=False):
    name: str
    """Unique in its environment."""
    description: Optional[str]


class MemoryDeleteReply(TypedDict):
    deleted: int
    """Memories: every version of each, and what was derived from them."""


class MemoryFilter(TypedDict, total=False):
    """Every member narrows it."""
    collectionIds: List[str]
    userId: str
    agentId: str
    sessionId: str
    kind: Literal["fact", "episode"]
    """`fact`: something that holds. `episode`: something that happened."""
    source: MemoryFilterSource
    metadata: Dict[str, Any]
    """Members that the metadata has, with these values."""


class _MemoryFilterSourceRequired(TypedDict):
    type: str


class MemoryFilterSource(_MemoryFilterSourceRequired, total=False):
    id: str


class MemoryForgetBody(TypedDict):
    filter: MemoryFilter


class MemoryForgetReply(TypedDict):
    deleted: int
    """Memories: every version of each, and what was derived from them."""


class MemoryJob(TypedDict):
    id: str
    kind: Literal["ingest", "forget", "delete"]
    collectionId: Optional[str]
    status: Literal["queued", "running", "succeeded", "failed"]
    total: Optional[int]
    """Chunks of an ingest; null until it is split, and for other jobs."""
    done: int
    """Chunks that are stored, or memories that are deleted."""
    error: Optional[MemoryJobError]
    """Why it failed; while it runs, what it waits for."""
    createdAt: str
    updatedAt: str
    endedAt: Optional[str]


class MemoryJobError(TypedDict):
    """Why it failed; while it runs, what it waits for."""
    code: str
    message: str


class MemorySource(TypedDict):
    """What it is derived from. Type `memory`: deleting that memory deletes this one. Type `job`: an ingest stored it."""
    type: str
    id: str


class MessageAttempt(TypedDict):
    number: int
    status: Literal["started", "completed", "abandoned"]
    """`abandoned`: the worker was lost before the end was on record; the destination may have been called."""
    startedAt: str
    finishedAt: Optional[str]
    latencyMs: Optional[int]
    """The call alone, from the look-up of the name to the end of the response."""
    address: Optional[str]
    """The IP address that was dialled; null where there was no connection."""
    responseStatus: Optional[int]
    responseHeaders: Optional[Dict[str, str]]
    """Credentials that were sent removed."""
    responseBody: Optional[str]
    """At most 8 KiB of it, credentials that were sent removed."""
    errorMessage: Optional[str]
    worker: Optional[str]
    """The worker that made the attempt, as `pid@host`."""


class MessageEventData(TypedDict):
    messageId: str
    url: str
    method: str
    label: Optional[str]
    attempts: int
    responseStatus: Optional[int]
    errorMessage: Optional[str]
    scheduleId: Optional[str]
    urlGroupId: Optional[str]
    callbackOf: Optional[str]
    retryOf: Optional[str]


class MessagePartsItem1(TypedDict):
    type: Literal["text"]
    text: str


class MessagePartsItem2(TypedDict):
    type: Literal["image"]
    url: str


class MessageRedaction(TypedDict, total=False):
    """What else is sealed at rest and shown as `[REDACTED]`: the body; all headers, or these."""
    body: bool
    headers: Union[bool, List[str]]


class _NewSessionMessageRequired(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    content: Union[str, MessageParts]
    """Text, or parts of text and images."""


class NewSessionMessage(_NewSessionMessageRequired, total=False):
    name: Optional[str]
    """Who speaks, where several have the same role."""
    toolCallId: Optional[str]
    """For a message of role `tool`, and needed there: the id of the call that it answers."""
    toolCalls: Optional[List[SessionToolCall]]
    """For a message of role `assistant`: the calls that the model asked for."""
    metadata: Optional[Dict[str, Any]]


class Notification(TypedDict):
    id: str
    type: NotificationType
    title: str
    body: str
    subject: NotificationSubject
    """What it is about."""
    url: Optional[str]
    """Where a person acts on it: the page of an approval."""
    count: int
    """How many times it happened in its hour. It is unread again when this grows."""
    emails: NotificationEmails
    readAt: Optional[str]
    """When this reader, a member or an API key, read it."""
    createdAt: str
    updatedAt: str


class NotificationEmailAllowance(TypedDict):
    used: int
    """E-mails that were queued in this UTC month, in all environments."""
    allowed: Optional[int]
    """What the plan allows. Null: no limit."""
    resetsAt: str


class NotificationEmails(TypedDict):
    """What became of the e-mails, by recipient."""
    pending: int
    """Waiting for their first or their next attempt."""
    sent: int
    """Taken by the mail server."""
    refused: int
    """Not sent, because the plan's monthly allowance was used up."""
    failed: int
    """Certainly not sent: the mail server refuses them, or was away for too long."""
    unknown: int
    """May have arrived: the answer of the mail server was lost. They are not sent again."""


class NotificationPreferences(TypedDict):
    alertWebhookUrl: Optional[str]
    """Where each notification is delivered to as a signed message. Null: nowhere."""
    emailRecipients: List[str]
    """Who gets each notification by e-mail."""
    emailAllowance: NotificationEmailAllowance


class NotificationPreferencesUpdate(TypedDict, total=False):
    """What is left out stays as it is."""
    alertWebhookUrl: Optional[str]
    emailRecipients: List[str]


class NotificationSubject(TypedDict):
    """What it is about."""
    type: Literal["approval", "effect", "impact_limit", "api_key", "message", "subscription", "environment", "signing_key", "workspace"]
    id: str


class NotificationsDeleteReply(TypedDict):
    deleted: Literal[True]


class NotificationsPreferencesTestWebhookReply(TypedDict):
    messageId: str


class NotificationsReadAllReply(TypedDict):
    read: int
    """How many were unread."""


class NotificationsUnreadCountReply(TypedDict):
    unread: int


class OffsetPagination(TypedDict):
    total: int
    page: int
    limit: int
    totalPages: int
    hasMore: bool


class Onboarding(TypedDict):
    steps: List[OnboardingStepsItem]
    completed: int
    """The steps that are done."""
    total: int


class OnboardingStepsItem(TypedDict):
    id: Literal["key_created", "action_created", "first_preview", "first_invocation", "action_governed", "policy_applied", "approver_added", "first_decision", "channel_connected", "first_message", "first_run"]
    title: str
    """For people."""
    done: bool
    doneAt: Optional[str]
    """The time of the oldest record that is kept. Null while the step is open."""
    docsUrl: str
    """A page of the documentation, relative to its address."""
    consolePath: Optional[str]
    """A page where a person takes the step, relative to the service. Null where the API alone does."""


class OwnNotificationPreferences(TypedDict):
    mutedTypes: List[NotificationType]
    """What this member does not see in lists and counts. Everybody else, and every channel, still has it."""


class OwnNotificationPreferencesUpdate(TypedDict):
    mutedTypes: List[NotificationType]


class Passkey(TypedDict):
    id: str
    name: str
    isSynced: bool
    """Its authenticator keeps copies, such as in the account of a phone."""
    createdAt: str
    lastUsedAt: Optional[str]


class PasskeyOptions(TypedDict):
    publicKey: Dict[str, Any]
    """The `publicKey` options of WebAuthn in JSON: `parseCreationOptionsFromJSON()` and `parseRequestOptionsFromJSON()` read them. Their challenge is answered once, by this session, within five minutes."""


class _PlanApprovalPolicyFilesRequired(TypedDict):
    files: List[ApprovalPolicyFile]
    """One policy each, told apart by name; at most 100, and 1 MiB with the whole request."""


class PlanApprovalPolicyFiles(_PlanApprovalPolicyFilesRequired, total=False):
    prune: bool
    """Delete the policies that no file names. Left out: they are left alone."""


class PlanLimits(TypedDict):
    maxEnvironments: PlanCap
    requestsPerMinute: PlanCap
    requestsPerHour: PlanCap
    executionsPerMonth: PlanCap
    messagesPerMonth: PlanCap
    egressBytesPerMonth: PlanCap
    memoryOperationsPerMonth: PlanCap
    notificationEmailsPerMonth: PlanCap
    storageBytes: PlanCap
    scheduleFiringsPerMinute: PlanCap
    messageRetentionDays: int


class PlanOffer(TypedDict):
    id: Literal["free", "early_beta_access", "production", "growth", "pay_as_you_go", "enterprise"]
    name: str
    """For people."""
    limits: PlanLimits
    betaAllowances: Optional[PlanOfferBetaAllowances]
    """What Early Beta Access includes; null for every other plan."""
    features: PlanOfferFeatures
    price: Optional[BillingMoney]
    """For a month. Null: no price is published."""
    available: bool
    """Whether a workspace can have this plan today."""
    contactSales: bool
    """Whether the plan is agreed on with sales."""
    rates: PlanRates


class PlanOfferBetaAllowances(TypedDict):
    """What Early Beta Access includes; null for every other plan."""
    environments: PlanCap
    executions: PlanCap
    messages: PlanCap
    egressBytes: PlanCap
    memoryOperations: PlanCap
    notificationEmails: PlanCap


class PlanOfferFeatures(TypedDict):
    auditLog: bool
    """Whether the audit log can be read."""


class PlanRatesItem(TypedDict):
    meter: Literal["executions", "messages", "egress", "memory_processing", "notification_emails"]
    unitPrice: UnitPrice


class PolicyFixture(TypedDict):
    name: str
    request: FixtureRequest
    expect: FixtureExpectation


class PolicyFixtureResult(TypedDict):
    name: str
    passed: bool
    problems: List[str]
    """What differs from `expect`; empty where it passed."""
    expected: FixtureExpectation
    actual: Optional[PolicyFixtureResultActual]
    """null where the request could not be evaluated; `problems` says why."""
    trace: List[ApprovalPolicyTrace]
    """The rules that were looked at, those whose `match` held before the others."""
    traceOmitted: int
    """How many more there were."""


class PolicyFixtureResultActual(TypedDict):
    """null where the request could not be evaluated; `problems` says why."""
    effect: Literal["allow", "require_approval", "deny"]
    source: Literal["policy", "action", "environment"]
    """What decided: a rule, the action's own `approval.required`, or the default of the environment."""
    ruleId: Optional[str]
    quorum: Optional[int]
    """How many must approve. Set, as the next three, where the effect is require_approval."""
    approvers: Optional[List[PolicyFixtureResultActualApproversItem]]
    """One for each rule that requires an approval: all of them must name the one who decides. `{}` names any key with `approvals:decide`, any admin or owner."""
    preventSelf: Optional[bool]
    expiresInSeconds: Optional[int]
    reason: str
    refusal: Optional[PolicyFixtureResultActualRefusal]
    """The code of the refusal, where the effect is deny."""
    policy: Optional[str]
    """Name of the policy that decided."""


class PolicyFixtureResultActualApproversItem(TypedDict, total=False):
    roles: List[Literal["member", "admin", "owner"]]
    users: List[str]
    keys: List[str]


class PolicyFixtureResultActualRefusal(TypedDict):
    """The code of the refusal, where the effect is deny."""
    code: str
    message: str


class _PreparedRequestRequired(TypedDict):
    method: str
    url: str
    headers: Dict[str, str]
    body: Optional[str]
    bodyEncoding: Literal["utf8", "base64"]


class PreparedRequest(_PreparedRequestRequired, total=False):
    """Exactly what will be sent; credentials stand as `{{secret:NAME}}`."""
    bodyParts: List[BodyPart]
    """The body of a request that carries files, piece by piece; `body` is null then. Only there where it carries any."""


class PresignedFile(TypedDict):
    fileId: str
    url: str
    """Send the bytes here. It is a credential: whoever has it can upload."""
    method: Literal["PUT"]
    headers: Dict[str, str]
    """To be sent with the bytes, exactly so."""
    expiresAt: str
    """Until when the upload may begin, and when an unconfirmed file is removed."""


class PreviewAllowance(TypedDict):
    """What an impact limit would allow now. A dispatch checks again."""
    limitId: str
    name: str
    dimension: str
    currency: Optional[str]
    unit: str
    cap: int
    period: str
    available: int
    requested: int
    sufficient: bool
    refusal: Optional[str]


class _PreviewBlockRequired(TypedDict):
    type: Literal["fields", "text_diff", "impact", "limitations"]
    title: str


class PreviewBlock(_PreviewBlockRequired, total=False):
    fields: List[PreviewBlockFieldsItem]
    path: str
    before: str
    after: str
    truncated: bool
    quantities: List[ImpactQuantity]
    items: List[PreviewBlockItemsItem]


class PreviewBlockFieldsItem(TypedDict):
    label: str
    value: str


class PreviewBlockItemsItem(TypedDict):
    kind: Literal["guarantee", "freshness", "unsupported", "irreversible"]
    text: str


class PreviewRefreshRequest(TypedDict, total=False):
    expiresIn: str
    """ISO 8601 duration, PT1M to PT24H. Default: as long as the old one, and as long as people would be asked now."""


class _PreviewRequestRequired(TypedDict):
    input: Dict[str, Any]
    """Checked against the action version's inputSchema."""


class PreviewRequest(_PreviewRequestRequired, total=False):
    operationKey: str
    """The operation key of the later invocation, which need not name it again."""
    dependsOn: List[str]
    """Effects that must have succeeded before this one is sent. Where one ends otherwise, it is refused."""
    compensates: str
    """The effect that this one makes up for."""
    retryOf: str
    """The earlier invocation that this one runs again under a new key."""
    runId: str
    agentId: str
    expiresIn: str
    """ISO 8601 duration, PT1M to PT24H. Default: as long as the longest `expiresIn` of the rules that would ask people, and at least PT15M."""


class PricingPolicy(TypedDict):
    version: str
    """Changes with every figure, meter and rule of the policy."""
    effectiveAt: str
    currency: str
    paidPlansOpen: bool
    plans: List[PlanOffer]
    meters: List[PricingPolicyMetersItem]
    resets: str
    overage: str
    """What becomes of use beyond an allowance."""
    rounding: str
    corrections: str
    """Where a correction of an issued invoice stands."""
    changesUrl: str
    """Where changes are announced, relative to the service’s address."""


class PricingPolicyMetersItem(TypedDict):
    id: Literal["executions", "messages", "egress", "memory_processing", "notification_emails"]
    unit: str
    counts: str
    doesNotCount: List[str]


class PublicMessage(TypedDict):
    messageId: str
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    headers: Optional[Dict[str, str]]
    """Authorization, cookie and API key values are `[REDACTED]`."""
    body: Any
    scheduledFor: Optional[str]
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]
    attempts: Optional[int]
    maxRetries: Optional[int]
    responseStatus: Optional[int]
    responseBody: Optional[str]
    """At most 8 KiB of it, credentials that were sent removed."""
    errorMessage: Optional[str]
    """Why the newest attempt failed."""
    deliveredAt: Optional[str]
    failedAt: Optional[str]
    callbackUrl: Optional[str]
    failureCallbackUrl: Optional[str]
    flowControlKey: Optional[str]
    retryOf: Optional[str]
    """The failed message that this one is a retry of, from the DLQ."""
    label: Optional[str]
    """As it was published."""
    scheduleId: Optional[str]
    """The schedule that published it."""
    urlGroupId: Optional[str]
    """The URL group that it was published to."""
    nextAttemptAt: Optional[str]
    """When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. While an attempt is under way: when that one was due. Null once the message has ended."""
    contentExpired: bool
    """True: headers, body and attempts had their time after the end and are gone. The record is kept longer."""
    createdAt: str
    updatedAt: str


class PublicUrlGroup(TypedDict):
    groupId: str
    name: str
    endpointCount: int
    createdAt: str
    updatedAt: str


class PublicUrlGroupEndpoint(TypedDict):
    id: str
    url: str
    name: Optional[str]
    retryCount: Optional[int]
    createdAt: str


class PublicUrlGroupWithEndpoints(TypedDict):
    groupId: str
    name: str
    endpointCount: int
    createdAt: str
    updatedAt: str
    endpoints: List[PublicUrlGroupEndpoint]
    """In the order in which they were added."""


class PublishBatchRequest(TypedDict):
    messages: List[Any]
    """Each as the body of publish. One that is not valid has its error in the reply; the others are accepted."""


class _PublishEventRequestRequired(TypedDict):
    topic: str
    """The id of the topic, `top_…`, or its name. Not `service`, to which the service publishes."""
    type: str
    """What happened. Subscriptions choose by it."""
    data: Any
    """Delivered as it is. At most 256 KiB."""


class PublishEventRequest(_PublishEventRequestRequired, total=False):
    id: str
    """Your id for it, unique in the environment: an event that is published twice is delivered once."""
    occurredAt: str
    """When it happened. Left out: now."""


class PublishMessageRequest(TypedDict, total=False):
    url: str
    """Where it is delivered to: http or https. Either this or `urlGroup`."""
    urlGroup: str
    """The id or the name of a URL group: one message for each of its endpoints, and the answer is an array."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """POST where it is left out."""
    headers: Dict[str, str]
    """Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`."""
    body: Any
    """A string is sent as it is; anything else as JSON. Null: none."""
    delay: Union[int, str]
    """Seconds, or a duration such as `1d10h30m`. At most a year."""
    scheduledFor: str
    """Not with `delay`. Past: at once. At most a year."""
    maxRetries: int
    """5 where it is left out."""
    retryDelay: str
    """CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n."""
    timeoutSeconds: int
    """For one attempt. 30 where it is left out."""
    callbackUrl: str
    """Told of the end, whichever it is."""
    failureCallbackUrl: str
    """Told of a failure."""
    deduplicationId: str
    """A second message with this id within 10 minutes is not accepted: the first one is answered."""
    contentBasedDeduplication: bool
    """The same for messages of equal url, method, headers and body. Not with `deduplicationId`."""
    flowControl: FlowControl
    """Its key, and the limits that the key has from now on. What is over them waits, in order."""
    label: str
    redact: MessageRedaction
    topic: str
    """The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone."""
    eventType: str
    """The type of the event. `message` where it is left out. With `topic` alone."""


class PublishToUrlGroupRequest(TypedDict, total=False):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """POST where it is left out."""
    headers: Dict[str, str]
    """Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`."""
    body: Any
    """A string is sent as it is; anything else as JSON. Null: none."""
    delay: Union[int, str]
    """Seconds, or a duration such as `1d10h30m`. At most a year."""
    scheduledFor: str
    """Not with `delay`. Past: at once. At most a year."""
    maxRetries: int
    """5 where it is left out."""
    retryDelay: str
    """CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n."""
    timeoutSeconds: int
    """For one attempt. 30 where it is left out."""
    callbackUrl: str
    """Told of the end, whichever it is."""
    failureCallbackUrl: str
    """Told of a failure."""
    deduplicationId: str
    """A second message with this id within 10 minutes is not accepted: the first one is answered."""
    contentBasedDeduplication: bool
    """The same for messages of equal url, method, headers and body. Not with `deduplicationId`."""
    flowControl: FlowControl
    """Its key, and the limits that the key has from now on. What is over them waits, in order."""
    label: str
    redact: MessageRedaction


class PublishedEvent(TypedDict):
    eventId: str
    """The service's id for it."""
    id: str
    """What its deliveries carry as `id`: the id that its publisher gave it, or the same as `eventId`."""
    topicId: str
    topic: str
    type: str
    data: Any
    occurredAt: str
    status: Literal["fanning_out", "fanned_out", "failed"]
    """`failed`: some of its messages could not be made, for the reason in `error`."""
    deliveryCount: int
    """Messages that were made for it, one for each subscription that it matched."""
    error: Optional[PublishedEventError]
    publishedBy: PublishedEventPublishedBy
    createdAt: str
    fannedOutAt: Optional[str]
    deduplicated: bool
    """True: an event with this id was there, and nothing new was accepted."""


class PublishedEventError(TypedDict):
    code: str
    message: str


class PublishedEventPublishedBy(TypedDict):
    type: str
    id: Optional[str]


class PublishedMessage(TypedDict):
    messageId: str
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]
    deduplicated: bool
    """True: `messageId` is an earlier message, and nothing new was accepted."""


class PublishedToTopic(TypedDict):
    """The event: `GET /events/{eventId}` shows its deliveries."""
    eventId: str
    status: Literal["fanning_out", "fanned_out", "failed"]
    deduplicated: bool


class Quota(TypedDict):
    name: Literal["executions", "messages", "egressBytes", "memoryOperations", "notificationEmails", "storageBytes", "environments", "previews", "approvals", "impactLimits", "cachedAnswers", "memoryCollections", "schedules", "integrations", "urlGroups", "flowControlKeys", "topics"]
    unit: str
    period: Literal["month", "none"]
    """`none`: it does not reset; deleting makes room."""
    limit: PlanCap
    used: int
    remaining: PlanCap
    percentUsed: Optional[float]
    """One decimal, cut. Null without a limit."""
    resetsAt: Optional[str]
    enforcement: Literal["hard", "after_the_fact"]
    """`after_the_fact`: known only when it is spent, so a month may end above the limit."""
    status: Literal["ok", "warning", "exceeded"]
    """`warning` from 80 % on; `exceeded` when nothing is left and the next is refused."""


class QuotaList(TypedDict):
    resetsAt: str
    """When monthly allowances begin again: 00:00 UTC on the first of the next month."""
    quotas: List[Quota]


class ReceiptCheck(TypedDict):
    valid: bool
    entries: int
    checked: ReceiptCheckChecked
    """How many of each are what was hashed."""
    head: Optional[ReceiptCheckHead]
    """The end of the chain. Keep it elsewhere: a chain that is rewritten as a whole has another one."""
    brokenAt: Optional[ReceiptCheckBrokenAt]
    """Where the chain breaks first."""


class ReceiptCheckBrokenAt(TypedDict):
    """Where the chain breaks first."""
    sequence: Optional[int]
    problem: Literal["content", "link", "end", "unchained"]
    """`content`: the record is not what was hashed, or is gone. `link`: the entry does not follow from the one before. `end`: the chain ends early, or late. `unchained`: the record has no entry."""
    kind: Optional[Literal["evidence", "attempt_started", "attempt_claimed", "attempt_ended", "late_answer", "resolution"]]
    recordId: Optional[str]


class ReceiptCheckChecked(TypedDict):
    """How many of each are what was hashed."""
    evidence: int
    attempts: int
    resolutions: int


class ReceiptCheckHead(TypedDict):
    """The end of the chain. Keep it elsewhere: a chain that is rewritten as a whole has another one."""
    sequence: int
    hash: Optional[str]


class ReceiptEntry(TypedDict):
    sequence: int
    """Its place in the chain of the effect, from 1."""
    kind: Literal["evidence", "attempt_started", "attempt_claimed", "attempt_ended", "late_answer", "resolution"]
    previousHash: Optional[str]
    """The hash of the entry before; null: it is the first."""
    hash: str
    """SHA-256 over what is recorded and the entry before; docs/receipts.md says over which bytes."""


class _RecordedRefusalRequired(TypedDict):
    code: RefusalCode
    message: str


class RecordedRefusal(_RecordedRefusalRequired, total=False):
    details: RefusalDetails


class RecoverSubscriptionRequest(TypedDict):
    since: str
    """Deliveries that failed for good from this moment on, until the request."""


class Refusal(TypedDict):
    code: RefusalCode
    message: str
    details: RefusalDetails


class RefusalDetails(TypedDict, total=False):
    approvalId: str
    effectId: str
    previewId: str
    policyId: str
    ruleId: str
    keyId: str
    fileId: str
    limitId: str
    limitIds: List[str]
    """Every limit that has too little left, the named one first."""
    available: int
    requested: int
    currency: str
    resumeAt: str
    """When the same may pass, or when the provider is read next."""
    expiresAt: str
    versionId: str
    currentVersionId: str
    secrets: List[str]
    """Names of secrets."""
    host: str
    issues: List[RefusalDetailsIssuesItem]
    """What to mend, each with a path such as `input.amount`."""


class RefusalDetailsIssuesItem(TypedDict):
    path: str
    message: str


class Reservation(TypedDict):
    limitId: str
    name: str
    dimension: str
    currency: Optional[str]
    period: str
    amount: int
    state: Literal["reserved", "settled", "released"]
    exposure: Optional[Literal["dispatching", "pending", "unknown", "partial"]]
    settled: int
    released: int
    createdAt: str
    finishedAt: Optional[str]


class _ResolveRequestRequired(TypedDict):
    outcome: Literal["succeeded", "failed"]
    evidence: ResolveRequestEvidence


class ResolveRequest(_ResolveRequestRequired, total=False):
    partialEffect: Literal["none", "possible", "confirmed"]
    """What it left behind all the same. Needed for `failed` where the `partialEffect` of the effect is `possible`; else `none` by default."""
    settledImpact: List[ImpactQuantity]
    """What it really used, at most what was declared; the rest of its allowance is given back."""


class _ResolveRequestEvidenceRequired(TypedDict):
    summary: str
    """How you know."""


class ResolveRequestEvidence(_ResolveRequestEvidenceRequired, total=False):
    providerIds: Dict[str, str]
    url: str
    """Where it can be looked up."""


class RetriedMessage(TypedDict):
    messageId: str
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]
    retryOf: str
    """The message that failed."""


class RetryDeadLetters(TypedDict, total=False):
    """Every member of the filter must hold. None: all."""
    url: str
    """The destination, exactly as it was published."""
    urlGroup: str
    """The id of a URL group, or the name of one."""
    scheduleId: str
    label: str
    """Exactly as it was published."""
    reason: Literal["retries_exhausted", "gone", "not_retryable", "destination_blocked"]
    startDate: str
    """Failed after."""
    endDate: str
    """Failed before."""
    responseStatus: int
    expectedCount: int
    """How many records you have seen. If the filter matches another number now, the answer is 409."""


class RetryMessageRequest(TypedDict, total=False):
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """POST where it is left out."""
    headers: Optional[Dict[str, str]]
    """All of them. `[REDACTED]` keeps the value of a sealed one. Null: none."""
    body: Any
    """A string is sent as it is; anything else as JSON. Null: none."""
    delay: Union[int, str]
    """Seconds, or a duration such as `1d10h30m`. At most a year."""
    scheduledFor: str
    """Not with `delay`. Past: at once. At most a year."""
    maxRetries: int
    """5 where it is left out."""
    retryDelay: Optional[str]
    timeoutSeconds: int
    """For one attempt. 30 where it is left out."""
    callbackUrl: Optional[str]
    failureCallbackUrl: Optional[str]
    flowControl: Optional[FlowControl]
    label: Optional[str]
    redact: MessageRedaction


class RotatedSigningKey(TypedDict):
    id: str
    prefix: str
    """The first characters of the secret."""
    createdAt: str
    retiresAt: Optional[str]
    """Until when it signs beside the newest one; null for that one."""
    secret: str
    """`whsec_` and the base64 of 32 bytes. Shown here, once."""


class RotatedSubscriptionSecret(TypedDict):
    subscriptionId: str
    secret: str
    """The new signing secret. It is shown here, once."""
    previousSignsUntil: Optional[str]
    """Until when what signed before signs beside it. Null: it does not sign any more."""


class Run(TypedDict):
    id: str
    agentId: Optional[str]
    agentVersion: Optional[str]
    environmentId: str
    name: Optional[str]
    status: Literal["running", "succeeded", "failed", "cancelled"]
    userId: Optional[str]
    application: Optional[str]
    input: Any
    """Any JSON value, or null."""
    output: Any
    """Any JSON value, or null."""
    error: Optional[Dict[str, Any]]
    tokens: Optional[int]
    cost: Optional[float]
    tags: Optional[List[str]]
    metadata: Optional[Dict[str, Any]]
    startedAt: str
    endedAt: Optional[str]
    durationMs: Optional[int]


class RunWithCounts(TypedDict):
    id: str
    agentId: Optional[str]
    agentVersion: Optional[str]
    environmentId: str
    name: Optional[str]
    status: Literal["running", "succeeded", "failed", "cancelled"]
    userId: Optional[str]
    application: Optional[str]
    input: Any
    """Any JSON value, or null."""
    output: Any
    """Any JSON value, or null."""
    error: Optional[Dict[str, Any]]
    tokens: Optional[int]
    cost: Optional[float]
    tags: Optional[List[str]]
    metadata: Optional[Dict[str, Any]]
    startedAt: str
    endedAt: Optional[str]
    durationMs: Optional[int]
    counts: RunWithCountsCounts


class RunWithCountsCounts(TypedDict):
    spans: int
    invocations: int
    effects: int
    approvals: int


class RunsSpansUpsertBody(TypedDict):
    spans: List[SpanUpsert]


class Schedule(TypedDict):
    id: str
    name: Optional[str]
    cron: str
    timezone: str
    destination: ShownScheduleDestination
    overlap: Literal["skip", "buffer_one", "allow_all"]
    catchUpSeconds: int
    paused: bool
    lastRunAt: Optional[str]
    """When it last published, or failed to."""
    nextRunAt: Optional[str]
    """Null while it is paused."""
    createdBy: ScheduleCreatedBy
    createdAt: str
    updatedAt: str


class ScheduleAnalytics(TypedDict):
    scheduleId: str
    name: Optional[str]
    cron: str
    timezone: str
    paused: bool
    firings: ScheduleAnalyticsFirings
    """Runs whose outcome came in the range, those asked for by hand too."""
    successRate: AnalyticsRate
    """Published of those published, failed or missed. A skipped slot counts on neither side."""
    latenessMs: Optional[AnalyticsPercentiles]
    """From the slot until it published, of those published in the range."""
    approximate: AnalyticsApproximation
    delivery: ScheduleAnalyticsDelivery
    """Messages of its firings that ended in the range."""
    lastRunAt: Optional[str]
    """When it last published, or failed to, whatever the range."""
    nextRunAt: Optional[str]
    """Null while it is paused."""


class ScheduleAnalyticsDelivery(TypedDict):
    """Messages of its firings that ended in the range."""
    delivered: int
    failed: int


class ScheduleAnalyticsFirings(TypedDict):
    """Runs whose outcome came in the range, those asked for by hand too."""
    published: int
    skipped: int
    """Nothing was published, because an earlier message had not ended or the environment was halted."""
    failed: int
    """Publishing was refused."""
    missed: int
    """Nobody fired the slot within the catch-up."""


class ScheduleCreatedBy(TypedDict):
    type: str
    id: Optional[str]


class ScheduleExecution(TypedDict):
    scheduleId: str
    trigger: Literal["schedule", "manual"]
    """`manual`: asked for by `POST /schedules/{scheduleId}/run`."""
    scheduledFor: str
    """When it was due."""
    firedAt: str
    """When its outcome came."""
    latenessMs: Optional[int]
    """Exact. Null where it published nothing."""
    outcome: Literal["queued", "waiting", "published", "skipped", "failed", "missed"]
    """As in the list of the runs of a schedule."""
    messageIds: List[str]
    """What it published, one for each endpoint of a URL group."""
    eventId: Optional[str]
    """The event that it published to a topic."""
    deliveryStatus: Optional[Literal["pending", "delivered", "failed", "cancelled"]]
    """What became of its messages, or of the deliveries of its event: `pending` while one has not ended, else `failed` where one failed. Null where there is none, or none is kept."""
    error: Optional[ScheduleExecutionError]


class ScheduleExecutionError(TypedDict):
    code: str
    message: str


class SchedulePreview(TypedDict):
    cron: str
    timezone: str
    times: List[str]
    """The next ten, or fewer where so many do not come within fifty years."""


class ScheduleRun(TypedDict):
    scheduleId: str
    trigger: Literal["schedule", "manual"]
    """`manual`: asked for by `POST /schedules/{scheduleId}/run`."""
    nominalTime: str
    """When it was due."""
    firedAt: str
    """When its outcome came."""
    outcome: Literal["queued", "waiting", "published", "skipped", "failed", "missed"]
    """`queued`: asked for, published in a moment. `waiting`: published when a message of an earlier run has ended. `skipped`, `failed`: nothing was published, for the reason in `error`. `missed`: nobody fired it within the catch-up."""
    error: Optional[ScheduleRunError]
    messages: List[ScheduleRunMessagesItem]
    eventId: Optional[str]
    """The event that it published to a topic."""


class ScheduleRunError(TypedDict):
    code: str
    message: str


class ScheduleRunMessagesItem(TypedDict):
    messageId: str
    status: Optional[Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]]
    """Null once the message is no longer kept."""


class SchedulesDeleteBody(TypedDict, total=False):
    confirmProtected: bool
    """In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body."""


class SchedulesDeleteReply(TypedDict):
    deleted: Literal[True]


class _SearchMemoryRequestRequired(TypedDict):
    query: str


class SearchMemoryRequest(_SearchMemoryRequestRequired, total=False):
    collectionIds: List[str]
    """Left out: every collection of the environment."""
    userId: str
    filter: SearchMemoryRequestFilter
    limit: int
    mode: Literal["hybrid", "vector", "text"]
    asOf: str
    """As it was recorded then and held then. Not with `validAt`."""
    validAt: str
    """What held then, as it is recorded now. Not with `asOf`."""


class SearchMemoryRequestFilter(TypedDict, total=False):
    userId: str
    agentId: str
    sessionId: str
    kind: Literal["fact", "episode"]
    """`fact`: something that holds. `episode`: something that happened."""
    source: SearchMemoryRequestFilterSource
    metadata: Dict[str, Any]
    """Members that the metadata has, with these values."""


class _SearchMemoryRequestFilterSourceRequired(TypedDict):
    type: str


class SearchMemoryRequestFilterSource(_SearchMemoryRequestFilterSourceRequired, total=False):
    id: str


class Secret(TypedDict):
    """What can be read of a secret: everything but its value."""
    id: str
    name: str
    version: int
    """That of the value in use. Counts up with every rotation, over a delete too."""
    description: Optional[str]
    createdAt: str
    rotatedAt: Optional[str]
    """When the present value replaced an earlier one; null before."""


class SecretsDeleteBody(TypedDict, total=False):
    confirmProtected: bool
    """In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body."""


class SecretsDeleteReply(TypedDict):
    deleted: Literal[True]


class _SecretsPutBodyRequired(TypedDict):
    value: str
    """The credential, 1 byte to 64 KiB of UTF-8. Write-only: no reply ever holds it."""


class SecretsPutBody(_SecretsPutBodyRequired, total=False):
    description: Optional[str]
    """What it is for. Left out, a rotation keeps the present one; null removes it. Never put a credential here."""


class Session(TypedDict):
    id: str
    name: Optional[str]
    userId: Optional[str]
    agentId: Optional[str]
    metadata: Optional[Dict[str, Any]]
    messageCount: int
    tokenCount: int
    """The sum over its messages."""
    expiresAt: Optional[str]
    """It answers 404 from then on."""
    createdAt: str
    updatedAt: str


class SessionMessage(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    content: Union[str, MessageParts]
    """Text, or parts of text and images."""
    name: Optional[str]
    toolCallId: Optional[str]
    toolCalls: Optional[List[SessionToolCall]]
    metadata: Optional[Dict[str, Any]]
    id: str
    sequence: int
    """Its place in the session. Appends leave no gap, and no number is used twice."""
    tokens: int
    """Those of its content and its tool calls, in o200k_base."""
    createdAt: str


class SessionToolCall(TypedDict):
    id: str
    name: str
    arguments: Dict[str, Any]


class SessionsCreateBody(TypedDict, total=False):
    name: Optional[str]
    userId: Optional[str]
    """Whose conversation it is, by your own name for them."""
    agentId: Optional[str]
    metadata: Optional[Dict[str, Any]]
    ttlSeconds: Optional[int]
    """It expires so long after its creation, with all its messages. Null: it does not expire."""


class SessionsDeleteReply(TypedDict):
    deleted: Literal[True]


class SessionsMessagesAppendBody(TypedDict):
    messages: List[NewSessionMessage]
    """In the order in which they were said. All or none."""


class SessionsMessagesClearReply(TypedDict):
    deleted: int
    """How many there were."""


class Shortened(TypedDict):
    """In lists, in place of a member of more than 4 KiB of JSON. Get the one record to have it whole."""
    truncated: Literal[True]
    bytes: int
    """The size of its JSON text."""
    preview: str
    """The beginning of that text."""


class ShownScheduleDestination(TypedDict, total=False):
    """As it was given. Values of credentials, and what `redact` names, are `[REDACTED]`."""
    url: str
    """Where it is delivered to: http or https. Either this or `urlGroup`."""
    urlGroup: str
    """The id or the name of a URL group: one message for each of its endpoints, and the answer is an array."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """POST where it is left out."""
    headers: Dict[str, str]
    """Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`."""
    body: Any
    """A string is sent as it is; anything else as JSON. Null: none."""
    delay: Union[int, str]
    """Seconds, or a duration such as `1d10h30m`. At most a year."""
    scheduledFor: str
    """Not with `delay`. Past: at once. At most a year."""
    maxRetries: int
    """5 where it is left out."""
    retryDelay: str
    """CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. Below a second: about a second. Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n."""
    timeoutSeconds: int
    """For one attempt. 30 where it is left out."""
    callbackUrl: str
    """Told of the end, whichever it is."""
    failureCallbackUrl: str
    """Told of a failure."""
    deduplicationId: str
    """A second message with this id within 10 minutes is not accepted: the first one is answered."""
    contentBasedDeduplication: bool
    """The same for messages of equal url, method, headers and body. Not with `deduplicationId`."""
    flowControl: FlowControl
    """Its key, and the limits that the key has from now on. What is over them waits, in order."""
    label: str
    redact: MessageRedaction
    topic: str
    """The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone."""
    eventType: str
    """The type of the event. `message` where it is left out. With `topic` alone."""


class SignInSession(TypedDict):
    user: User
    workspaces: List[SignInSessionWorkspacesItem]
    csrfToken: str
    """Send it as `X-CSRF-Token` with every request of this session that changes something."""
    authentication: SignInSessionAuthentication
    """How and when the person was authenticated last."""
    awaitsSecondFactor: bool
    """The sign-in is not finished: the user has a passkey. Until they confirm with it, or with a recovery code, this session does nothing else, and `workspaces` is empty."""
    expiresAt: str
    """The session ends then at the latest, and after an hour without a request."""


class SignInSessionAuthentication(TypedDict):
    """How and when the person was authenticated last."""
    method: Literal["password", "passkey", "recovery_code"]
    at: str


class SignInSessionWorkspacesItem(TypedDict):
    id: str
    name: str
    role: Literal["member", "admin", "owner"]


class SigningKey(TypedDict):
    id: str
    prefix: str
    """The first characters of the secret."""
    createdAt: str
    retiresAt: Optional[str]
    """Until when it signs beside the newest one; null for that one."""


class SigningKeysRotateBody(TypedDict, total=False):
    gracePeriodSeconds: int
    """How long the earlier key still signs. 0: from now on it does not."""


class SlackChannel(TypedDict):
    id: str
    name: str
    isPrivate: bool
    isMember: bool
    """The bot is in it. Invite it to a channel that it is to post to."""


class SlackChannels(TypedDict):
    channels: List[SlackChannel]
    truncated: bool
    """There are more: choose by the id that Slack shows in the details of a channel."""


class _SlackConnectionRequired(TypedDict):
    botToken: str
    """With the scopes `chat:write`, `channels:read` and `groups:read`. Sealed; never shown."""


class SlackConnection(_SlackConnectionRequired, total=False):
    name: str
    """By default the Slack workspace's own."""
    signingSecret: str
    """That of the Slack app: with it, messages have buttons that decide. Sealed; never shown."""


class Span(TypedDict):
    id: str
    runId: str
    parentId: Optional[str]
    traceId: Optional[str]
    name: str
    kind: Literal["agent", "model", "tool", "retrieval", "action", "other"]
    status: Literal["running", "succeeded", "failed", "cancelled"]
    startedAt: str
    endedAt: Optional[str]
    durationMs: Optional[int]
    input: Any
    """Any JSON value, or null."""
    output: Any
    """Any JSON value, or null."""
    error: Union[Optional[Dict[str, Any]], Shortened]
    tokens: SpanTokens
    cost: Optional[float]
    attributes: Union[Optional[Dict[str, Any]], Shortened]
    invocationId: Optional[str]
    """For a span that the service keeps for an invocation of the run."""
    effectId: Optional[str]
    approvalId: Optional[str]
    childCount: int
    """Its own children, without theirs."""
    orphan: bool
    """It names a parent that has not come; it is listed among the roots."""


class SpanTokens(TypedDict):
    input: Optional[int]
    output: Optional[int]


class _SpanUpsertRequired(TypedDict):
    id: str
    """Your own 16 hexadecimal digits, as of W3C Trace Context, or one of ours. Unique in the run."""


class SpanUpsert(_SpanUpsertRequired, total=False):
    """A member that is left out, or null, leaves what is there."""
    traceId: Optional[str]
    parentId: Optional[str]
    """It may come later."""
    name: Optional[str]
    """Left out of a new span: its id, until its name comes."""
    kind: Optional[Literal["agent", "model", "tool", "retrieval", "action", "other"]]
    """`other` where it is left out of a new span."""
    status: Optional[Literal["running", "succeeded", "failed", "cancelled"]]
    """Left out: `running`, and with an end `succeeded`, or `failed` where there is an error."""
    startedAt: Optional[str]
    endedAt: Optional[str]
    input: Any
    output: Any
    error: Optional[Dict[str, Any]]
    tokens: Optional[SpanUpsertTokens]
    cost: Optional[float]
    attributes: Optional[Dict[str, Any]]
    """Merged into those that are there."""


class SpanUpsertTokens(TypedDict, total=False):
    input: Optional[int]
    output: Optional[int]


class _StoreMemoryRequestRequired(TypedDict):
    content: str


class StoreMemoryRequest(_StoreMemoryRequestRequired, total=False):
    collectionId: str
    """Left out: the collection named `default`, which is made when it is first used."""
    kind: Literal["fact", "episode"]
    """`fact`: something that holds. `episode`: something that happened."""
    userId: Optional[str]
    agentId: Optional[str]
    sessionId: Optional[str]
    source: Optional[MemorySource]
    metadata: Dict[str, Any]
    validFrom: str
    """From when on it holds: now, where it is left out. May be past or future."""
    validTo: Optional[str]
    """Until when it holds, exclusive."""
    expiresAt: Optional[str]
    """When it is to be deleted."""


class StripeConfig(TypedDict):
    enabled: bool
    publishableKey: Optional[str]
    """Safe in a browser. Never a secret key."""
    mode: Optional[Literal["live", "test"]]


class SubscriptionAttempt(TypedDict):
    messageId: str
    """The delivery. `GET /messages/{messageId}/attempts` shows the responses."""
    eventId: Optional[str]
    """What the delivery carries as `id`. Null: the event is kept no longer."""
    eventType: Optional[str]
    number: int
    """Which attempt of the delivery, from 1."""
    status: Literal["started", "delivered", "failed"]
    """`failed`: it is retried, unless the delivery has failed for good."""
    startedAt: str
    finishedAt: Optional[str]
    latencyMs: Optional[int]
    responseStatus: Optional[int]
    errorMessage: Optional[str]


class SubscriptionRecovery(TypedDict):
    id: str
    subscriptionId: str
    since: str
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    """`paused`: it goes on by itself once the environment is resumed. `failed`: see `reason`; what is left stays."""
    reason: Optional[SubscriptionRecoveryReason]
    total: Optional[int]
    """The records that it found when it began; null until they are counted."""
    done: int
    """Deliveries that were published again."""
    failed: int
    """Deliveries whose event is kept no longer."""
    cursor: Optional[str]
    """The last record of the last page."""
    createdAt: str
    updatedAt: str
    endedAt: Optional[str]


class SubscriptionRecoveryReason(TypedDict):
    code: str
    message: str


class SubscriptionTest(TypedDict):
    eventId: str
    """The test event."""
    messageId: str
    """Its delivery: `GET /messages/{messageId}` says what became of it."""
    status: Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]


class SupersedeMemoryRequest(TypedDict, total=False):
    content: str
    kind: Literal["fact", "episode"]
    """`fact`: something that holds. `episode`: something that happened."""
    metadata: Dict[str, Any]
    """All of it."""
    validFrom: str
    """From when on it holds: now, where it is left out. May be past or future."""
    validTo: Optional[str]
    """Left out: as before, where that lies ahead of `validFrom`."""
    expiresAt: Optional[str]
    """When the whole chain is to be deleted."""


class TestApprovalPolicyFiles(TypedDict):
    files: List[ApprovalPolicyFile]
    """One policy each, told apart by name; at most 100, and 1 MiB with the whole request."""
    fixtures: List[PolicyFixture]


class TestMessageSent(TypedDict):
    message: str


class TestedApprovalPolicyFiles(TypedDict):
    passed: bool
    """True where every fixture passed."""
    passedCount: int
    failedCount: int
    results: List[PolicyFixtureResult]
    """In the order of the fixtures."""


class ToolExport(TypedDict):
    tools: List[Dict[str, Any]]
    """Definitions as the format's own API takes them."""
    names: Dict[str, str]
    """The action of each tool, by the name of the tool."""
    dropped: List[ToolExportDroppedItem]
    """What the format does not take. The service checks every input by the whole schema all the same."""


class ToolExportDroppedItem(TypedDict):
    tool: str
    path: str
    """JSON Pointer into the input schema of the action."""
    keyword: str
    reason: str


class TopUrl(TypedDict):
    url: str
    """Origin and path. User information, query and fragment are left out."""
    messages: int
    """Messages, callbacks and deliveries of events that ended in the range, cancelled ones too."""
    delivered: int
    failed: int
    """Failed for good."""
    deliveryRate: AnalyticsRate
    """Delivered of those delivered or failed."""
    latencyMs: Optional[AnalyticsPercentiles]
    """The latency of the attempts that ended in the range."""
    approximate: AnalyticsApproximation
    lastStatus: Optional[int]
    """What the destination answered to the newest attempt of the range; null where it did not answer."""
    lastFailureAt: Optional[str]
    """The newest failed attempt of the range."""


class UnitPrice(TypedDict):
    amount: int
    """In minor units of the currency, for each `per` units."""
    currency: str
    per: int


class UnpinFlowControlKeyRequest(TypedDict, total=False):
    rate: bool
    """True: messages may change rate and period again."""
    parallelism: bool
    """True: messages may change the parallelism again."""


class UpdateAction(TypedDict, total=False):
    description: Optional[str]
    adapter: ActionAdapter
    """What makes the call, and how. A PATCH replaces it whole."""
    inputSchema: Dict[str, Any]
    """JSON Schema 2020-12 of the input; it must describe an object."""
    outputSchema: Optional[Dict[str, Any]]
    """JSON Schema 2020-12 of the `result` of an invocation: `{status, headers, body}`."""
    governed: bool
    """An action with impact or verify is governed whatever stands here, and may not say false."""
    impact: List[ImpactDeclarationInput]
    """What one invocation uses up. An empty list is none."""
    verify: Optional[VerifyDeclarationInput]
    """How the outcome is read back from the provider."""
    approval: UpdateActionApproval
    """Whether a person must approve. A member that a PATCH leaves out stays as it is."""
    timeoutMs: int
    """Milliseconds that the call may take; 30000 where none is named."""
    mcp: UpdateActionMcp
    """pinned: a tool of its own for MCP clients, under its own name. False where it is left out."""
    changeNote: Optional[str]
    """Kept with the version that this makes."""
    name: str
    """Unique among the live actions of the environment."""


class UpdateActionApproval(TypedDict, total=False):
    """Whether a person must approve. A member that a PATCH leaves out stays as it is."""
    required: bool
    tag: Optional[str]


class UpdateActionMcp(TypedDict, total=False):
    """pinned: a tool of its own for MCP clients, under its own name. False where it is left out."""
    pinned: bool


class UpdateApprovalPolicy(TypedDict, total=False):
    document: Union[str, Dict[str, Any]]
    """A policy document `{ schema: "approval-policy/v1", name, priority, rules }`, as an object or as a string of YAML. What it leaves out is filled in with its default."""
    enabled: bool
    """A policy that is not enabled decides nothing."""
    expectedVersion: int
    """Answers 409 where the policy is at another version: it was changed meanwhile."""


class UpdateEnvironmentRequest(TypedDict, total=False):
    name: str
    """Unique in the workspace."""
    protected: bool
    """Deleting a secret or a schedule of a protected environment takes `confirmProtected: true`; an ungoverned action that writes needs `actions:govern`. Who has a passkey confirms decisions and the like with it (docs/identity.md, "Step-up")."""
    requireSecondFactor: bool
    """Decisions, resolutions, replays, halts and new API keys of this environment take a passkey of the person, and nobody decides through a chat or an app."""
    approvalDefault: Optional[Literal["allow", "require_approval"]]
    """What decides where neither a policy nor the action does. null: by the kind, which is require_approval for governed actions in production and allow elsewhere."""


class UpdateRun(TypedDict, total=False):
    """After its end only `tags` and `metadata` change."""
    status: Literal["succeeded", "failed", "cancelled"]
    """Ends the run. Once."""
    name: Optional[str]
    output: Any
    error: Optional[Dict[str, Any]]
    tokens: Optional[int]
    cost: Optional[float]
    """In the currency of your accounts."""
    tags: Optional[List[str]]
    metadata: Optional[Dict[str, Any]]
    """Replaces what was there."""


class UpdateScheduleRequest(TypedDict, total=False):
    name: Optional[str]
    """For people; need not be unique."""
    cron: str
    """Minute, hour, day of the month, month, day of the week; or with the second as a sixth field in front."""
    timezone: str
    """An IANA name. UTC where it is left out."""
    destination: ScheduleDestination
    """Replaces the whole destination."""
    overlap: Literal["skip", "buffer_one", "allow_all"]
    """What a slot does while a message of an earlier run has not ended. `skip`: nothing. `buffer_one`: one run waits for it. `allow_all`: publishes. `skip` where it is left out."""
    catchUpSeconds: int
    """How late a slot is still fired after an outage of the scheduler. 60 where it is left out."""


class UpdateSession(TypedDict, total=False):
    name: Optional[str]
    userId: Optional[str]
    agentId: Optional[str]
    metadata: Optional[Dict[str, Any]]
    """Replaces what was there."""
    ttlSeconds: Optional[int]
    """Counted from now. Null: it does not expire."""


class UpdateSpan(TypedDict, total=False):
    """A member that is left out, or null, leaves what is there."""
    parentId: Optional[str]
    """It may come later."""
    name: Optional[str]
    """Left out of a new span: its id, until its name comes."""
    kind: Optional[Literal["agent", "model", "tool", "retrieval", "action", "other"]]
    """`other` where it is left out of a new span."""
    status: Optional[Literal["running", "succeeded", "failed", "cancelled"]]
    """Left out: `running`, and with an end `succeeded`, or `failed` where there is an error."""
    startedAt: Optional[str]
    endedAt: Optional[str]
    input: Any
    output: Any
    error: Optional[Dict[str, Any]]
    tokens: Optional[UpdateSpanTokens]
    cost: Optional[float]
    attributes: Optional[Dict[str, Any]]
    """Merged into those that are there."""


class UpdateSpanTokens(TypedDict, total=False):
    input: Optional[int]
    output: Optional[int]


class UpsertedSpans(TypedDict):
    accepted: int
    """Spans of the request that were written."""
    rejected: List[UpsertedSpansRejectedItem]
    """The others are written all the same."""


class UpsertedSpansRejectedItem(TypedDict):
    index: int
    """Its place in the request, from 0."""
    message: str


class _UrlGroupEndpointRequestRequired(TypedDict):
    url: str
    """Where its messages are delivered to: http or https. Once in a group."""


class UrlGroupEndpointRequest(_UrlGroupEndpointRequestRequired, total=False):
    name: Optional[str]
    retryCount: Optional[int]
    """Overrides the `maxRetries` of a publish request. Null: the request decides."""


class _UrlGroupsCreateBodyRequired(TypedDict):
    name: str
    """Unique in its environment. A publish request names the group by it, or by its id."""


class UrlGroupsCreateBody(_UrlGroupsCreateBodyRequired, total=False):
    endpoints: List[UrlGroupEndpointRequest]


class UrlGroupsDeleteReply(TypedDict):
    deleted: Literal[True]


class UrlGroupsEndpointsRemoveReply(TypedDict):
    deleted: Literal[True]


class UrlGroupsUpdateBody(TypedDict):
    name: str
    """Unique in its environment. A publish request names the group by it, or by its id."""


class UsageItem(TypedDict):
    meter: Literal["executions", "messages", "egress", "memory_processing", "notification_emails"]
    unit: str
    quantity: int
    """What counts against the allowance. Executions count at their admission; those that are given back do not."""
    included: PlanCap
    billable: int
    """What the month has to pay for so far: that of the lines of the estimate."""
    byEnvironment: List[UsageItemByEnvironmentItem]
    """Sums to `quantity`."""


class UsageItemByEnvironmentItem(TypedDict):
    environmentId: str
    name: str
    quantity: int


class User(TypedDict):
    """A person who signs in."""
    id: str
    email: str
    name: str


class _VerifyDeclarationRequired(TypedDict):
    request: VerifyDeclarationRequest
    expect: List[Expectation]


class VerifyDeclaration(_VerifyDeclarationRequired, total=False):
    pending: List[Expectation]
    failed: List[Expectation]
    absenceProves: VerifyDeclarationAbsenceProves


class VerifyDeclarationAbsenceProves(TypedDict):
    minAgeSeconds: float
    reads: int


class _VerifyDeclarationInputRequired(TypedDict):
    request: VerifyDeclarationInputRequest
    expect: List[ExpectationInput]


class VerifyDeclarationInput(_VerifyDeclarationInputRequired, total=False):
    pending: List[ExpectationInput]
    failed: List[ExpectationInput]
    absenceProves: VerifyDeclarationInputAbsenceProves


class VerifyDeclarationInputAbsenceProves(TypedDict):
    minAgeSeconds: int
    reads: int


class _VerifyDeclarationInputRequestRequired(TypedDict):
    method: Literal["GET"]
    url: str


class VerifyDeclarationInputRequest(_VerifyDeclarationInputRequestRequired, total=False):
    headers: Dict[str, str]


class _VerifyDeclarationRequestRequired(TypedDict):
    method: Literal["GET"]
    url: str


class VerifyDeclarationRequest(_VerifyDeclarationRequestRequired, total=False):
    headers: Dict[str, str]


class _WrittenActionRequired(TypedDict):
    id: str
    name: str
    description: Optional[str]
    environmentId: str
    adapter: WrittenActionAdapter
    inputSchema: Dict[str, Any]
    """JSON Schema 2020-12 of the input."""
    governed: bool
    """True where the action carries impact, verify or governed: true."""
    impact: List[ImpactDeclaration]
    approval: WrittenActionApproval
    timeoutMs: int
    mcp: WrittenActionMcp
    """pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions."""
    currentVersion: WrittenActionCurrentVersion
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]
    warnings: List[ActionWarning]
    """What may be wrong with the definition that was written."""


class WrittenAction(_WrittenActionRequired, total=False):
    outputSchema: Dict[str, Any]
    verify: VerifyDeclaration


class WrittenActionAdapter(TypedDict):
    type: str
    version: str
    config: Dict[str, Any]


class _WrittenActionApprovalRequired(TypedDict):
    required: bool


class WrittenActionApproval(_WrittenActionApprovalRequired, total=False):
    tag: str


class WrittenActionCurrentVersion(TypedDict):
    id: str
    number: int
    digest: str
    """SHA-256 over the RFC 8785 (JCS) bytes of the definition."""


class WrittenActionMcp(TypedDict):
    """pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions."""
    pinned: bool


class WrittenApprovalPolicy(TypedDict):
    id: str
    name: str
    priority: int
    """That of the newest document."""
    enabled: bool
    version: int
    """Number of the newest version."""
    document: ApprovalPolicyDocument
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]
    """Set once it was deleted: it decides nothing, and its history stays."""
    warnings: List[GovernanceWarning]
    """What in the document may be a slip."""


class WrittenImpactLimit(TypedDict):
    id: str
    name: str
    dimension: str
    currency: Optional[str]
    unit: str
    """What its amounts count: `minor_units` for money, else the dimension."""
    cap: int
    period: Literal["per_effect", "hour", "day", "week", "month", "lifetime"]
    timezone: str
    scope: ImpactLimitScope
    thresholds: List[int]
    currentPeriod: Optional[str]
    """The period that counts now, such as `2026-11-21`; null for `per_effect`."""
    resetsAt: Optional[str]
    """When the next period begins; null for `per_effect` and `lifetime`."""
    reserved: int
    """In the current period, by effects that are under way or whose outcome is not known."""
    settled: int
    """In the current period, by effects that happened."""
    available: int
    """In the current period. 0 where the cap was lowered below what is used."""
    exposures: ImpactLimitExposures
    crossings: List[ImpactLimitCrossing]
    """Those of the current period, newest first; of `per_effect`, the newest."""
    createdAt: str
    updatedAt: str
    archivedAt: Optional[str]
    warnings: List[GovernanceWarning]
    """What in the limit may be a slip."""


class WrittenSchedule(TypedDict):
    id: str
    name: Optional[str]
    cron: str
    timezone: str
    destination: ShownScheduleDestination
    overlap: Literal["skip", "buffer_one", "allow_all"]
    catchUpSeconds: int
    paused: bool
    lastRunAt: Optional[str]
    """When it last published, or failed to."""
    nextRunAt: Optional[str]
    """Null while it is paused."""
    createdBy: WrittenScheduleCreatedBy
    createdAt: str
    updatedAt: str
    warnings: List[ActionWarning]
    """What may be wrong with the schedule that was written."""


class WrittenScheduleCreatedBy(TypedDict):
    type: str
    id: Optional[str]


AnalyticsMetric = Literal["invocations.created", "invocations.ended", "effects.graded", "approvals.requested", "approvals.decided", "messages.accepted", "messages.ended", "delivery.attempts", "delivery.latency.p50", "delivery.latency.p95", "delivery.latency.p99", "schedules.fired", "runs.started", "runs.ended", "runs.duration.p95", "tokens", "cost", "refusals", "errors"]
AnalyticsOnboarding = Onboarding
AnalyticsRate = Optional[float]
BatchResult = Union[PublishedMessage, List[PublishedMessage], PublishedToTopic, BatchResult4]
BodyPart = Union[BodyPart1, BodyPart2]
Context = Union[Context1, Context2, Context3]
ContextParts = List[ContextPartsItem]
EventHeaders = Dict[str, str]
EventTypePattern = str
MessageParts = List[Union[MessagePartsItem1, MessagePartsItem2]]
NotificationType = Literal["approval.requested", "effect.unknown", "effect.exhausted", "impact_limit.threshold", "impact_limit.exceeded", "budget.threshold", "budget.exceeded", "usage.threshold", "message.failed", "environment.halted", "environment.resumed", "subscription.disabled", "approval.expiring", "signing_key.rotated", "notification_preferences.updated"]
PlanCap = Union[int, Literal["unlimited"]]
PlanRates = List[PlanRatesItem]
PublicKeyCredential = Dict[str, Any]
PublishResult = Union[PublishedMessage, List[PublishedMessage], PublishedToTopic]
RefusalCode = Literal["digest_mismatch", "action_version_changed", "action_disabled", "preview_expired", "precondition_changed", "policy_denied", "policy_evaluation_error", "approval_denied", "approval_expired", "approval_cancelled", "invocation_cancelled", "approval_invalidated", "impact_limit_exceeded", "impact_unbounded", "currency_mismatch", "secret_missing", "attachment_changed", "mode_mismatch", "recipient_not_allowed", "environment_halted", "destination_blocked", "dependency_unsettled", "operation_in_flight", "requester_revoked", "provider_rejected", "provider_reports_failure", "absent_at_provider", "reversed_by_provider", "not_sent", "not_taken_up", "resolved_as_failed", "no_usable_answer", "worker_lost", "database_recovered", "replay_unanswered", "ambiguous_at_provider"]
ScheduleDestination = PublishMessageRequest
Scope = Literal["messages:read", "messages:write", "messages:ingest", "schedules:read", "schedules:write", "queues:read", "queues:write", "workflows:read", "workflows:write", "integrations:read", "integrations:write", "logs:read", "dlq:read", "dlq:write", "flow-control:read", "flow-control:write", "url-groups:read", "url-groups:write", "billing:read", "notifications:read", "notifications:write", "notifications:manage", "feedback:write", "analytics:read", "memory:read", "memory:write", "events:read", "events:write", "files:read", "files:write", "cache:read", "cache:write", "sessions:read", "sessions:write", "context:read", "secrets:read", "secrets:write", "actions:read", "actions:write", "actions:invoke", "actions:govern", "actions:resolve", "approvals:read", "approvals:write", "approvals:decide", "budgets:read", "budgets:write", "runs:read", "runs:write", "environments:halt", "policies:read", "policies:write", "impact-limits:read", "impact-limits:write"]
