/**
 * The list of Cabinet's plugins, and nothing else.
 */
import { corePlugin } from './plugins/core';
import { documentsPlugin } from './plugins/documents';
import { editorPlugin } from './plugins/editor';
import { statusPlugin } from './plugins/status';

export { ICabinet } from './tokens';

export default [corePlugin, editorPlugin, documentsPlugin, statusPlugin];
