"""Every operation that an API key may call, by its area. Made by `npm run openapi`; do not change it by hand."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Protocol, Union

from ._requests import Page
from .types import (
    Action,
    ActionPreview,
    ActionVersion,
    AnalyticsDelivery,
    AnalyticsMessages,
    AnalyticsMetric,
    AnalyticsOnboarding,
    AnalyticsOverview,
    AnalyticsTimeSeries,
    AnalyticsTrustControl,
    AnalyticsUsageCurrent,
    AnalyticsUsageHistory,
    AppliedApprovalPolicyPlan,
    ApplyApprovalPolicyPlan,
    Approval,
    ApprovalPolicy,
    ApprovalPolicyPlan,
    ApprovalPolicyVerdict,
    ApprovalPolicyVersion,
    ApprovalRequest,
    ApproveRequest,
    AssembleContext,
    BatchResult,
    BillingBudget,
    BillingPlan,
    BillingPutBudgetBody,
    BillingUpgradeBody,
    BillingUsageHistory,
    Budget,
    BudgetsDeleteReply,
    BudgetsPutBody,
    CacheDeleteReply,
    CacheEntry,
    CacheFlushBody,
    CacheFlushReply,
    CacheLookup,
    CacheLookupResult,
    CacheStats,
    CacheStore,
    Context,
    CostEstimate,
    CreateAction,
    CreateApprovalPolicy,
    CreateRun,
    CreateScheduleRequest,
    CurrentUsage,
    DeadLetter,
    DeadLetterJob,
    DeadLetterStats,
    DeadLettersDeleteReply,
    DenyRequest,
    DiscordConnection,
    DryRun,
    EffectDetail,
    EffectsAddNoteBody,
    Environment,
    EvaluateApprovalPolicies,
    EventSubscription,
    EventSubscriptionCreated,
    EventTopic,
    EventWithDeliveries,
    EventsSubscriptionsCreateBody,
    EventsSubscriptionsDeleteReply,
    EventsSubscriptionsRotateSecretBody,
    EventsSubscriptionsUpdateBody,
    EventsTopicsCreateBody,
    EventsTopicsDeleteReply,
    EventsTopicsUpdateBody,
    File,
    FilePresign,
    FilesDeleteReply,
    FlowControl,
    FlowControlKey,
    FlowControlLimits,
    FlowControlStatus,
    FoundMemory,
    HaltEnvironmentRequest,
    Identity,
    ImpactLimit,
    ImpactLimitsCreateBody,
    ImpactLimitsUpdateBody,
    ImportActions,
    ImportedOperation,
    IngestMemoryRequest,
    Integration,
    IntegrationToggled,
    IntegrationsSlackChannelBody,
    IntegrationsToggleBody,
    Invocation,
    Invoice,
    InvokeRequest,
    ListedAction,
    ListedActionVersion,
    ListedApproval,
    ListedApprovalPolicy,
    ListedApprovalPolicyVersion,
    ListedCacheEntry,
    ListedDeadLetter,
    ListedEffectDetail,
    ListedEvent,
    ListedEventSubscription,
    ListedInvocation,
    ListedMessage,
    ListedPlan,
    ListedRun,
    ListedSchedule,
    ListedSession,
    Memory,
    MemoryCollection,
    MemoryCollectionsCreateBody,
    MemoryCollectionsDeleteReply,
    MemoryCollectionsUpdateBody,
    MemoryDeleteReply,
    MemoryForgetBody,
    MemoryForgetReply,
    MemoryJob,
    MessageAttempt,
    Notification,
    NotificationPreferences,
    NotificationPreferencesUpdate,
    NotificationType,
    NotificationsDeleteReply,
    NotificationsPreferencesTestWebhookReply,
    NotificationsReadAllReply,
    NotificationsUnreadCountReply,
    OwnNotificationPreferences,
    OwnNotificationPreferencesUpdate,
    PlanApprovalPolicyFiles,
    PresignedFile,
    PreviewRefreshRequest,
    PreviewRequest,
    PublicMessage,
    PublicUrlGroup,
    PublicUrlGroupEndpoint,
    PublicUrlGroupWithEndpoints,
    PublishBatchRequest,
    PublishEventRequest,
    PublishMessageRequest,
    PublishResult,
    PublishToUrlGroupRequest,
    PublishedEvent,
    PublishedMessage,
    QuotaList,
    ReceiptCheck,
    RecoverSubscriptionRequest,
    ResolveRequest,
    RetriedMessage,
    RetryDeadLetters,
    RetryMessageRequest,
    RotatedSubscriptionSecret,
    Run,
    RunWithCounts,
    RunsSpansUpsertBody,
    Schedule,
    SchedulePreview,
    ScheduleRun,
    SchedulesDeleteBody,
    SchedulesDeleteReply,
    Scope,
    SearchMemoryRequest,
    Secret,
    SecretsDeleteBody,
    SecretsDeleteReply,
    SecretsPutBody,
    Session,
    SessionMessage,
    SessionsCreateBody,
    SessionsDeleteReply,
    SessionsMessagesAppendBody,
    SessionsMessagesClearReply,
    SigningKey,
    SlackChannels,
    SlackConnection,
    Span,
    StoreMemoryRequest,
    StripeConfig,
    SubscriptionAttempt,
    SubscriptionRecovery,
    SubscriptionTest,
    SupersedeMemoryRequest,
    TestApprovalPolicyFiles,
    TestMessageSent,
    TestedApprovalPolicyFiles,
    ToolExport,
    UnpinFlowControlKeyRequest,
    UpdateAction,
    UpdateApprovalPolicy,
    UpdateRun,
    UpdateScheduleRequest,
    UpdateSession,
    UpdateSpan,
    UpsertedSpans,
    UrlGroupEndpointRequest,
    UrlGroupsCreateBody,
    UrlGroupsDeleteReply,
    UrlGroupsEndpointsRemoveReply,
    UrlGroupsUpdateBody,
    WrittenAction,
    WrittenApprovalPolicy,
    WrittenImpactLimit,
    WrittenSchedule,
)


class Caller(Protocol):
    def call(self, method: str, path: str, *, path_params: Optional[Mapping[str, str]] = None, query: Optional[Mapping[str, Any]] = None, body: Any = None, idempotency_key: Optional[str] = None) -> Any: ...

    def call_page(self, path: str, *, path_params: Optional[Mapping[str, str]] = None, query: Optional[Mapping[str, Any]] = None) -> Page[Any]: ...


class AuthOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def identity(self) -> Identity:
        """Get the caller's own credential."""
        return self._caller.call("GET", "/api/v2/auth/identity")


class EnvironmentsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def halt(self, workspace_id: str, environment_id: str, body: HaltEnvironmentRequest) -> Environment:
        """Halt an environment. Scope: environments:halt."""
        return self._caller.call("POST", "/api/v2/workspaces/{workspaceId}/environments/{environmentId}/halt", path_params={"workspaceId": workspace_id, "environmentId": environment_id}, body=body)

    def resume(self, workspace_id: str, environment_id: str) -> Environment:
        """Resume a halted environment. Scope: environments:halt."""
        return self._caller.call("POST", "/api/v2/workspaces/{workspaceId}/environments/{environmentId}/resume", path_params={"workspaceId": workspace_id, "environmentId": environment_id})


class SecretsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[Secret]]:
        """List secrets, newest first, without their values. Scope: secrets:read."""
        return self._caller.call_page("/api/v2/secrets", query={"page": page, "limit": limit})

    def put(self, name: str, body: SecretsPutBody) -> Secret:
        """Create or rotate a secret. Scope: secrets:write."""
        return self._caller.call("PUT", "/api/v2/secrets/{name}", path_params={"name": name}, body=body)

    def get(self, name: str) -> Secret:
        """Get a secret, without its value. Scope: secrets:read."""
        return self._caller.call("GET", "/api/v2/secrets/{name}", path_params={"name": name})

    def delete(self, name: str, body: Optional[SecretsDeleteBody] = None, *, confirm_protected: Optional[bool] = None) -> SecretsDeleteReply:
        """Destroy a secret and all its sealed versions. Scope: secrets:write."""
        return self._caller.call("DELETE", "/api/v2/secrets/{name}", path_params={"name": name}, query={"confirmProtected": confirm_protected}, body=body)


class ActionsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, name: Optional[str] = None, query: Optional[str] = None, include_archived: Optional[bool] = None) -> Page[List[ListedAction]]:
        """List actions, newest first. Scope: actions:read."""
        return self._caller.call_page("/api/v2/actions", query={"page": page, "limit": limit, "name": name, "query": query, "includeArchived": include_archived})

    def create(self, body: CreateAction, *, idempotency_key: Optional[str] = None) -> WrittenAction:
        """Create an action and its version 1. Scope: actions:write."""
        return self._caller.call("POST", "/api/v2/actions", body=body, idempotency_key=idempotency_key)

    def import_(self, body: ImportActions, *, idempotency_key: Optional[str] = None) -> List[ImportedOperation]:
        """Import actions from an OpenAPI description. Scope: actions:write."""
        return self._caller.call("POST", "/api/v2/actions/import", body=body, idempotency_key=idempotency_key)

    def get(self, ref: str) -> Action:
        """Get an action by id or name. Scope: actions:read."""
        return self._caller.call("GET", "/api/v2/actions/{ref}", path_params={"ref": ref})

    def update(self, ref: str, body: Optional[UpdateAction] = None) -> WrittenAction:
        """Change an action. Scope: actions:write."""
        return self._caller.call("PATCH", "/api/v2/actions/{ref}", path_params={"ref": ref}, body=body)

    def archive(self, ref: str) -> Action:
        """Archive an action. Scope: actions:write."""
        return self._caller.call("DELETE", "/api/v2/actions/{ref}", path_params={"ref": ref})

    def versions_list(self, ref: str, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[ListedActionVersion]]:
        """List the immutable versions of an action, newest first. Scope: actions:read."""
        return self._caller.call_page("/api/v2/actions/{ref}/versions", path_params={"ref": ref}, query={"page": page, "limit": limit})

    def versions_get(self, ref: str, number: str) -> ActionVersion:
        """Get one version of an action by its number. Scope: actions:read."""
        return self._caller.call("GET", "/api/v2/actions/{ref}/versions/{number}", path_params={"ref": ref, "number": number})

    def export_tools(self, *, format: Literal["openai", "anthropic", "mcp"], page: Optional[int] = None, limit: Optional[int] = None, actions: Optional[Union[str, List[str]]] = None) -> Page[ToolExport]:
        """Export actions as tool definitions. Scope: actions:read."""
        return self._caller.call_page("/api/v2/actions/tools", query={"page": page, "limit": limit, "format": format, "actions": actions})

    def invoke(self, ref: str, body: InvokeRequest, *, idempotency_key: Optional[str] = None) -> Union[Invocation, DryRun]:
        """Invoke an action. Scope: actions:invoke."""
        return self._caller.call("POST", "/api/v2/actions/{ref}/invoke", path_params={"ref": ref}, body=body, idempotency_key=idempotency_key)

    def list_invocations(self, ref: str, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["pending_approval", "queued", "dispatching", "succeeded", "failed", "unknown", "refused", "denied", "expired", "cancelled"]] = None, grade: Optional[Literal["confirmed", "acknowledged", "unknown", "failed", "refused", "denied", "pending"]] = None, operation_key: Optional[str] = None, agent_id: Optional[str] = None, run_id: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Page[List[ListedInvocation]]:
        """List one action's invocations, newest first. Scope: actions:read."""
        return self._caller.call_page("/api/v2/actions/{ref}/invocations", path_params={"ref": ref}, query={"page": page, "limit": limit, "status": status, "grade": grade, "operationKey": operation_key, "agentId": agent_id, "runId": run_id, "from": from_, "to": to})


class PreviewsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, ref: str, body: PreviewRequest, *, idempotency_key: Optional[str] = None) -> ActionPreview:
        """Preview a governed invocation. Scope: actions:invoke."""
        return self._caller.call("POST", "/api/v2/actions/{ref}/previews", path_params={"ref": ref}, body=body, idempotency_key=idempotency_key)

    def get(self, id: str) -> ActionPreview:
        """Get a preview. Scope: actions:read."""
        return self._caller.call("GET", "/api/v2/actions/previews/{id}", path_params={"id": id})

    def refresh(self, id: str, body: Optional[PreviewRefreshRequest] = None, *, idempotency_key: Optional[str] = None) -> ActionPreview:
        """Refresh a preview. Scope: actions:invoke."""
        return self._caller.call("POST", "/api/v2/actions/previews/{id}/refresh", path_params={"id": id}, body=body, idempotency_key=idempotency_key)


class InvocationsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["pending_approval", "queued", "dispatching", "succeeded", "failed", "unknown", "refused", "denied", "expired", "cancelled"]] = None, grade: Optional[Literal["confirmed", "acknowledged", "unknown", "failed", "refused", "denied", "pending"]] = None, operation_key: Optional[str] = None, agent_id: Optional[str] = None, run_id: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, action: Optional[str] = None) -> Page[List[ListedInvocation]]:
        """List invocations, newest first. Scope: actions:read."""
        return self._caller.call_page("/api/v2/actions/invocations", query={"page": page, "limit": limit, "status": status, "grade": grade, "operationKey": operation_key, "agentId": agent_id, "runId": run_id, "from": from_, "to": to, "action": action})

    def get(self, id: str, *, wait: Optional[int] = None) -> Invocation:
        """Get an invocation, or wait for it. Scope: actions:read."""
        return self._caller.call("GET", "/api/v2/actions/invocations/{id}", path_params={"id": id}, query={"wait": wait})

    def resolve(self, id: str, body: ResolveRequest, *, idempotency_key: Optional[str] = None) -> Invocation:
        """Record what became of an unknown invocation. Scope: actions:resolve."""
        return self._caller.call("POST", "/api/v2/actions/invocations/{id}/resolve", path_params={"id": id}, body=body, idempotency_key=idempotency_key)


class EffectsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, grade: Optional[Literal["confirmed", "acknowledged", "unknown", "failed", "refused", "denied", "pending"]] = None, stage: Optional[Literal["awaiting_approval", "ready", "dispatching", "reconciling", "settled", "rejected"]] = None, outcome: Optional[Literal["not_dispatched", "pending", "succeeded", "failed", "unknown"]] = None, action: Optional[str] = None) -> Page[List[ListedEffectDetail]]:
        """List governed effects, newest first. Scope: actions:read."""
        return self._caller.call_page("/api/v2/actions/effects", query={"page": page, "limit": limit, "grade": grade, "stage": stage, "outcome": outcome, "action": action})

    def get(self, id: str) -> EffectDetail:
        """Get an effect with its attempts, evidence and reservations. Scope: actions:read."""
        return self._caller.call("GET", "/api/v2/actions/effects/{id}", path_params={"id": id})

    def verify(self, id: str) -> ReceiptCheck:
        """Check the receipt of an effect. Scope: actions:read."""
        return self._caller.call("GET", "/api/v2/actions/effects/{id}/verify", path_params={"id": id})

    def add_note(self, id: str, body: EffectsAddNoteBody, *, idempotency_key: Optional[str] = None) -> EffectDetail:
        """Add an investigation note. Scope: actions:resolve."""
        return self._caller.call("POST", "/api/v2/actions/effects/{id}/notes", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def reconcile(self, id: str) -> EffectDetail:
        """Look up the outcome of an effect now. Scope: actions:resolve."""
        return self._caller.call("POST", "/api/v2/actions/effects/{id}/reconcile", path_params={"id": id})

    def resolve(self, id: str, body: ResolveRequest, *, idempotency_key: Optional[str] = None) -> EffectDetail:
        """Record what became of an unknown effect. Scope: actions:resolve."""
        return self._caller.call("POST", "/api/v2/actions/effects/{id}/resolve", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def replay(self, id: str) -> EffectDetail:
        """Send a lost request again under the same idempotency key. Scope: actions:resolve."""
        return self._caller.call("POST", "/api/v2/actions/effects/{id}/replay", path_params={"id": id})


class ApprovalPoliciesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, name: Optional[str] = None, enabled: Optional[bool] = None, include_archived: Optional[bool] = None) -> Page[List[ListedApprovalPolicy]]:
        """List approval policies, newest first. Scope: policies:read."""
        return self._caller.call_page("/api/v2/approval-policies", query={"page": page, "limit": limit, "name": name, "enabled": enabled, "includeArchived": include_archived})

    def create(self, body: CreateApprovalPolicy, *, idempotency_key: Optional[str] = None) -> WrittenApprovalPolicy:
        """Create an approval policy and its version 1. Scope: policies:write."""
        return self._caller.call("POST", "/api/v2/approval-policies", body=body, idempotency_key=idempotency_key)

    def evaluate(self, body: EvaluateApprovalPolicies) -> ApprovalPolicyVerdict:
        """Evaluate the policies for an invocation. Scope: policies:read."""
        return self._caller.call("POST", "/api/v2/approval-policies/evaluate", body=body)

    def files_plan(self, body: PlanApprovalPolicyFiles, *, idempotency_key: Optional[str] = None) -> ApprovalPolicyPlan:
        """Plan what applying policy files would change. Scope: policies:read."""
        return self._caller.call("POST", "/api/v2/approval-policies/files/plan", body=body, idempotency_key=idempotency_key)

    def files_apply(self, body: ApplyApprovalPolicyPlan, *, idempotency_key: Optional[str] = None) -> AppliedApprovalPolicyPlan:
        """Apply a plan made from policy files. Scope: policies:write."""
        return self._caller.call("POST", "/api/v2/approval-policies/files/apply", body=body, idempotency_key=idempotency_key)

    def files_test(self, body: TestApprovalPolicyFiles) -> TestedApprovalPolicyFiles:
        """Test policy files against fixture requests. Scope: policies:read."""
        return self._caller.call("POST", "/api/v2/approval-policies/files/test", body=body)

    def get(self, policy_id: str) -> ApprovalPolicy:
        """Get an approval policy with its newest document. Scope: policies:read."""
        return self._caller.call("GET", "/api/v2/approval-policies/{policyId}", path_params={"policyId": policy_id})

    def update(self, policy_id: str, body: Optional[UpdateApprovalPolicy] = None, *, idempotency_key: Optional[str] = None) -> WrittenApprovalPolicy:
        """Change an approval policy. Scope: policies:write."""
        return self._caller.call("PATCH", "/api/v2/approval-policies/{policyId}", path_params={"policyId": policy_id}, body=body, idempotency_key=idempotency_key)

    def delete(self, policy_id: str, *, idempotency_key: Optional[str] = None) -> ApprovalPolicy:
        """Delete an approval policy. Scope: policies:write."""
        return self._caller.call("DELETE", "/api/v2/approval-policies/{policyId}", path_params={"policyId": policy_id}, idempotency_key=idempotency_key)

    def versions_list(self, policy_id: str, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[ListedApprovalPolicyVersion]]:
        """List the immutable versions of an approval policy, newest first. Scope: policies:read."""
        return self._caller.call_page("/api/v2/approval-policies/{policyId}/versions", path_params={"policyId": policy_id}, query={"page": page, "limit": limit})

    def versions_get(self, policy_id: str, version: str) -> ApprovalPolicyVersion:
        """Get one version of an approval policy by its number. Scope: policies:read."""
        return self._caller.call("GET", "/api/v2/approval-policies/{policyId}/versions/{version}", path_params={"policyId": policy_id, "version": version})


class ApprovalsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["pending", "approved", "denied", "expired", "cancelled", "invalidated", "consumed"]] = None, kind: Optional[Literal["invocation", "free_standing"]] = None, action: Optional[str] = None, invocation_id: Optional[str] = None, effect_id: Optional[str] = None) -> Page[List[ListedApproval]]:
        """List approvals, newest first. Scope: approvals:read."""
        return self._caller.call_page("/api/v2/approvals", query={"page": page, "limit": limit, "status": status, "kind": kind, "action": action, "invocationId": invocation_id, "effectId": effect_id})

    def create(self, body: ApprovalRequest, *, idempotency_key: Optional[str] = None) -> Approval:
        """Open a free-standing approval. Scope: approvals:write."""
        return self._caller.call("POST", "/api/v2/approvals", body=body, idempotency_key=idempotency_key)

    def get(self, id: str, *, wait: Optional[int] = None) -> Approval:
        """Get an approval, or wait for it. Scope: approvals:read."""
        return self._caller.call("GET", "/api/v2/approvals/{id}", path_params={"id": id}, query={"wait": wait})

    def approve(self, id: str, body: ApproveRequest, *, idempotency_key: Optional[str] = None) -> Approval:
        """Approve a request. Scope: approvals:decide."""
        return self._caller.call("POST", "/api/v2/approvals/{id}/approve", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def deny(self, id: str, body: DenyRequest, *, idempotency_key: Optional[str] = None) -> Approval:
        """Deny a request. Scope: approvals:decide."""
        return self._caller.call("POST", "/api/v2/approvals/{id}/deny", path_params={"id": id}, body=body, idempotency_key=idempotency_key)


class ImpactLimitsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, dimension: Optional[str] = None, include_archived: Optional[bool] = None) -> Page[List[ImpactLimit]]:
        """List impact limits with what is used of them, newest first. Scope: impact-limits:read."""
        return self._caller.call_page("/api/v2/impact-limits", query={"page": page, "limit": limit, "dimension": dimension, "includeArchived": include_archived})

    def create(self, body: ImpactLimitsCreateBody, *, idempotency_key: Optional[str] = None) -> WrittenImpactLimit:
        """Create an impact limit. Scope: impact-limits:write."""
        return self._caller.call("POST", "/api/v2/impact-limits", body=body, idempotency_key=idempotency_key)

    def get(self, id: str) -> ImpactLimit:
        """Get an impact limit with what is used of it. Scope: impact-limits:read."""
        return self._caller.call("GET", "/api/v2/impact-limits/{id}", path_params={"id": id})

    def update(self, id: str, body: Optional[ImpactLimitsUpdateBody] = None, *, idempotency_key: Optional[str] = None) -> WrittenImpactLimit:
        """Change the name, cap or thresholds of an impact limit. Scope: impact-limits:write."""
        return self._caller.call("PATCH", "/api/v2/impact-limits/{id}", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def archive(self, id: str, *, idempotency_key: Optional[str] = None) -> ImpactLimit:
        """Archive an impact limit. Scope: impact-limits:write."""
        return self._caller.call("DELETE", "/api/v2/impact-limits/{id}", path_params={"id": id}, idempotency_key=idempotency_key)


class BudgetsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[Budget]]:
        """List the budgets of API keys, newest first. Scope: budgets:read."""
        return self._caller.call_page("/api/v2/budgets", query={"page": page, "limit": limit})

    def get(self, api_key_id: str) -> Budget:
        """Get the budget of an API key. Scope: budgets:read."""
        return self._caller.call("GET", "/api/v2/budgets/{apiKeyId}", path_params={"apiKeyId": api_key_id})

    def put(self, api_key_id: str, body: BudgetsPutBody, *, idempotency_key: Optional[str] = None) -> Budget:
        """Create or replace the budget of an API key. Scope: budgets:write."""
        return self._caller.call("PUT", "/api/v2/budgets/{apiKeyId}", path_params={"apiKeyId": api_key_id}, body=body, idempotency_key=idempotency_key)

    def delete(self, api_key_id: str, *, idempotency_key: Optional[str] = None) -> BudgetsDeleteReply:
        """Remove the budget of an API key. Scope: budgets:write."""
        return self._caller.call("DELETE", "/api/v2/budgets/{apiKeyId}", path_params={"apiKeyId": api_key_id}, idempotency_key=idempotency_key)


class AnalyticsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def overview(self, *, from_: Optional[str] = None, to: Optional[str] = None, interval: Optional[Literal["auto", "15m", "hour", "day", "week", "month"]] = None, timezone: Optional[str] = None) -> AnalyticsOverview:
        """Get the numbers of the environment at a glance. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/overview", query={"from": from_, "to": to, "interval": interval, "timezone": timezone})

    def trust_control(self, *, from_: Optional[str] = None, to: Optional[str] = None, interval: Optional[Literal["auto", "15m", "hour", "day", "week", "month"]] = None, timezone: Optional[str] = None) -> AnalyticsTrustControl:
        """Get what governed the actions of the environment. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/trust-control", query={"from": from_, "to": to, "interval": interval, "timezone": timezone})

    def delivery(self, *, from_: Optional[str] = None, to: Optional[str] = None, interval: Optional[Literal["auto", "15m", "hour", "day", "week", "month"]] = None, timezone: Optional[str] = None, url: Optional[str] = None, subscription_id: Optional[str] = None) -> AnalyticsDelivery:
        """Analyse the delivery of messages. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/delivery", query={"from": from_, "to": to, "interval": interval, "timezone": timezone, "url": url, "subscriptionId": subscription_id})

    def messages(self, *, from_: Optional[str] = None, to: Optional[str] = None, interval: Optional[Literal["auto", "15m", "hour", "day", "week", "month"]] = None, timezone: Optional[str] = None, include_event_deliveries: Optional[bool] = None) -> AnalyticsMessages:
        """Count messages. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/messages", query={"from": from_, "to": to, "interval": interval, "timezone": timezone, "includeEventDeliveries": include_event_deliveries})

    def time_series(self, *, metric: AnalyticsMetric, from_: Optional[str] = None, to: Optional[str] = None, interval: Optional[Literal["auto", "15m", "hour", "day", "week", "month"]] = None, timezone: Optional[str] = None, group_by: Optional[str] = None, top: Optional[int] = None) -> AnalyticsTimeSeries:
        """Get a metric over time. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/time-series", query={"from": from_, "to": to, "interval": interval, "timezone": timezone, "metric": metric, "groupBy": group_by, "top": top})

    def usage_current(self) -> AnalyticsUsageCurrent:
        """Get what was used this month. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/usage/current")

    def usage_history(self, *, from_: Optional[str] = None, to: Optional[str] = None, meter: Optional[Literal["executions", "messages", "egress", "memory_processing", "notification_emails"]] = None) -> AnalyticsUsageHistory:
        """List what was used on each day. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/usage/history", query={"from": from_, "to": to, "meter": meter})

    def onboarding(self) -> AnalyticsOnboarding:
        """Get the steps that lead to a first governed action. Scope: analytics:read."""
        return self._caller.call("GET", "/api/v2/analytics/onboarding")


class BillingOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def plan(self) -> BillingPlan:
        """Get the workspace's plan. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/plan")

    def plans(self) -> List[ListedPlan]:
        """List the plans. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/plans")

    def quota(self) -> QuotaList:
        """Get what is left of each quota. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/quota")

    def usage_current(self) -> CurrentUsage:
        """Get what the workspace has used this month. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/usage/current")

    def usage_history(self, *, from_: Optional[str] = None, to: Optional[str] = None) -> BillingUsageHistory:
        """List what the workspace used on each day. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/usage/history", query={"from": from_, "to": to})

    def cost_estimate(self) -> CostEstimate:
        """Estimate what this month costs. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/cost-estimate")

    def invoices(self, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["draft", "open", "paid", "void", "uncollectible"]] = None) -> Page[List[Invoice]]:
        """List the invoices. Scope: billing:read."""
        return self._caller.call_page("/api/v2/billing/invoices", query={"page": page, "limit": limit, "status": status})

    def budget(self) -> BillingBudget:
        """Get the alert target of the workspace. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/budget")

    def put_budget(self, body: BillingPutBudgetBody) -> BillingBudget:
        """Set the alert target of the workspace. Scope: billing:read."""
        return self._caller.call("PUT", "/api/v2/billing/budget", body=body)

    def upgrade(self, body: BillingUpgradeBody) -> BillingPlan:
        """Ask for another plan. Scope: billing:read."""
        return self._caller.call("POST", "/api/v2/billing/upgrade", body=body)

    def stripe_config(self) -> StripeConfig:
        """Get the payment provider's configuration for a browser. Scope: billing:read."""
        return self._caller.call("GET", "/api/v2/billing/stripe-config")


class MessagesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def publish(self, body: PublishMessageRequest, *, idempotency_key: Optional[str] = None) -> PublishResult:
        """Publish a message. Scope: messages:write."""
        return self._caller.call("POST", "/api/v2/messages/publish", body=body, idempotency_key=idempotency_key)

    def batch(self, body: PublishBatchRequest, *, idempotency_key: Optional[str] = None) -> List[BatchResult]:
        """Publish up to 1,000 messages. Scope: messages:write."""
        return self._caller.call("POST", "/api/v2/messages/batch", body=body, idempotency_key=idempotency_key)

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["pending", "scheduled", "processing", "delivered", "failed", "cancelled"]] = None, start_date: Optional[str] = None, end_date: Optional[str] = None, url: Optional[str] = None, label: Optional[str] = None, schedule_id: Optional[str] = None, include_event_deliveries: Optional[bool] = None) -> Page[List[ListedMessage]]:
        """List messages, newest first. Scope: messages:read."""
        return self._caller.call_page("/api/v2/messages", query={"page": page, "limit": limit, "status": status, "startDate": start_date, "endDate": end_date, "url": url, "label": label, "scheduleId": schedule_id, "includeEventDeliveries": include_event_deliveries})

    def get(self, message_id: str) -> PublicMessage:
        """Get a message. Scope: messages:read."""
        return self._caller.call("GET", "/api/v2/messages/{messageId}", path_params={"messageId": message_id})

    def cancel(self, message_id: str) -> PublicMessage:
        """Cancel a message. Scope: messages:write."""
        return self._caller.call("DELETE", "/api/v2/messages/{messageId}", path_params={"messageId": message_id})

    def attempts_list(self, message_id: str, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[MessageAttempt]]:
        """List a message's attempts, the first one first. Scope: messages:read."""
        return self._caller.call_page("/api/v2/messages/{messageId}/attempts", path_params={"messageId": message_id}, query={"page": page, "limit": limit})


class SchedulesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[ListedSchedule]]:
        """List schedules, newest first. Scope: schedules:read."""
        return self._caller.call_page("/api/v2/schedules", query={"page": page, "limit": limit})

    def create(self, body: CreateScheduleRequest, *, idempotency_key: Optional[str] = None) -> WrittenSchedule:
        """Create a schedule. Scope: schedules:write."""
        return self._caller.call("POST", "/api/v2/schedules", body=body, idempotency_key=idempotency_key)

    def preview(self, *, cron: str, timezone: Optional[str] = None) -> SchedulePreview:
        """Preview the next ten times of a cron expression. Scope: schedules:read."""
        return self._caller.call("GET", "/api/v2/schedules/preview", query={"cron": cron, "timezone": timezone})

    def get(self, schedule_id: str) -> Schedule:
        """Get a schedule. Scope: schedules:read."""
        return self._caller.call("GET", "/api/v2/schedules/{scheduleId}", path_params={"scheduleId": schedule_id})

    def update(self, schedule_id: str, body: Optional[UpdateScheduleRequest] = None, *, idempotency_key: Optional[str] = None) -> WrittenSchedule:
        """Change a schedule. Scope: schedules:write."""
        return self._caller.call("PATCH", "/api/v2/schedules/{scheduleId}", path_params={"scheduleId": schedule_id}, body=body, idempotency_key=idempotency_key)

    def delete(self, schedule_id: str, body: Optional[SchedulesDeleteBody] = None, *, confirm_protected: Optional[bool] = None) -> SchedulesDeleteReply:
        """Delete a schedule. Scope: schedules:write."""
        return self._caller.call("DELETE", "/api/v2/schedules/{scheduleId}", path_params={"scheduleId": schedule_id}, query={"confirmProtected": confirm_protected}, body=body)

    def pause(self, schedule_id: str, *, idempotency_key: Optional[str] = None) -> Schedule:
        """Pause a schedule. Scope: schedules:write."""
        return self._caller.call("POST", "/api/v2/schedules/{scheduleId}/pause", path_params={"scheduleId": schedule_id}, idempotency_key=idempotency_key)

    def resume(self, schedule_id: str, *, idempotency_key: Optional[str] = None) -> Schedule:
        """Resume a schedule. Scope: schedules:write."""
        return self._caller.call("POST", "/api/v2/schedules/{scheduleId}/resume", path_params={"scheduleId": schedule_id}, idempotency_key=idempotency_key)

    def run(self, schedule_id: str, *, idempotency_key: Optional[str] = None) -> ScheduleRun:
        """Fire a schedule now. Scope: schedules:write."""
        return self._caller.call("POST", "/api/v2/schedules/{scheduleId}/run", path_params={"scheduleId": schedule_id}, idempotency_key=idempotency_key)

    def runs(self, schedule_id: str, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[ScheduleRun]]:
        """List the runs of a schedule, newest first. Scope: schedules:read."""
        return self._caller.call_page("/api/v2/schedules/{scheduleId}/runs", path_params={"scheduleId": schedule_id}, query={"page": page, "limit": limit})


class FlowControlOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, key: Optional[str] = None) -> Page[List[FlowControlKey]]:
        """List flow-control keys, newest first. Scope: flow-control:read."""
        return self._caller.call_page("/api/v2/flow-control", query={"page": page, "limit": limit, "key": key})

    def create(self, body: FlowControl, *, idempotency_key: Optional[str] = None) -> FlowControlKey:
        """Create a flow-control key. Scope: flow-control:write."""
        return self._caller.call("POST", "/api/v2/flow-control", body=body, idempotency_key=idempotency_key)

    def get(self, flow_control_key_id: str) -> FlowControlKey:
        """Get a flow-control key with what waits and what is in flight. Scope: flow-control:read."""
        return self._caller.call("GET", "/api/v2/flow-control/{flowControlKeyId}", path_params={"flowControlKeyId": flow_control_key_id})

    def update(self, flow_control_key_id: str, body: Optional[FlowControlLimits] = None, *, idempotency_key: Optional[str] = None) -> FlowControlKey:
        """Change the rate or the parallelism of a flow-control key. Scope: flow-control:write."""
        return self._caller.call("PATCH", "/api/v2/flow-control/{flowControlKeyId}", path_params={"flowControlKeyId": flow_control_key_id}, body=body, idempotency_key=idempotency_key)

    def delete(self, flow_control_key_id: str) -> FlowControlKey:
        """Delete a flow-control key. Scope: flow-control:write."""
        return self._caller.call("DELETE", "/api/v2/flow-control/{flowControlKeyId}", path_params={"flowControlKeyId": flow_control_key_id})

    def status(self, flow_control_key_id: str) -> FlowControlStatus:
        """Get why the messages of a flow-control key wait, and for how long. Scope: flow-control:read."""
        return self._caller.call("GET", "/api/v2/flow-control/{flowControlKeyId}/status", path_params={"flowControlKeyId": flow_control_key_id})

    def pause(self, flow_control_key_id: str, *, idempotency_key: Optional[str] = None) -> FlowControlKey:
        """Hold the messages of a flow-control key. Scope: flow-control:write."""
        return self._caller.call("POST", "/api/v2/flow-control/{flowControlKeyId}/pause", path_params={"flowControlKeyId": flow_control_key_id}, idempotency_key=idempotency_key)

    def resume(self, flow_control_key_id: str, *, idempotency_key: Optional[str] = None) -> FlowControlKey:
        """Let the messages of a held flow-control key through again. Scope: flow-control:write."""
        return self._caller.call("POST", "/api/v2/flow-control/{flowControlKeyId}/resume", path_params={"flowControlKeyId": flow_control_key_id}, idempotency_key=idempotency_key)

    def pin(self, flow_control_key_id: str, body: Optional[FlowControlLimits] = None, *, idempotency_key: Optional[str] = None) -> FlowControlKey:
        """Keep the limits of a flow-control key, whatever messages bring. Scope: flow-control:write."""
        return self._caller.call("POST", "/api/v2/flow-control/{flowControlKeyId}/pin", path_params={"flowControlKeyId": flow_control_key_id}, body=body, idempotency_key=idempotency_key)

    def unpin(self, flow_control_key_id: str, body: Optional[UnpinFlowControlKeyRequest] = None, *, idempotency_key: Optional[str] = None) -> FlowControlKey:
        """Let messages change the limits of a flow-control key again. Scope: flow-control:write."""
        return self._caller.call("POST", "/api/v2/flow-control/{flowControlKeyId}/unpin", path_params={"flowControlKeyId": flow_control_key_id}, body=body, idempotency_key=idempotency_key)

    def reset_rate(self, flow_control_key_id: str, *, idempotency_key: Optional[str] = None) -> FlowControlKey:
        """Begin the window of a flow-control key anew. Scope: flow-control:write."""
        return self._caller.call("POST", "/api/v2/flow-control/{flowControlKeyId}/reset-rate", path_params={"flowControlKeyId": flow_control_key_id}, idempotency_key=idempotency_key)


class SigningKeysOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[SigningKey]]:
        """List the keys that sign deliveries. Scope: messages:read."""
        return self._caller.call_page("/api/v2/signing-keys", query={"page": page, "limit": limit})


class UrlGroupsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, name: Optional[str] = None) -> Page[List[PublicUrlGroup]]:
        """List URL groups, newest first. Scope: url-groups:read."""
        return self._caller.call_page("/api/v2/url-groups", query={"page": page, "limit": limit, "name": name})

    def create(self, body: UrlGroupsCreateBody, *, idempotency_key: Optional[str] = None) -> PublicUrlGroupWithEndpoints:
        """Create a URL group. Scope: url-groups:write."""
        return self._caller.call("POST", "/api/v2/url-groups", body=body, idempotency_key=idempotency_key)

    def get(self, group_id: str) -> PublicUrlGroupWithEndpoints:
        """Get a URL group with its endpoints. Scope: url-groups:read."""
        return self._caller.call("GET", "/api/v2/url-groups/{groupId}", path_params={"groupId": group_id})

    def update(self, group_id: str, body: UrlGroupsUpdateBody, *, idempotency_key: Optional[str] = None) -> PublicUrlGroupWithEndpoints:
        """Rename a URL group. Scope: url-groups:write."""
        return self._caller.call("PATCH", "/api/v2/url-groups/{groupId}", path_params={"groupId": group_id}, body=body, idempotency_key=idempotency_key)

    def delete(self, group_id: str, *, idempotency_key: Optional[str] = None) -> UrlGroupsDeleteReply:
        """Delete a URL group. Scope: url-groups:write."""
        return self._caller.call("DELETE", "/api/v2/url-groups/{groupId}", path_params={"groupId": group_id}, idempotency_key=idempotency_key)

    def endpoints_add(self, group_id: str, body: UrlGroupEndpointRequest, *, idempotency_key: Optional[str] = None) -> PublicUrlGroupEndpoint:
        """Add an endpoint to a URL group. Scope: url-groups:write."""
        return self._caller.call("POST", "/api/v2/url-groups/{groupId}/endpoints", path_params={"groupId": group_id}, body=body, idempotency_key=idempotency_key)

    def endpoints_remove(self, group_id: str, endpoint_id: str, *, idempotency_key: Optional[str] = None) -> UrlGroupsEndpointsRemoveReply:
        """Remove an endpoint from a URL group. Scope: url-groups:write."""
        return self._caller.call("DELETE", "/api/v2/url-groups/{groupId}/endpoints/{endpointId}", path_params={"groupId": group_id, "endpointId": endpoint_id}, idempotency_key=idempotency_key)

    def publish(self, group_id: str, body: Optional[PublishToUrlGroupRequest] = None, *, idempotency_key: Optional[str] = None) -> List[PublishedMessage]:
        """Publish to all endpoints of a URL group. Scope: url-groups:write."""
        return self._caller.call("POST", "/api/v2/url-groups/{groupId}/publish", path_params={"groupId": group_id}, body=body, idempotency_key=idempotency_key)


class CacheOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, namespace: Optional[str] = None) -> Page[List[ListedCacheEntry]]:
        """List cached answers, newest first. Scope: cache:read."""
        return self._caller.call_page("/api/v2/cache", query={"page": page, "limit": limit, "namespace": namespace})

    def store(self, body: CacheStore) -> CacheEntry:
        """Store an answer. Scope: cache:write."""
        return self._caller.call("POST", "/api/v2/cache", body=body)

    def lookup(self, body: CacheLookup) -> CacheLookupResult:
        """Look an answer up. Scope: cache:read."""
        return self._caller.call("POST", "/api/v2/cache/lookup", body=body)

    def flush(self, body: Optional[CacheFlushBody] = None) -> CacheFlushReply:
        """Flush the cache. Scope: cache:write."""
        return self._caller.call("POST", "/api/v2/cache/flush", body=body)

    def stats(self) -> CacheStats:
        """What the cache holds, and how often it was hit. Scope: cache:read."""
        return self._caller.call("GET", "/api/v2/cache/stats")

    def get(self, entry_id: str) -> CacheEntry:
        """Read a cached answer. Scope: cache:read."""
        return self._caller.call("GET", "/api/v2/cache/{entryId}", path_params={"entryId": entry_id})

    def delete(self, entry_id: str) -> CacheDeleteReply:
        """Delete a cached answer. Scope: cache:write."""
        return self._caller.call("DELETE", "/api/v2/cache/{entryId}", path_params={"entryId": entry_id})


class FilesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["pending", "ready"]] = None, purpose: Optional[str] = None) -> Page[List[File]]:
        """List files, newest first. Scope: files:read."""
        return self._caller.call_page("/api/v2/files", query={"page": page, "limit": limit, "status": status, "purpose": purpose})

    def presign(self, body: FilePresign) -> PresignedFile:
        """Ask where to upload a file. Scope: files:write."""
        return self._caller.call("POST", "/api/v2/files/presign", body=body)

    def confirm(self, file_id: str) -> File:
        """Confirm an upload. Scope: files:write."""
        return self._caller.call("POST", "/api/v2/files/{fileId}/confirm", path_params={"fileId": file_id})

    def get(self, file_id: str) -> File:
        """Read what is known of a file. Scope: files:read."""
        return self._caller.call("GET", "/api/v2/files/{fileId}", path_params={"fileId": file_id})

    def delete(self, file_id: str) -> FilesDeleteReply:
        """Delete a file. Scope: files:write."""
        return self._caller.call("DELETE", "/api/v2/files/{fileId}", path_params={"fileId": file_id})


class EventsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def publish(self, body: PublishEventRequest, *, idempotency_key: Optional[str] = None) -> PublishedEvent:
        """Publish an event. Scope: events:write."""
        return self._caller.call("POST", "/api/v2/events", body=body, idempotency_key=idempotency_key)

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, topic: Optional[str] = None, type: Optional[str] = None, status: Optional[Literal["fanning_out", "fanned_out", "failed"]] = None, start_date: Optional[str] = None, end_date: Optional[str] = None) -> Page[List[ListedEvent]]:
        """List events, newest first. Scope: events:read."""
        return self._caller.call_page("/api/v2/events", query={"page": page, "limit": limit, "topic": topic, "type": type, "status": status, "startDate": start_date, "endDate": end_date})

    def get(self, event_id: str, *, page: Optional[int] = None, limit: Optional[int] = None) -> EventWithDeliveries:
        """Get an event with its deliveries. Scope: events:read."""
        return self._caller.call("GET", "/api/v2/events/{eventId}", path_params={"eventId": event_id}, query={"page": page, "limit": limit})

    def topics_list(self, *, page: Optional[int] = None, limit: Optional[int] = None, name: Optional[str] = None) -> Page[List[EventTopic]]:
        """List topics, newest first. Scope: events:read."""
        return self._caller.call_page("/api/v2/events/topics", query={"page": page, "limit": limit, "name": name})

    def topics_create(self, body: EventsTopicsCreateBody, *, idempotency_key: Optional[str] = None) -> EventTopic:
        """Create a topic. Scope: events:write."""
        return self._caller.call("POST", "/api/v2/events/topics", body=body, idempotency_key=idempotency_key)

    def topics_get(self, ref: str) -> EventTopic:
        """Get a topic. Scope: events:read."""
        return self._caller.call("GET", "/api/v2/events/topics/{ref}", path_params={"ref": ref})

    def topics_update(self, ref: str, body: Optional[EventsTopicsUpdateBody] = None, *, idempotency_key: Optional[str] = None) -> EventTopic:
        """Change a topic. Scope: events:write."""
        return self._caller.call("PATCH", "/api/v2/events/topics/{ref}", path_params={"ref": ref}, body=body, idempotency_key=idempotency_key)

    def topics_delete(self, ref: str, *, idempotency_key: Optional[str] = None) -> EventsTopicsDeleteReply:
        """Delete a topic with its subscriptions and events. Scope: events:write."""
        return self._caller.call("DELETE", "/api/v2/events/topics/{ref}", path_params={"ref": ref}, idempotency_key=idempotency_key)

    def subscriptions_list(self, ref: str, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[ListedEventSubscription]]:
        """List a topic's subscriptions, newest first. Scope: events:read."""
        return self._caller.call_page("/api/v2/events/topics/{ref}/subscriptions", path_params={"ref": ref}, query={"page": page, "limit": limit})

    def subscriptions_create(self, ref: str, body: EventsSubscriptionsCreateBody, *, idempotency_key: Optional[str] = None) -> EventSubscriptionCreated:
        """Subscribe to a topic. Scope: events:write."""
        return self._caller.call("POST", "/api/v2/events/topics/{ref}/subscriptions", path_params={"ref": ref}, body=body, idempotency_key=idempotency_key)

    def subscriptions_get(self, subscription_id: str) -> EventSubscription:
        """Get a subscription. Scope: events:read."""
        return self._caller.call("GET", "/api/v2/events/subscriptions/{subscriptionId}", path_params={"subscriptionId": subscription_id})

    def subscriptions_update(self, subscription_id: str, body: Optional[EventsSubscriptionsUpdateBody] = None, *, idempotency_key: Optional[str] = None) -> EventSubscription:
        """Change a subscription. Scope: events:write."""
        return self._caller.call("PATCH", "/api/v2/events/subscriptions/{subscriptionId}", path_params={"subscriptionId": subscription_id}, body=body, idempotency_key=idempotency_key)

    def subscriptions_delete(self, subscription_id: str, *, idempotency_key: Optional[str] = None) -> EventsSubscriptionsDeleteReply:
        """Delete a subscription. Scope: events:write."""
        return self._caller.call("DELETE", "/api/v2/events/subscriptions/{subscriptionId}", path_params={"subscriptionId": subscription_id}, idempotency_key=idempotency_key)

    def subscriptions_rotate_secret(self, subscription_id: str, body: Optional[EventsSubscriptionsRotateSecretBody] = None) -> RotatedSubscriptionSecret:
        """Give a subscription a new signing secret and show it once. Scope: events:write."""
        return self._caller.call("POST", "/api/v2/events/subscriptions/{subscriptionId}/rotate-secret", path_params={"subscriptionId": subscription_id}, body=body)

    def subscriptions_test(self, subscription_id: str, *, idempotency_key: Optional[str] = None) -> SubscriptionTest:
        """Send a test event to a subscription. Scope: events:write."""
        return self._caller.call("POST", "/api/v2/events/subscriptions/{subscriptionId}/test", path_params={"subscriptionId": subscription_id}, idempotency_key=idempotency_key)

    def subscriptions_attempts_list(self, subscription_id: str, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["started", "delivered", "failed"]] = None, start_date: Optional[str] = None, end_date: Optional[str] = None) -> Page[List[SubscriptionAttempt]]:
        """List a subscription's attempts, newest first. Scope: events:read."""
        return self._caller.call_page("/api/v2/events/subscriptions/{subscriptionId}/attempts", path_params={"subscriptionId": subscription_id}, query={"page": page, "limit": limit, "status": status, "startDate": start_date, "endDate": end_date})

    def subscriptions_recover(self, subscription_id: str, body: RecoverSubscriptionRequest, *, idempotency_key: Optional[str] = None) -> SubscriptionRecovery:
        """Deliver again what failed for a subscription. Scope: events:write."""
        return self._caller.call("POST", "/api/v2/events/subscriptions/{subscriptionId}/recover", path_params={"subscriptionId": subscription_id}, body=body, idempotency_key=idempotency_key)

    def subscriptions_recoveries_list(self, subscription_id: str, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["running", "paused", "completed", "failed", "cancelled"]] = None) -> Page[List[SubscriptionRecovery]]:
        """List a subscription's recoveries, newest first. Scope: events:read."""
        return self._caller.call_page("/api/v2/events/subscriptions/{subscriptionId}/recoveries", path_params={"subscriptionId": subscription_id}, query={"page": page, "limit": limit, "status": status})

    def subscriptions_recoveries_get(self, subscription_id: str, recovery_id: str) -> SubscriptionRecovery:
        """Get a recovery, with its progress. Scope: events:read."""
        return self._caller.call("GET", "/api/v2/events/subscriptions/{subscriptionId}/recoveries/{recoveryId}", path_params={"subscriptionId": subscription_id, "recoveryId": recovery_id})

    def subscriptions_recoveries_cancel(self, subscription_id: str, recovery_id: str, *, idempotency_key: Optional[str] = None) -> SubscriptionRecovery:
        """Cancel a recovery. Scope: events:write."""
        return self._caller.call("POST", "/api/v2/events/subscriptions/{subscriptionId}/recoveries/{recoveryId}/cancel", path_params={"subscriptionId": subscription_id, "recoveryId": recovery_id}, idempotency_key=idempotency_key)


class DeadLettersOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, url: Optional[str] = None, url_group: Optional[str] = None, schedule_id: Optional[str] = None, label: Optional[str] = None, reason: Optional[Literal["retries_exhausted", "gone", "not_retryable", "destination_blocked"]] = None, start_date: Optional[str] = None, end_date: Optional[str] = None, response_status: Optional[int] = None) -> Page[List[ListedDeadLetter]]:
        """List dead letters, those that failed last first. Scope: dlq:read."""
        return self._caller.call_page("/api/v2/dlq", query={"page": page, "limit": limit, "url": url, "urlGroup": url_group, "scheduleId": schedule_id, "label": label, "reason": reason, "startDate": start_date, "endDate": end_date, "responseStatus": response_status})

    def clear(self, *, url: Optional[str] = None, url_group: Optional[str] = None, schedule_id: Optional[str] = None, label: Optional[str] = None, reason: Optional[Literal["retries_exhausted", "gone", "not_retryable", "destination_blocked"]] = None, start_date: Optional[str] = None, end_date: Optional[str] = None, response_status: Optional[int] = None, confirm_protected: Optional[bool] = None, expected_count: Optional[int] = None) -> DeadLetterJob:
        """Clear the dead letters, or those of a filter, for good. Scope: dlq:write."""
        return self._caller.call("DELETE", "/api/v2/dlq", query={"url": url, "urlGroup": url_group, "scheduleId": schedule_id, "label": label, "reason": reason, "startDate": start_date, "endDate": end_date, "responseStatus": response_status, "confirmProtected": confirm_protected, "expectedCount": expected_count})

    def stats(self) -> DeadLetterStats:
        """Count dead letters, by reason, response status and destination. Scope: dlq:read."""
        return self._caller.call("GET", "/api/v2/dlq/stats")

    def get(self, message_id: str) -> DeadLetter:
        """Get a dead letter. Scope: dlq:read."""
        return self._caller.call("GET", "/api/v2/dlq/{messageId}", path_params={"messageId": message_id})

    def delete(self, message_id: str, *, idempotency_key: Optional[str] = None) -> DeadLettersDeleteReply:
        """Delete a dead letter. Scope: dlq:write."""
        return self._caller.call("DELETE", "/api/v2/dlq/{messageId}", path_params={"messageId": message_id}, idempotency_key=idempotency_key)

    def retry(self, message_id: str, body: Optional[RetryMessageRequest] = None, *, idempotency_key: Optional[str] = None) -> RetriedMessage:
        """Send a dead letter again. Scope: dlq:write."""
        return self._caller.call("POST", "/api/v2/dlq/{messageId}/retry", path_params={"messageId": message_id}, body=body, idempotency_key=idempotency_key)

    def retry_all(self, body: Optional[RetryDeadLetters] = None, *, idempotency_key: Optional[str] = None) -> DeadLetterJob:
        """Send all dead letters again, or those of a filter. Scope: dlq:write."""
        return self._caller.call("POST", "/api/v2/dlq/retry-all", body=body, idempotency_key=idempotency_key)

    def jobs_list(self, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["running", "paused", "completed", "failed", "cancelled"]] = None) -> Page[List[DeadLetterJob]]:
        """List jobs that retry or clear dead letters, newest first. Scope: dlq:read."""
        return self._caller.call_page("/api/v2/dlq/jobs", query={"page": page, "limit": limit, "status": status})

    def jobs_get(self, job_id: str) -> DeadLetterJob:
        """Get a job, with its progress. Scope: dlq:read."""
        return self._caller.call("GET", "/api/v2/dlq/jobs/{jobId}", path_params={"jobId": job_id})

    def jobs_cancel(self, job_id: str, *, idempotency_key: Optional[str] = None) -> DeadLetterJob:
        """Cancel a job. Scope: dlq:write."""
        return self._caller.call("POST", "/api/v2/dlq/jobs/{jobId}/cancel", path_params={"jobId": job_id}, idempotency_key=idempotency_key)


class RunsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, status: Optional[Literal["running", "succeeded", "failed", "cancelled"]] = None, agent_id: Optional[str] = None, user_id: Optional[str] = None, application: Optional[str] = None, tag: Optional[str] = None, start_date: Optional[str] = None, end_date: Optional[str] = None) -> Page[List[ListedRun]]:
        """List runs, newest first. Scope: runs:read."""
        return self._caller.call_page("/api/v2/runs", query={"page": page, "limit": limit, "status": status, "agentId": agent_id, "userId": user_id, "application": application, "tag": tag, "startDate": start_date, "endDate": end_date})

    def create(self, body: Optional[CreateRun] = None, *, idempotency_key: Optional[str] = None) -> Run:
        """Begin a run. Scope: runs:write."""
        return self._caller.call("POST", "/api/v2/runs", body=body, idempotency_key=idempotency_key)

    def get(self, id: str) -> RunWithCounts:
        """Get a run with the number of its spans, invocations, effects and approvals. Scope: runs:read."""
        return self._caller.call("GET", "/api/v2/runs/{id}", path_params={"id": id})

    def update(self, id: str, body: Optional[UpdateRun] = None, *, idempotency_key: Optional[str] = None) -> RunWithCounts:
        """Change or end a run. Scope: runs:write."""
        return self._caller.call("PATCH", "/api/v2/runs/{id}", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> RunWithCounts:
        """Cancel a run. Scope: runs:write."""
        return self._caller.call("POST", "/api/v2/runs/{id}/cancel", path_params={"id": id}, idempotency_key=idempotency_key)

    def spans_list(self, id: str, *, page: Optional[int] = None, limit: Optional[int] = None, parent_id: Optional[str] = None) -> Page[List[Span]]:
        """List one level of the spans of a run. Scope: runs:read."""
        return self._caller.call_page("/api/v2/runs/{id}/spans", path_params={"id": id}, query={"page": page, "limit": limit, "parentId": parent_id})

    def spans_upsert(self, id: str, body: RunsSpansUpsertBody, *, idempotency_key: Optional[str] = None) -> UpsertedSpans:
        """Write spans of a run. Scope: runs:write."""
        return self._caller.call("POST", "/api/v2/runs/{id}/spans", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def spans_get(self, id: str, span_id: str) -> Span:
        """Get a span, whole. Scope: runs:read."""
        return self._caller.call("GET", "/api/v2/runs/{id}/spans/{spanId}", path_params={"id": id, "spanId": span_id})

    def spans_update(self, id: str, span_id: str, body: Optional[UpdateSpan] = None, *, idempotency_key: Optional[str] = None) -> Span:
        """Change a span. Scope: runs:write."""
        return self._caller.call("PATCH", "/api/v2/runs/{id}/spans/{spanId}", path_params={"id": id, "spanId": span_id}, body=body, idempotency_key=idempotency_key)


class SessionsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, user_id: Optional[str] = None, agent_id: Optional[str] = None) -> Page[List[ListedSession]]:
        """List sessions, newest first. Scope: sessions:read."""
        return self._caller.call_page("/api/v2/sessions", query={"page": page, "limit": limit, "userId": user_id, "agentId": agent_id})

    def create(self, body: Optional[SessionsCreateBody] = None, *, idempotency_key: Optional[str] = None) -> Session:
        """Begin a session. Scope: sessions:write."""
        return self._caller.call("POST", "/api/v2/sessions", body=body, idempotency_key=idempotency_key)

    def get(self, id: str) -> Session:
        """Get a session. Scope: sessions:read."""
        return self._caller.call("GET", "/api/v2/sessions/{id}", path_params={"id": id})

    def update(self, id: str, body: Optional[UpdateSession] = None, *, idempotency_key: Optional[str] = None) -> Session:
        """Change a session. Scope: sessions:write."""
        return self._caller.call("PATCH", "/api/v2/sessions/{id}", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def delete(self, id: str, *, idempotency_key: Optional[str] = None) -> SessionsDeleteReply:
        """Delete a session with its messages. Scope: sessions:write."""
        return self._caller.call("DELETE", "/api/v2/sessions/{id}", path_params={"id": id}, idempotency_key=idempotency_key)

    def messages_list(self, id: str, *, page: Optional[int] = None, limit: Optional[int] = None, order: Optional[Literal["asc", "desc"]] = None, after: Optional[int] = None) -> Page[List[SessionMessage]]:
        """List the messages of a session. Scope: sessions:read."""
        return self._caller.call_page("/api/v2/sessions/{id}/messages", path_params={"id": id}, query={"page": page, "limit": limit, "order": order, "after": after})

    def messages_append(self, id: str, body: SessionsMessagesAppendBody, *, idempotency_key: Optional[str] = None) -> List[SessionMessage]:
        """Append messages to a session. Scope: sessions:write."""
        return self._caller.call("POST", "/api/v2/sessions/{id}/messages", path_params={"id": id}, body=body, idempotency_key=idempotency_key)

    def messages_clear(self, id: str, *, idempotency_key: Optional[str] = None) -> SessionsMessagesClearReply:
        """Delete all messages of a session. Scope: sessions:write."""
        return self._caller.call("DELETE", "/api/v2/sessions/{id}/messages", path_params={"id": id}, idempotency_key=idempotency_key)

    def messages_pop(self, id: str, *, idempotency_key: Optional[str] = None) -> SessionMessage:
        """Remove the newest message of a session. Scope: sessions:write."""
        return self._caller.call("DELETE", "/api/v2/sessions/{id}/messages/last", path_params={"id": id}, idempotency_key=idempotency_key)

    def context(self, id: str, *, max_tokens: Optional[int] = None, format: Optional[Literal["openai", "anthropic", "text"]] = None) -> Context:
        """Get a prompt-ready context of a session. Scope: sessions:read."""
        return self._caller.call("GET", "/api/v2/sessions/{id}/context", path_params={"id": id}, query={"maxTokens": max_tokens, "format": format})


class ContextOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def assemble(self, body: AssembleContext) -> Context:
        """Assemble a prompt-ready context. Scope: context:read."""
        return self._caller.call("POST", "/api/v2/context", body=body)


class MemoryOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def collections_list(self, *, page: Optional[int] = None, limit: Optional[int] = None, name: Optional[str] = None) -> Page[List[MemoryCollection]]:
        """List collections of memories, newest first. Scope: memory:read."""
        return self._caller.call_page("/api/v2/memory/collections", query={"page": page, "limit": limit, "name": name})

    def collections_create(self, body: MemoryCollectionsCreateBody, *, idempotency_key: Optional[str] = None) -> MemoryCollection:
        """Create a collection of memories. Scope: memory:write."""
        return self._caller.call("POST", "/api/v2/memory/collections", body=body, idempotency_key=idempotency_key)

    def collections_get(self, collection_id: str) -> MemoryCollection:
        """Get a collection of memories. Scope: memory:read."""
        return self._caller.call("GET", "/api/v2/memory/collections/{collectionId}", path_params={"collectionId": collection_id})

    def collections_update(self, collection_id: str, body: MemoryCollectionsUpdateBody, *, idempotency_key: Optional[str] = None) -> MemoryCollection:
        """Change the name or the description of a collection. Scope: memory:write."""
        return self._caller.call("PATCH", "/api/v2/memory/collections/{collectionId}", path_params={"collectionId": collection_id}, body=body, idempotency_key=idempotency_key)

    def collections_delete(self, collection_id: str, *, idempotency_key: Optional[str] = None) -> MemoryCollectionsDeleteReply:
        """Delete a collection and its memories. Scope: memory:write."""
        return self._caller.call("DELETE", "/api/v2/memory/collections/{collectionId}", path_params={"collectionId": collection_id}, idempotency_key=idempotency_key)

    def create(self, body: StoreMemoryRequest, *, idempotency_key: Optional[str] = None) -> Memory:
        """Remember something. Scope: memory:write."""
        return self._caller.call("POST", "/api/v2/memory", body=body, idempotency_key=idempotency_key)

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, collection_ids: Optional[Union[str, List[str]]] = None, user_id: Optional[str] = None, agent_id: Optional[str] = None, session_id: Optional[str] = None, kind: Optional[Literal["fact", "episode"]] = None, source_type: Optional[str] = None, source_id: Optional[str] = None, metadata: Optional[str] = None, include_superseded: Optional[bool] = None, as_of: Optional[str] = None, valid_at: Optional[str] = None) -> Page[List[Memory]]:
        """List memories, the one recorded last first. Scope: memory:read."""
        return self._caller.call_page("/api/v2/memory", query={"page": page, "limit": limit, "collectionIds": collection_ids, "userId": user_id, "agentId": agent_id, "sessionId": session_id, "kind": kind, "sourceType": source_type, "sourceId": source_id, "metadata": metadata, "includeSuperseded": include_superseded, "asOf": as_of, "validAt": valid_at})

    def search(self, body: SearchMemoryRequest) -> List[FoundMemory]:
        """Search memories. Scope: memory:read."""
        return self._caller.call("POST", "/api/v2/memory/search", body=body)

    def get(self, memory_id: str) -> Memory:
        """Get a memory. Scope: memory:read."""
        return self._caller.call("GET", "/api/v2/memory/{memoryId}", path_params={"memoryId": memory_id})

    def supersede(self, memory_id: str, body: SupersedeMemoryRequest, *, idempotency_key: Optional[str] = None) -> Memory:
        """Record a new version of a memory. Scope: memory:write."""
        return self._caller.call("PATCH", "/api/v2/memory/{memoryId}", path_params={"memoryId": memory_id}, body=body, idempotency_key=idempotency_key)

    def delete(self, memory_id: str, *, idempotency_key: Optional[str] = None) -> Union[MemoryDeleteReply, MemoryJob]:
        """Delete a memory, with its history and what was derived from it. Scope: memory:write."""
        return self._caller.call("DELETE", "/api/v2/memory/{memoryId}", path_params={"memoryId": memory_id}, idempotency_key=idempotency_key)

    def history(self, memory_id: str, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[Memory]]:
        """List all versions of a memory, the one recorded last first. Scope: memory:read."""
        return self._caller.call_page("/api/v2/memory/{memoryId}/history", path_params={"memoryId": memory_id}, query={"page": page, "limit": limit})

    def forget(self, body: MemoryForgetBody, *, idempotency_key: Optional[str] = None) -> Union[MemoryForgetReply, MemoryJob]:
        """Forget what a filter finds, with its history and what was derived from it. Scope: memory:write."""
        return self._caller.call("POST", "/api/v2/memory/forget", body=body, idempotency_key=idempotency_key)

    def ingest(self, body: IngestMemoryRequest, *, idempotency_key: Optional[str] = None) -> MemoryJob:
        """Split, embed and store a text, messages or a session. Scope: memory:write."""
        return self._caller.call("POST", "/api/v2/memory/ingest", body=body, idempotency_key=idempotency_key)

    def jobs_get(self, job_id: str) -> MemoryJob:
        """Get a job of memory, with its progress. Scope: memory:read."""
        return self._caller.call("GET", "/api/v2/memory/jobs/{jobId}", path_params={"jobId": job_id})


class IntegrationsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None) -> Page[List[Integration]]:
        """List integrations, newest first, without their credentials. Scope: integrations:read."""
        return self._caller.call_page("/api/v2/integrations", query={"page": page, "limit": limit})

    def discord_connect(self, body: DiscordConnection) -> Integration:
        """Connect a Discord channel. Scope: integrations:write."""
        return self._caller.call("POST", "/api/v2/integrations/discord", body=body)

    def discord_test(self, id: str) -> TestMessageSent:
        """Post a test message to a Discord channel. Scope: integrations:write."""
        return self._caller.call("POST", "/api/v2/integrations/discord/{id}/test", path_params={"id": id})

    def slack_connect(self, body: SlackConnection) -> Integration:
        """Connect a Slack workspace. Scope: integrations:write."""
        return self._caller.call("POST", "/api/v2/integrations/slack", body=body)

    def slack_channels(self, id: str) -> SlackChannels:
        """List the channels of the Slack workspace. Scope: integrations:read."""
        return self._caller.call("GET", "/api/v2/integrations/slack/{id}/channels", path_params={"id": id})

    def slack_channel(self, id: str, body: IntegrationsSlackChannelBody) -> Integration:
        """Choose the Slack channel. Scope: integrations:write."""
        return self._caller.call("PATCH", "/api/v2/integrations/slack/{id}/channel", path_params={"id": id}, body=body)

    def slack_test(self, id: str) -> TestMessageSent:
        """Post a test message to the Slack channel. Scope: integrations:write."""
        return self._caller.call("POST", "/api/v2/integrations/slack/{id}/test", path_params={"id": id})

    def toggle(self, id: str, body: IntegrationsToggleBody) -> IntegrationToggled:
        """Turn an integration on or off. Scope: integrations:write."""
        return self._caller.call("PATCH", "/api/v2/integrations/{id}/toggle", path_params={"id": id}, body=body)


class NotificationsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, page: Optional[int] = None, limit: Optional[int] = None, type: Optional[NotificationType] = None, unread: Optional[bool] = None) -> Page[List[Notification]]:
        """List notifications, newest first. Scope: notifications:read."""
        return self._caller.call_page("/api/v2/notifications", query={"page": page, "limit": limit, "type": type, "unread": unread})

    def unread_count(self) -> NotificationsUnreadCountReply:
        """Count unread notifications. Scope: notifications:read."""
        return self._caller.call("GET", "/api/v2/notifications/unread-count")

    def read(self, id: str) -> Notification:
        """Mark a notification as read. Scope: notifications:write."""
        return self._caller.call("PATCH", "/api/v2/notifications/{id}/read", path_params={"id": id})

    def read_all(self) -> NotificationsReadAllReply:
        """Mark all notifications as read. Scope: notifications:write."""
        return self._caller.call("PATCH", "/api/v2/notifications/read-all")

    def delete(self, id: str) -> NotificationsDeleteReply:
        """Delete a notification from the own view. Scope: notifications:write."""
        return self._caller.call("DELETE", "/api/v2/notifications/{id}", path_params={"id": id})

    def preferences_get(self) -> NotificationPreferences:
        """Get the workspace's notification preferences. Scope: notifications:read."""
        return self._caller.call("GET", "/api/v2/notifications/preferences")

    def preferences_update(self, body: NotificationPreferencesUpdate) -> NotificationPreferences:
        """Change the workspace's notification preferences. Scope: notifications:manage."""
        return self._caller.call("PATCH", "/api/v2/notifications/preferences", body=body)

    def preferences_test_webhook(self) -> NotificationsPreferencesTestWebhookReply:
        """Send a test alert to the webhook. Scope: notifications:manage."""
        return self._caller.call("POST", "/api/v2/notifications/preferences/test-webhook")

    def preferences_get_own(self) -> OwnNotificationPreferences:
        """Get what the member has muted. Scope: notifications:read."""
        return self._caller.call("GET", "/api/v2/notifications/preferences/me")

    def preferences_update_own(self, body: OwnNotificationPreferencesUpdate) -> OwnNotificationPreferences:
        """Change what the member has muted. Scope: notifications:write."""
        return self._caller.call("PATCH", "/api/v2/notifications/preferences/me", body=body)


class Operations:
    def __init__(self, caller: Caller) -> None:
        self.auth = AuthOperations(caller)
        self.environments = EnvironmentsOperations(caller)
        self.secrets = SecretsOperations(caller)
        self.actions = ActionsOperations(caller)
        self.previews = PreviewsOperations(caller)
        self.invocations = InvocationsOperations(caller)
        self.effects = EffectsOperations(caller)
        self.approval_policies = ApprovalPoliciesOperations(caller)
        self.approvals = ApprovalsOperations(caller)
        self.impact_limits = ImpactLimitsOperations(caller)
        self.budgets = BudgetsOperations(caller)
        self.analytics = AnalyticsOperations(caller)
        self.billing = BillingOperations(caller)
        self.messages = MessagesOperations(caller)
        self.schedules = SchedulesOperations(caller)
        self.flow_control = FlowControlOperations(caller)
        self.signing_keys = SigningKeysOperations(caller)
        self.url_groups = UrlGroupsOperations(caller)
        self.cache = CacheOperations(caller)
        self.files = FilesOperations(caller)
        self.events = EventsOperations(caller)
        self.dead_letters = DeadLettersOperations(caller)
        self.runs = RunsOperations(caller)
        self.sessions = SessionsOperations(caller)
        self.context = ContextOperations(caller)
        self.memory = MemoryOperations(caller)
        self.integrations = IntegrationsOperations(caller)
        self.notifications = NotificationsOperations(caller)
