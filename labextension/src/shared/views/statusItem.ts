/**
 * A button in the status bar: an icon and a word.
 */
import { Widget } from '@lumino/widgets';

import '../../../style/shared.css';
import '../../../style/status.css';

/** The item and its parts, to be filled. */
export interface IStatusItem {
  item: Widget;
  button: HTMLButtonElement;
  icon: HTMLElement;
  label: HTMLElement;
}

/** It has no icon and no word yet. */
export function statusItem(onClick: () => void): IStatusItem {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-Cabinet-status';
  button.onclick = onClick;
  const icon = document.createElement('span');
  icon.className = 'jp-Cabinet-icon';
  const label = document.createElement('span');
  button.append(icon, label);
  const item = new Widget({ node: document.createElement('div') });
  item.node.append(button);
  return { item, button, icon, label };
}
