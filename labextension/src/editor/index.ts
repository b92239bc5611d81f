/**
 * What other subjects may use of the AI editor.
 */
export type { EditorStore, IDocuments } from './stores/editor';
export { IEditor } from './tokens';
