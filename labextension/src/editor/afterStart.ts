/**
 * What is loaded of this subject when JupyterLab has started.
 */
export { addEditorCommands } from './commands';
export { followDocuments, makeActions } from './services';
export { EditorStore } from './stores/editor';
