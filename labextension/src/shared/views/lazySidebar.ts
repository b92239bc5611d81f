/**
 * A sidebar's widget: an empty panel with a tab, filled when it is first shown.
 * It is all that the start has to load; its content comes as a separate chunk.
 */
import type { LabIcon } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';

import { onceLoaded } from '../lazy';

/** In pixels. */
const FIRST_WIDTH = 440;
/** In pixels: in a narrower window two open sidebars leave room for neither. */
const NARROW_WINDOW = 760;

/** Filled once, when it is first visible. */
export class LazySidebar extends Widget {
  constructor(
    id: string,
    label: string,
    icon: LabIcon,
    private readonly _load: () => Promise<Widget>,
    private readonly _firstWidth = FIRST_WIDTH
  ) {
    super();
    this.id = id;
    this.addClass('jp-Cabinet-sidebar');
    this.title.icon = icon;
    this.title.caption = label;
    this.node.tabIndex = -1;
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', label);
    this.layout = new PanelLayout();
  }

  /** Where the focus goes when somebody asks for the panel: to no button. */
  focusInside = (): void => this.node.focus();

  /** Called where the window is too narrow for this and another sidebar. */
  makeRoom = (): void => undefined;

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._isNarrow = false;
    this._fitWindow();
    if (!this._isFilled) {
      this._widen();
    }
    void this._fill();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      void this._fill();
    }
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.focusInside();
  }

  protected override onResize(message: Widget.ResizeMessage): void {
    super.onResize(message);
    this._fitWindow();
  }

  /** Make room once when the window becomes narrow, and once when this sidebar is shown in a narrow window. */
  private _fitWindow(): void {
    const isNarrow = this.isVisible && window.innerWidth < NARROW_WINDOW;
    if (isNarrow && !this._isNarrow) {
      requestAnimationFrame(this.makeRoom); // after the layout that is on its way
    }
    this._isNarrow = isNarrow;
  }

  /** Open as wide as the panel reads best; then the person's own width counts. */
  private _widen(): void {
    this.node.style.minWidth = `${this._firstWidth}px`;
    this.parent?.fit();
    requestAnimationFrame(() => {
      this.node.style.minWidth = '';
      this.parent?.fit();
    });
  }

  private async _fill(): Promise<void> {
    if (this._isFilled) {
      return;
    }
    this._isFilled = true;
    const panel = await onceLoaded(this._load);
    if (!this.isDisposed) {
      (this.layout as PanelLayout).addWidget(panel);
    }
  }

  private _isFilled = false;
  private _isNarrow = false;
}
