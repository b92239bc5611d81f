/**
 * The list of Cabinet's plugins, and what other extensions may use of it: tokens, names of commands, types.
 */
import { approvalsPlugin } from './approvals/plugin';
import { corePlugin } from './shared/plugin';
import { documentsPlugin } from './documents/plugin';
import { editorPlugin } from './editor/plugin';
import { runtimesPlugin } from './runtimes/plugin';
import { statusPlugin } from './runs/plugin';
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
export { Commands } from './shared/commands';
export { IApprovals, ICabinet, ITerminals } from './shared/tokens';

export default [
  corePlugin,
  approvalsPlugin,
  terminalsPlugin,
  editorPlugin,
  documentsPlugin,
  runtimesPlugin,
  statusPlugin
];
