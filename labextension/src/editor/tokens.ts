/**
 * How other plugins reach the AI editor.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { EditorStore } from './stores/editor';

export type IEditor = Lazy<EditorStore>;

export const IEditor = new Token<IEditor>(
  'jupyter-cabinet:IEditor',
  'The AI editor’s state: documents, sessions and runs. Submits instructions.'
);
