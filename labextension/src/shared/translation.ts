/**
 * The texts of this extension in the language of the page.
 */
import { type ITranslator, nullTranslator, type TranslationBundle } from '@jupyterlab/translation';

export function bundleOf(translator: ITranslator | null): TranslationBundle {
  return (translator ?? nullTranslator).load('jupyter_cabinet');
}
