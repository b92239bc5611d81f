/**
 * What a person had typed into a text file and not saved when the page was closed, or crashed, while an agent worked on
 * it: kept, and offered when the file is opened again. Loaded after the start.
 */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';

import type { ConnectionStore } from '../shared/connection';
import { Store } from '../shared/store';
import type { OpenDocuments } from './openDocuments';
import type { DocumentFollower } from './stores/follower';
import { type IKeptText, KeptTexts, removeOldTexts } from './stores/keptTexts';
import { LivePages } from './stores/livePages';
import { versionOf } from './stores/versions';

type Context = DocumentRegistry.Context;

/** How the keys of all servers and people begin. */
const KEY = 'jupyter-cabinet:unsaved:';
/** What was typed is kept after this time, so that a crash of the page costs no more. */
const KEEP_MILLISECONDS = 1_000;

export interface IUnsavedTextsOptions {
  app: JupyterFrontEnd;
  connection: ConnectionStore;
  documents: OpenDocuments;
  follower: DocumentFollower;
  labShell: ILabShell | null;
}

/** Tells with `changed` when another text is offered. */
export class UnsavedTexts extends Store {
  constructor(private readonly _options: IUnsavedTextsOptions) {
    super();
    const { app, connection, follower, labShell } = _options;
    const { baseUrl } = app.serviceManager.serverSettings;
    const root = PageConfig.getOption('serverRoot'); // another folder may be served at the same address later
    removeOldTexts(window.localStorage, KEY);
    connection.followUsername(username => {
      this._kept = new KeptTexts(window.localStorage, `${KEY}${baseUrl}:${root}:${username}`);
      this._offered.clear();
      this._opened = new WeakSet();
      this._lookForOpened();
    });
    follower.changed.connect(this._noteWorkedOn, this);
    labShell?.layoutModified.connect(this._lookForOpened, this);
    this._noteWorkedOn();
    window.addEventListener('pagehide', this._close);
    window.addEventListener('pageshow', this._return);
  }

  /** What is offered for a document. */
  of(path: string | null): IKeptText | null {
    return (path !== null && this._offered.get(path)) || null;
  }

  /** Put the text into the document. If its file has changed since, the person has to choose before it is saved. */
  async restore(path: string): Promise<void> {
    const kept = this.of(path);
    if (kept) {
      this._workedOn.add(path);
      await this._options.follower.restore(path, kept.text, kept.version);
      this.discard(path);
    }
  }

  discard(path: string): void {
    const kept = this.of(path);
    if (kept) {
      this._kept?.remove(kept);
      this._offered.delete(path);
      void this._offer(path);
      this.tell();
    }
  }

  private _noteWorkedOn(): void {
    const { documents, follower } = this._options;
    for (const context of documents.contexts()) {
      const path = documents.pathOf(context);
      if (path !== null && (follower.editing(path) || follower.conflict(path))) {
        if (!this._workedOn.has(path)) {
          this._workedOn.add(path);
          this._keepSoon(); // what was typed before
        }
      }
    }
  }

  private _lookForOpened(): void {
    for (const context of this._options.documents.contexts()) {
      if (this._kept && !this._opened.has(context)) {
        this._opened.add(context);
        context.model.contentChanged.connect(this._keepSoon, this);
        context.model.stateChanged.connect(this._keepSoon, this); // saved, for example
        context.disposed.connect(this._keepSoon, this);
        void context.ready
          .then(() => this._offer(this._options.documents.pathOf(context), context))
          .catch(() => undefined); // JupyterLab says that it cannot be opened
      }
    }
  }

  /** What the document has by now is not offered. */
  private async _offer(path: string | null, context?: Context): Promise<void> {
    const open = await this._pages.open();
    const kept = path === null ? null : this._kept?.of(path, open);
    if (!kept || (context && (context.isDisposed || !isText(context)))) {
      return;
    }
    if (context?.model.toString() === kept.text) {
      this._kept!.remove(kept);
    } else {
      this._offered.set(kept.path, kept);
      this.tell();
    }
  }

  /** Keep what is not saved now, and nothing else of this page. `page`: it is still open; empty: it is closed. */
  private _keep(page: string): void {
    window.clearTimeout(this._timer);
    this._timer = 0;
    const unsaved = new Map<string, IKeptText>();
    for (const context of this._options.documents.contexts()) {
      const path = this._options.documents.pathOf(context);
      const { contentsModel, model } = context;
      if (
        path !== null &&
        contentsModel &&
        isText(context) &&
        model.dirty &&
        this._workedOn.has(path)
      ) {
        const version = versionOf(contentsModel);
        unsaved.set(path, { path, text: model.toString(), version, at: Date.now(), page });
      }
    }
    if (this._kept?.replace([...this._written.values()], [...unsaved.values()])) {
      this._written = unsaved; // otherwise, what is stored is still to be removed
    }
  }

  /** A page that crashes is not asked first. */
  private _keepSoon(): void {
    const { own } = this._pages;
    if (own && (this._workedOn.size || this._written.size)) {
      this._timer ||= window.setTimeout(() => this._keep(own), KEEP_MILLISECONDS);
    }
  }

  /** Nothing but this kind of storage is quick enough when a page is closed or reloaded. */
  private readonly _close = (): void => this._keep('');

  /** The browser shows the same page again: it still has everything. */
  private readonly _return = (): void => {
    this._kept?.replace([...this._written.values()], []);
    this._written.clear();
    this._keepSoon();
  };

  private _kept: KeptTexts | null = null;
  private _opened = new WeakSet<Context>();
  private readonly _offered = new Map<string, IKeptText>();
  /** The documents on which an agent has worked since this page was loaded. */
  private readonly _workedOn = new Set<string>();
  /** What is kept of this page, by path. */
  private _written = new Map<string, IKeptText>();
  private readonly _pages = new LivePages();
  private _timer = 0;
}

/** A shared document is kept by its room, and a notebook has more than its text. */
function isText({ contentsModel, model }: Context): boolean {
  return (
    contentsModel?.type === 'file' && contentsModel.format !== 'base64' && !model.collaborative
  );
}
