/**
 * JupyterLab's way to save a document, without its modal questions about what agents of this server have written.
 * Everything else that JupyterLab says when it saves, it still says. No DOM.
 */
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

type Context = DocumentRegistry.Context;
type Options = Partial<Contents.IModel>;

/**
 * What happens if the file is newer than the document: it is overwritten, the save is given up and tried again once
 * the change is taken in, or JupyterLab asks the person ("File Changed").
 */
export type OnNewer = 'overwrite' | 'later' | 'ask';

/** JupyterLab shows no message for a save that ends with this name, and its autosave takes it for a cancelled dialog. */
const SILENT = 'ModalCancelError';
/** As JupyterLab calls a second save while its question is open. */
const ALREADY_ASKED = 'ModalDuplicateError';

/** Of `jupyter-docprovider` (seen in 3.0.4), which rejects with a text: the room saves already. */
const ROOM_SAVES = 'Saving already in progress';

/** The file has changed since the document was read or saved; nothing was written. */
export class FileIsNewer extends Error {
  override name = SILENT;
}

/** What JupyterLab's `Context` (seen in 4.6) has beside its interface. Other contexts are left as they are. */
interface ISavingContext {
  _contentProviderId?: string;
  _maybeSave?: (options: Options) => Promise<Contents.IModel>;
  _raiseConflict?: (disk: Contents.IModel, options: Options) => Promise<Contents.IModel>;
}

export interface IGuard {
  contents: Contents.IManager;
  onNewer: (disk: Contents.IModel) => OnNewer;
  /** Does all saving from now on. It gets JupyterLab's own way, which throws `FileIsNewer` for *later*. */
  save: (plainSave: () => Promise<void>) => Promise<void>;
}

/** Returns JupyterLab's own way to save. */
export function guardSaving(context: Context, guard: IGuard): () => Promise<void> {
  const plainSave = context.save.bind(context);
  const inner = context as unknown as ISavingContext;
  const { _maybeSave: maybeSave, _raiseConflict: raiseConflict } = inner;
  if (!maybeSave || !raiseConflict) {
    return plainSave;
  }
  let isAsking = false;

  inner._maybeSave = options =>
    maybeSave.call(context, options).catch((error: unknown) => {
      throw isOutrun(error) ? new FileIsNewer() : error;
    });

  inner._raiseConflict = async (disk, options) => {
    const choice = guard.onNewer(disk);
    if (choice === 'later') {
      throw new FileIsNewer();
    }
    if (choice === 'overwrite') {
      return overwrite(context, guard.contents, options);
    }
    isAsking = true;
    try {
      return await raiseConflict.call(context, disk, options);
    } finally {
      isAsking = false;
    }
  };

  context.save = () => (isAsking ? Promise.reject(alreadyAsked()) : guard.save(plainSave));
  return plainSave;
}

/** Whether somebody else wrote between the two steps of a save, which the server refuses (`documents/save_guard.py`). */
function isOutrun(error: unknown): boolean {
  const { response } = (error ?? {}) as { response?: { status: number } };
  return response?.status === 409 || error === ROOM_SAVES;
}

/** As the context does after its own saves: with the hash of what was written. */
async function overwrite(
  context: Context,
  contents: Contents.IManager,
  options: Options
): Promise<Contents.IModel> {
  const contentProviderId = (context as unknown as ISavingContext)._contentProviderId;
  const saved = await contents.save(context.path, { ...options, contentProviderId });
  const { hash, hash_algorithm } = await contents.get(context.path, {
    content: false,
    hash: true,
    contentProviderId
  });
  return { ...saved, hash, hash_algorithm };
}

function alreadyAsked(): Error {
  const error = new Error('JupyterLab already asks about this file');
  error.name = ALREADY_ASKED;
  return error;
}
