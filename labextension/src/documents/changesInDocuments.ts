/**
 * Shows what a run has changed in the documents that are open when it ends: marks, scrolls, and the commands that go
 * from change to change. Loaded after the start.
 */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { FileDiff, Run } from '../api/types';
import type { ChangesStore, IChanges } from '../changes';
import { isFinal, isWorking, type RunStore } from '../runs';
import type { Announcer } from '../shared/announcer';
import { labelled, NO_ARGS } from '../shared/commands';
import { NEXT_CHANGE, PREVIOUS_CHANGE } from '../shared/lateCommands';
import type { OpenDocuments } from './openDocuments';
import { DismissedChanges } from './stores/dismissedChanges';
import { changesWords, goneToWords } from './stores/labels';
import type { DocumentFollower } from './stores/follower';
import { ShownChanges } from './stores/shownChanges';
import { placesStandingIn } from './stores/standingPlaces';
import type { changedViewOf, IChangedView } from './views/changedViews';

/** A run that changed more files than this marks none: nobody has asked for so many reads. */
const MOST_FILES = 200;
/** The class of a document that shows changes; shortcuts name it. */
const SHOWS_CHANGES = 'jp-Cabinet-mod-changes';
/** Working with our own parts of a document is not working in the document. */
const OURS = '.jp-Cabinet-document-strip, .jp-Cabinet-proposal-host';
const ACTIONS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
const MODIFIERS = ['Alt', 'Control', 'Meta', 'Shift'];

export interface IChangesInDocumentsOptions {
  app: JupyterFrontEnd;
  runs: RunStore;
  changes: IChanges;
  documents: OpenDocuments;
  follower: DocumentFollower;
  announcer: Announcer;
  labShell: ILabShell | null;
  trans: TranslationBundle;
}

export class ChangesInDocuments {
  constructor(private readonly _options: IChangesInDocumentsOptions) {
    const { app, follower, labShell, runs } = _options;
    const { baseUrl } = app.serviceManager.serverSettings;
    const key = `jupyter-cabinet:dismissed-changes:${baseUrl}`;
    this._dismissed = new DismissedChanges(window.localStorage, key);
    runs.active.forEach(run => this._onRun(runs, run));
    runs.updated.connect(this._onRun, this);
    this.shown.changed.connect(this._schedule, this);
    follower.changed.connect(this._schedule, this);
    labShell?.currentChanged.connect(this._schedule, this);
    labShell?.layoutModified.connect(this._lookForOpened, this);
    this._lookForOpened();
    ACTIONS.forEach(type =>
      document.addEventListener(type, this._onAction, { capture: true, passive: true })
    );
    this._addCommand(NEXT_CHANGE, 1, _options.trans.__('Next change in document'));
    this._addCommand(PREVIOUS_CHANGE, -1, _options.trans.__('Previous change in document'));
  }

  readonly shown = new ShownChanges();

  /** Whether a document shows changes: those that are marked, or that they were reverted. */
  has(path: string | null): boolean {
    return path !== null && (this.shown.of(path)?.places.length ?? 0) > 0;
  }

  /** The run about a document that has just ended, until it is known what it has changed. */
  reading(path: string | null): Run | null {
    return [...this._reading].find(run => run.path === path) ?? null;
  }

  /** What runs have changed; `null` before a run has changed an open document. */
  get changes(): ChangesStore | null {
    return this._changes;
  }

  /** Go to another change of a document, in all of its views. */
  go(path: string | null, step: 1 | -1): void {
    const views = this._viewsOf(path);
    const place = this.shown.go(path, step, each => views.some(view => view.has(each)));
    if (place) {
      views.forEach(view => view.reveal(place, { select: true }));
      const { announcer, trans } = this._options;
      announcer.polite(goneToWords(this.shown.of(path)!, trans));
    }
  }

  /** Show the changes of a document no more, also when it is opened again. */
  dismiss(path: string): void {
    const shown = this.shown.of(path);
    if (shown) {
      this._dismissed.add(shown.run.id, shown.file);
      this.shown.dismiss(path);
    }
  }

