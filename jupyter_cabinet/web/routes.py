"""Every route of the API, below `<base_url>cabinet/api/`. A handler that is not here does not exist."""

from __future__ import annotations

from .handler import CabinetHandler
from .handlers.activity import ActivityExportHandler, ActivityHandler
from .handlers.agents.agent_bundles import AgentBundlesHandler, AgentExportHandler, AgentImportHandler
from .handlers.agents.agent_items import (
    AgentFileHandler,
    AgentFilesHandler,
    AgentHistoryHandler,
    AgentInboxHandler,
    AgentMemorySearchHandler,
    AgentTaskHandler,
    AgentTasksHandler,
)
from .handlers.agents.agent_versions import (
    AgentFileVersionHandler,
    AgentFileVersionsHandler,
    ProtocolFileHandler,
    ProtocolFileVersionHandler,
    ProtocolFileVersionsHandler,
    UserFileHandler,
    UserFileVersionHandler,
    UserFileVersionsHandler,
)
from .handlers.agents.agents import (
    AgentArchiveHandler,
    AgentConfirmHandler,
    AgentDuplicateHandler,
    AgentGoalsHandler,
    AgentHandler,
    AgentPauseHandler,
    AgentPromptHandler,
    AgentRenameHandler,
    AgentRestoreHandler,
    AgentResumeHandler,
    AgentRunHandler,
    AgentsHandler,
    RunEffectHandler,
    RunEffectsHandler,
    TemplatesHandler,
)
from .handlers.agents.reflections import AgentProposalHandler, AgentReflectionsHandler
from .handlers.approval_rules import ApprovalRulesExplainHandler, ApprovalRulesHandler
from .handlers.approvals import ApprovalHandler, ApprovalsHandler
from .handlers.changes import KeptChangesHandler, RunChangedFileHandler, RunChangesHandler
from .handlers.channels import (
    ChannelChatsHandler,
    ChannelHookHandler,
    ChannelMessagesHandler,
    ChannelSecretHandler,
    ChannelsHandler,
    ChannelTestHandler,
    OneChannelHandler,
    PairingHandler,
    PairingsHandler,
)
from .handlers.editor import (
    EditorMentionsHandler,
    EditorSessionCloseHandler,
    EditorSessionHandler,
    EditorSessionsHandler,
)
from .handlers.plans import (
    PlanArchiveHandler,
    PlanBreakdownHandler,
    PlanChecklistHandler,
    PlanExportHandler,
    PlanHandler,
    PlanImportHandler,
    PlanPauseHandler,
    PlanProposalHandler,
    PlanQueueHandler,
    PlanRunHandler,
    PlansHandler,
    PlanStepHandler,
    PlanStepReportHandler,
    PlanStepResetHandler,
    PlanStepRunHandler,
    PlanStepsHandler,
    PlanStepSkipHandler,
    PlanStepSplitHandler,
)
from .handlers.plays import (
    PlayConfirmHandler,
    PlayHandler,
    PlayHistoryHandler,
    PlayHookHandler,
    PlayRunHandler,
    PlaySecretHandler,
    PlaysHandler,
    PlayTestRequestHandler,
)
from .handlers.recordings import RecordingHandler, RecordingsHandler
from .handlers.reviews import ReviewsHandler
from .handlers.run_output import RunOutputHandler
from .handlers.runs import (
    RunCancelHandler,
    RunHandler,
    RunNowHandler,
    RunPromptHandler,
    RunRawHandler,
    RunSandboxHandler,
    RunsHandler,
)
from .handlers.server.events import EventsHandler
from .handlers.server.health import HealthHandler, OpenApiHandler
from .handlers.server.runtimes import RuntimesHandler, RuntimeTestHandler
from .handlers.server.switch import SwitchHandler
from .handlers.server.trust import TrustHandler
from .handlers.sessions import (
    ProjectsHandler,
    SessionContinueHandler,
    SessionEntriesHandler,
    SessionExportHandler,
    SessionHandler,
    SessionHealthHandler,
    SessionLastHandler,
    SessionMatchesHandler,
    SessionReindexHandler,
    SessionRunsHandler,
    SessionsHandler,
    SessionTimelineHandler,
    UsageHandler,
)
from .handlers.skills import SkillDecisionHandler, SkillHandler, SkillsHandler
from .handlers.terminal_socket import TerminalSocket
from .handlers.terminals import (
    AgentStopHandler,
    TerminalAgentHandler,
    TerminalAgentPauseHandler,
    TerminalAgentResumeHandler,
    TerminalHandler,
    TerminalInputHandler,
    TerminalRecordingHandler,
    TerminalsHandler,
)
from .handlers.tool_servers import (
    ToolServerApprovalHandler,
    ToolServerHandler,
    ToolServerLookHandler,
    ToolServersHandler,
    ToolServersOfClisHandler,
)
from .handlers.web_chats import WebChatMessagesHandler, WebChatPressHandler, WebChatsHandler

