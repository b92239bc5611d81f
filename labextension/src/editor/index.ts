/**
 * What other subjects may use of the AI editor.
 */
export type { EditorStore } from './stores/editor';
export type { IDocuments } from './stores/ports';
export { IEditor } from './tokens';
