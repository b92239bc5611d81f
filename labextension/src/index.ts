/**
 * The list of Cabinet's plugins, and what other extensions may use of it: tokens, names of commands, types.
 */
import { agentPagePlugin } from './agents/page';
import { agentsPlugin, agentStorePlugin, boardPlugin } from './agents/plugin';
import { approvalsPlugin } from './approvals/plugin';
import { changesPlugin } from './changes/plugin';
import { channelsPlugin } from './channels/plugin';
import { documentsPlugin, followerPlugin } from './documents/plugin';
import { editorPanelPlugin, editorPlugin } from './editor/plugin';
import { notebookPlugin } from './notebook/plugin';
import { activityPlugin } from './activity/plugin';
import { pastSessionsPlugin } from './pastSessions/plugin';
import { plansPlugin } from './plans/plugin';
import { recordingsPlugin } from './recordings/plugin';
import { runsPlugin, statusPlugin } from './runs/plugin';
import { choicesPlugin, runtimeSettingsPlugin, runtimesPlugin } from './runtimes/plugin';
import { announcerPlugin, serverPlugin } from './shared/plugin';
import { skillsPlugin } from './skills/plugin';
import { terminalsPlugin } from './terminal/plugin';

export type {
  AgentEvent,
  Approval,
  Attachment,
  CabinetEvent,
  NewRun,
  NewTerminal,
  Run,
  RunState,
  RuntimeRow,
  Session,
  SessionDetail,
  Terminal
} from './api/types';
export { IAgents } from './agents/tokens';
export { IApprovals } from './approvals/tokens';
export { IChanges } from './changes/tokens';
export { IDocumentFollower } from './documents/tokens';
export { IEditor } from './editor/tokens';
export { IRuns } from './runs/tokens';
export { IChoices, IRuntimes } from './runtimes/tokens';
export { Commands } from './shared/commands';
export { IServer } from './shared/tokens';
export { ITerminals } from './terminal/tokens';

export default [
  serverPlugin,
  announcerPlugin,
  runsPlugin,
  runtimesPlugin,
  choicesPlugin,
  followerPlugin,
  approvalsPlugin,
  terminalsPlugin,
  changesPlugin,
  editorPlugin,
  editorPanelPlugin,
  documentsPlugin,
  activityPlugin,
  pastSessionsPlugin,
  plansPlugin,
  channelsPlugin,
  skillsPlugin,
  recordingsPlugin,
  runtimeSettingsPlugin,
  statusPlugin,
  agentStorePlugin,
  agentsPlugin,
  boardPlugin,
  agentPagePlugin,
  notebookPlugin
];
