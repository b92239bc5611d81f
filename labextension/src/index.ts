/**
 * The list of Cabinet's plugins, and nothing else.
 */
import { approvalsPlugin } from './plugins/approvals';
import { corePlugin } from './plugins/core';
import { documentsPlugin } from './plugins/documents';
import { editorPlugin } from './plugins/editor';
import { runtimesPlugin } from './plugins/runtimes';
import { statusPlugin } from './plugins/status';
import { terminalsPlugin } from './plugins/terminals';

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
