/**
 * The list of Cabinet's plugins, and what other extensions may use of it: tokens, names of commands, types.
 */
import { approvalsPlugin } from './plugins/approvals';
import { corePlugin } from './plugins/core';
import { documentsPlugin } from './plugins/documents';
import { editorPlugin } from './plugins/editor';
import { runtimesPlugin } from './plugins/runtimes';
import { statusPlugin } from './plugins/status';
import { terminalsPlugin } from './plugins/terminals';

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
export { Commands } from './commands';
export { IApprovals, ICabinet, ITerminals } from './tokens';

export default [
  corePlugin,
  approvalsPlugin,
  terminalsPlugin,
  editorPlugin,
  documentsPlugin,
  runtimesPlugin,
  statusPlugin
];