  private _addCommand(id: string, step: 1 | -1, label: string): void {
    const { app, documents, trans } = this._options;
    const currentPath = () => {
      const context = documents.contextOf(app.shell.currentWidget);
      return context && documents.pathOf(context);
    };
    app.commands.addCommand(id, {
      label: labelled(label, trans),
      describedBy: NO_ARGS,
      isEnabled: () => this.shown.of(currentPath()) !== null,
      execute: () => this.go(currentPath(), step)
    });
    this.shown.changed.connect(() => app.commands.notifyCommandChanged(id));
  }

  private _onRun(_: RunStore, run: Run): void {
    if (!isFinal(run)) {
      this._unfinished.add(run.id);
      if (isWorking(run)) {
        this.shown.began(run);
      }
    } else if (this._unfinished.delete(run.id)) {
      void this._show(run);
    }
  }

  private async _show(run: Run): Promise<void> {
    const { announcer, app, documents, trans } = this._options;
    this._reading.add(run);
    let diffs: FileDiff[] = [];
    try {
      const files = run.changed?.files ?? 0;
      if (files > 0 && files <= MOST_FILES) {
        diffs = await this._diffsOf(await this._load(), run);
      }
    } finally {
      this._reading.delete(run);
      this.shown.ended(run, diffs);
    }
    const context = documents.contextOf(app.shell.currentWidget);
    const shown = this.shown.of(context && documents.pathOf(context));
    if (shown?.run.id === run.id) {
      announcer.polite(changesWords(shown, trans));
    }
  }

  /** What shows changes is loaded when there are some. */
  private async _load(): Promise<ChangesStore> {
    const [store, { changedViewOf }] = await Promise.all([
      this._options.changes(),
      import(/* webpackChunkName: "changed-places" */ './views/changedViews')
    ]);
    this._makeView = changedViewOf;
    if (!this._changes) {
      this._changes = store;
      store.changed.connect(this._onDecisions, this);
    }
    return store;
  }

  /** A document that is opened shows what the last run about it has changed, if nobody has decided about that yet. */
  private _lookForOpened(): void {
    for (const context of this._options.documents.contexts()) {
      if (!this._opened.has(context)) {
        this._opened.add(context);
        this._followName(context);
        void context.ready.then(() => this._showEarlier(context)).catch(() => undefined); // no marks then
      }
    }
  }

  /** Also a name that somebody else has given to a shared document. */
  private _followName(context: DocumentRegistry.Context): void {
    const { documents } = this._options;
    let name = documents.pathOf(context);
    context.pathChanged.connect(() => {
      const old = name;
      name = documents.pathOf(context);
      if (old !== null && name !== null) {
        this.shown.renamed(old, name);
      }
    });
  }

  private async _showEarlier(context: DocumentRegistry.Context): Promise<void> {
    const { documents, runs } = this._options;
    const path = documents.pathOf(context);
    const run = path === null ? null : await runs.newestAbout(path);
    if (path === null || !run || !this._mayShowEarlier(run, path)) {
      return;
    }
    const store = await this._load();
    await store.read(run);
    if (store.of(run)?.files.some(file => file.path === path && !file.decision)) {
      await store.readDiff(run, path);
    }
    const diff = store.diff(run, path);
    if (diff && !context.isDisposed && this._mayShowEarlier(run, path)) {
      this.shown.opened(run, diff, placesStandingIn(path, context.model.toString()));
    }
  }

  /** Not if another run works on the document by now, or its person does not want to see the changes. */
  private _mayShowEarlier(run: Run, path: string): boolean {
    const files = run.changed?.files ?? 0;
    const isWorkedOn = this._options.runs.working.some(each => each.path === path);
    const isKnown = this.shown.of(path) !== null || this._dismissed.has(run.id, path);
    return isFinal(run) && files > 0 && files <= MOST_FILES && !isWorkedOn && !isKnown;
  }

  /** Of the open documents only. */
  private async _diffsOf(store: ChangesStore, run: Run): Promise<FileDiff[]> {
    const { documents } = this._options;
    await store.read(run);
    const open = new Set(documents.contexts().map(context => documents.pathOf(context)));
    const paths = (store.of(run)?.files ?? [])
      .map(({ path }) => path)
      .filter(each => open.has(each));
    await Promise.all(paths.map(path => store.readDiff(run, path)));
    return paths.flatMap(path => store.diff(run, path) ?? []);
  }

