/**
 * The list of Cabinet's plugins, and nothing else.
 */
import { corePlugin } from './plugins/core';
import { documentsPlugin } from './plugins/documents';
import { editorPlugin } from './plugins/editor';
import { statusPlugin } from './plugins/status';
import { terminalsPlugin } from './plugins/terminals';

export { ICabinet, ITerminals } from './tokens';

export default [corePlugin, terminalsPlugin, editorPlugin, documentsPlugin, statusPlugin];
