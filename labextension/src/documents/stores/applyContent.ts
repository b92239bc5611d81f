/**
 * Takes a file's new content into an open document, with what of ours it is adapted to. No DOM.
 */
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';
import { JSONExt, type PartialJSONValue, type ReadonlyPartialJSONValue } from '@lumino/coreutils';

import { mergeInto, type Distrust } from './merge';
import { cellsOf } from './versions';

/** What a file's content becomes in this document; null where it cannot be taken in. */
export type Adapt = (content: unknown) => unknown;

/**
 * What `adapted` has made of the content is merged at once; then the context's own `revert` notes which version this
 * is, with the model's setters lent to us meanwhile, because they would replace everything and lose every cursor. What
 * is kept of ours leaves the document unsaved. If the file has changed again meanwhile, `adapt` is called again.
 * Returns the content that was taken in last, and whether that is what the file has.
 */
export async function applyContent(
  context: DocumentRegistry.Context,
  disk: Contents.IModel,
  adapted: unknown,
  distrust: Distrust,
  adapt: Adapt
): Promise<{ content: unknown; isWhole: boolean }> {
  let [onDisk, content] = [normal(disk), normal(disk)];
  const merge = (value: unknown) => {
    mergeInto(context.model.sharedModel, value, distrust);
    context.model.dirty = false;
  };
  merge(adapted);
  const take = (value: unknown) => {
    const isAnother = !same(value, onDisk);
    onDisk = value;
    const wanted = isAnother ? adapt(value) : null;
    if (wanted !== null) {
      content = value;
      merge(wanted);
    }
  };
  const lent = { fromJSON: take, fromString: take };
  Object.assign(context.model, lent);
  try {
    await context.revert();
  } finally {
    const model = context.model as Partial<typeof lent>;
    delete model.fromJSON; // the class's own methods show again
    delete model.fromString;
  }
  const cells = cellsOf(onDisk);
  if (cells !== null && !same(cells, cellsOf(context.model.toJSON()))) {
    context.model.dirty = true; // a kernel has written outputs meanwhile, which the file does not have
  }
  return { content, isWhole: same(content, onDisk) };
}

/** As the context hands it to the model: with Unix line ends. */
function normal(disk: Contents.IModel): unknown {
  return typeof disk.content === 'string' ? disk.content.replace(/\r\n?/g, '\n') : disk.content;
}

function same(a: unknown, b: unknown): boolean {
  return JSONExt.deepEqual(a as ReadonlyPartialJSONValue, b as PartialJSONValue);
}