PREFIX = "cabinet/api"
PARTS = {
    "{id}": r"([0-9A-Za-z-]{1,64})",
    "{name}": r"([a-z0-9][a-z0-9-]{0,63})",
    "{position}": r"([0-9]{1,4})",
    "{path}": r"(.{1,2000})",
}

ROUTES: tuple[tuple[str, type[CabinetHandler]], ...] = (
    ("health", HealthHandler),
    ("runtimes", RuntimesHandler),
    ("runtimes/{name}/test", RuntimeTestHandler),
    ("activity", ActivityHandler),
    ("activity/export", ActivityExportHandler),
    ("runs", RunsHandler),
    ("runs/{id}", RunHandler),
    ("runs/{id}/cancel", RunCancelHandler),
    ("runs/{id}/now", RunNowHandler),
    ("runs/{id}/prompt", RunPromptHandler),
    ("runs/{id}/sandbox", RunSandboxHandler),
    ("runs/{id}/raw", RunRawHandler),
    ("runs/{id}/output", RunOutputHandler),
    ("changes", KeptChangesHandler),
    ("runs/{id}/changes", RunChangesHandler),
    ("runs/{id}/changes/file", RunChangedFileHandler),
    ("runs/{id}/effects", RunEffectsHandler),
    ("runs/{id}/effects/{position}", RunEffectHandler),
    ("channels", ChannelsHandler),
    ("channels/{id}", OneChannelHandler),
    ("channels/{id}/messages", ChannelMessagesHandler),
    ("channels/{id}/chats", ChannelChatsHandler),
    ("channels/{id}/secret", ChannelSecretHandler),
    ("channels/{id}/test", ChannelTestHandler),
    ("channel-pairings", PairingsHandler),
    ("channel-pairings/{id}", PairingHandler),
    ("web-chats", WebChatsHandler),
    ("web-chats/{id}/messages", WebChatMessagesHandler),
    ("web-chats/{id}/press", WebChatPressHandler),
    ("agents", AgentsHandler),
    ("agents/restore", AgentRestoreHandler),
    ("agents/{name}", AgentHandler),
    ("agents/{name}/run", AgentRunHandler),
    ("agents/{name}/reflections", AgentReflectionsHandler),
    ("agents/{name}/proposal", AgentProposalHandler),
    ("agents/{name}/pause", AgentPauseHandler),
    ("agents/{name}/resume", AgentResumeHandler),
    ("agents/{name}/confirm", AgentConfirmHandler),
    ("agents/{name}/rename", AgentRenameHandler),
    ("agents/{name}/archive", AgentArchiveHandler),
    ("agents/{name}/duplicate", AgentDuplicateHandler),
    ("agents/{name}/export", AgentExportHandler),
    ("agents/{name}/prompt", AgentPromptHandler),
    ("agents/{name}/goals", AgentGoalsHandler),
    ("agents/{name}/inbox", AgentInboxHandler),
    ("agents/{name}/tasks", AgentTasksHandler),
    ("agents/{name}/tasks/{id}", AgentTaskHandler),
    ("agents/{name}/history", AgentHistoryHandler),
    ("agents/{name}/memory/search", AgentMemorySearchHandler),
    ("agents/{name}/files", AgentFilesHandler),
    ("agents/{name}/files/{path}", AgentFileHandler),
    ("agents/{name}/versions", AgentFileVersionsHandler),
    ("agents/{name}/versions/{id}", AgentFileVersionHandler),
    ("user-file", UserFileHandler),
    ("user-file/versions", UserFileVersionsHandler),
    ("user-file/versions/{id}", UserFileVersionHandler),
    ("protocol-file", ProtocolFileHandler),
    ("protocol-file/versions", ProtocolFileVersionsHandler),
    ("protocol-file/versions/{id}", ProtocolFileVersionHandler),
    ("agent-bundles", AgentBundlesHandler),
    ("agent-bundles/import", AgentImportHandler),
    ("agent-templates", TemplatesHandler),
    ("plans", PlansHandler),
    ("plans/import", PlanImportHandler),
    ("plan-queue", PlanQueueHandler),
    ("plans/{id}", PlanHandler),
    ("plans/{id}/archive", PlanArchiveHandler),
    ("plans/{id}/breakdown", PlanBreakdownHandler),
    ("plans/{id}/checklist", PlanChecklistHandler),
    ("plans/{id}/export", PlanExportHandler),
    ("plans/{id}/pause", PlanPauseHandler),
    ("plans/{id}/proposals/{id}", PlanProposalHandler),
    ("plans/{id}/run", PlanRunHandler),
    ("plans/{id}/steps", PlanStepsHandler),
    ("plans/{id}/steps/{id}", PlanStepHandler),
    ("plans/{id}/steps/{id}/report", PlanStepReportHandler),
    ("plans/{id}/steps/{id}/reset", PlanStepResetHandler),
    ("plans/{id}/steps/{id}/run", PlanStepRunHandler),
    ("plans/{id}/steps/{id}/skip", PlanStepSkipHandler),
    ("plans/{id}/steps/{id}/split", PlanStepSplitHandler),
    ("plays", PlaysHandler),
    ("plays/{name}", PlayHandler),
    ("plays/{name}/run", PlayRunHandler),
    ("plays/{name}/confirm", PlayConfirmHandler),
    ("plays/{name}/secret", PlaySecretHandler),
    ("plays/{name}/test-request", PlayTestRequestHandler),
    ("plays/{name}/history", PlayHistoryHandler),
    ("hooks/channels/{id}", ChannelHookHandler),
    ("hooks/plays/{name}", PlayHookHandler),
    ("skills", SkillsHandler),
    ("skills/{name}", SkillHandler),
    ("skills/{name}/decision", SkillDecisionHandler),
    ("tool-servers", ToolServersHandler),
    ("tool-servers-of-clis", ToolServersOfClisHandler),
    ("tool-servers/{name}", ToolServerHandler),
    ("tool-servers/{name}/look", ToolServerLookHandler),
    ("tool-servers/{name}/approval", ToolServerApprovalHandler),
    ("approvals", ApprovalsHandler),
    ("approvals/{id}", ApprovalHandler),
    ("reviews", ReviewsHandler),
    ("approval-rules", ApprovalRulesHandler),
    ("approval-rules/explain", ApprovalRulesExplainHandler),
    ("editor/sessions", EditorSessionsHandler),
    ("editor/sessions/{id}", EditorSessionHandler),
    ("editor/sessions/{id}/close", EditorSessionCloseHandler),
    ("editor/mentions", EditorMentionsHandler),
    ("projects", ProjectsHandler),
    ("usage", UsageHandler),
    ("sessions", SessionsHandler),
    ("sessions/reindex", SessionReindexHandler),
    ("sessions/{id}", SessionHandler),
    ("sessions/{id}/continue", SessionContinueHandler),
    ("sessions/{id}/entries", SessionEntriesHandler),
    ("sessions/{id}/export", SessionExportHandler),
    ("sessions/{id}/health", SessionHealthHandler),
    ("sessions/{id}/last", SessionLastHandler),
    ("sessions/{id}/matches", SessionMatchesHandler),
    ("sessions/{id}/runs", SessionRunsHandler),
    ("sessions/{id}/timeline", SessionTimelineHandler),
    ("terminals", TerminalsHandler),
    ("terminals/{id}", TerminalHandler),
    ("terminals/{id}/ws", TerminalSocket),
    ("terminals/{id}/input", TerminalInputHandler),
    ("terminals/{id}/agent", TerminalAgentHandler),
    ("terminals/{id}/agent/pause", TerminalAgentPauseHandler),
    ("terminals/{id}/agent/resume", TerminalAgentResumeHandler),
    ("terminals/{id}/agent/stop", AgentStopHandler),
    ("terminals/{id}/recording", TerminalRecordingHandler),
    ("recordings", RecordingsHandler),
    ("recordings/{id}", RecordingHandler),
    ("switch", SwitchHandler),
    ("trust", TrustHandler),
    ("events", EventsHandler),
    ("openapi.json", OpenApiHandler),
)


def pattern(path: str) -> str:
    """Return the regular expression of a route, with one group for each part in braces."""
    expression = path.replace(".", r"\.")
    for name, part in PARTS.items():
        expression = expression.replace(name, part)
    return expression