  private _onDecisions(store: ChangesStore): void {
    const { documents } = this._options;
    for (const path of documents.contexts().map(context => documents.pathOf(context))) {
      const shown = this.shown.of(path);
      const diff = shown && store.diff(shown.run, shown.file);
      if (diff) {
        this.shown.decided(path!, shown.run, diff);
      }
    }
  }

  private readonly _onAction = (event: Event): void => {
    const { target } = event;
    const isModifier = event instanceof KeyboardEvent && MODIFIERS.includes(event.key);
    if (isModifier || !this.shown.isWatching || !(target instanceof Element)) {
      return;
    }
    const { documents } = this._options;
    const touched = target.closest(OURS) === null && target.closest('.jp-Document');
    for (const context of touched ? documents.contexts() : []) {
      const path = documents.pathOf(context);
      if (path !== null && documents.widgetsOf(context).some(({ node }) => node === touched)) {
        this.shown.touched(path);
      }
    }
  };

  /** Once for all that has changed: what JupyterLab itself draws comes first. */
  private _schedule(): void {
    if (!this._isScheduled) {
      this._isScheduled = true;
      requestAnimationFrame(() => {
        this._isScheduled = false;
        this._draw();
      });
    }
  }

  private _draw(): void {
    const { documents } = this._options;
    for (const context of documents.contexts()) {
      const path = documents.pathOf(context);
      const shown = this.shown.of(path);
      for (const widget of documents.widgetsOf(context)) {
        widget.toggleClass(SHOWS_CHANGES, shown !== null);
        const view = shown ? this._viewOf(widget) : this._views.get(widget);
        view?.mark(shown?.places ?? [], place => this.shown.edited(path!, place));
        if (shown && view) {
          this._scroll(path!, widget, view);
        }
      }
    }
  }

  /** Scroll to the first change, once in each view, as soon as the view is visible and has the change. */
  private _scroll(path: string, widget: Widget, view: IChangedView): void {
    const { mayScroll, places, run } = this.shown.of(path)!;
    const first = places.find(place => view.has(place));
    const isReady = widget.isVisible && !this._options.follower.isReading(path);
    if (mayScroll && isReady && first && this._scrolled.get(widget) !== run.id) {
      this._scrolled.set(widget, run.id);
      view.reveal(first, { select: false });
      this.shown.scrolled(path, first);
      this._keepVisible(path, widget, view);
    }
  }

  /** The strip over the document appears after that, and takes room from the view. */
  private _keepVisible(path: string, widget: Widget, view: IChangedView): void {
    const { current, run } = this.shown.of(path)!;
    const observer = new ResizeObserver(() => {
      const shown = this.shown.of(path);
      if (current && shown?.run.id === run.id && shown.current === current && shown.mayScroll) {
        view.reveal(current, { select: false });
      } else {
        observer.disconnect();
      }
    });
    observer.observe((widget as Widget & { content?: Widget }).content?.node ?? widget.node);
    widget.disposed.connect(() => observer.disconnect());
  }

  private _viewsOf(path: string | null): IChangedView[] {
    const { documents } = this._options;
    return documents
      .contexts()
      .filter(context => path !== null && documents.pathOf(context) === path)
      .flatMap(context => documents.widgetsOf(context))
      .flatMap(widget => this._views.get(widget) ?? []);
  }

  private _viewOf(widget: Widget): IChangedView | null {
    if (!this._views.has(widget) && this._makeView) {
      this._views.set(
        widget,
        this._makeView(widget, () => this._schedule())
      );
      const context = this._options.documents.contextOf(widget)!;
      context.model.contentChanged.connect(this._schedule, this);
    }
    return this._views.get(widget) ?? null;
  }

  private _changes: ChangesStore | null = null;
  private _makeView: typeof changedViewOf | null = null;
  private _isScheduled = false;
  private readonly _dismissed: DismissedChanges;
  /** The documents of which it is known what they show. */
  private readonly _opened = new WeakSet<DocumentRegistry.Context>();
  private readonly _unfinished = new Set<string>();
  private readonly _reading = new Set<Run>();
  private readonly _views = new WeakMap<Widget, IChangedView>();
  /** The run to whose first change each view has scrolled. */
  private readonly _scrolled = new WeakMap<Widget, string>();
}
