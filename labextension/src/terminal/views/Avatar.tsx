/**
 * A person as a disc: initials on their colour, dark or light by contrast. Its meaning is in its name.
 */
import * as React from 'react';

import type { Person } from '../../api/types';
import { nameOf } from '../stores/labels';
import { useChanges } from '../../shared/views/hooks';
import { useTerminals } from './services';

export function Avatar(props: {
  person: Person;
  /** Said with the name. */
  note?: string;
  /** The text beside the disc says who it is. */
  hidden?: boolean;
  /** Looks at the terminal right now. */
  looking?: boolean;
}): React.ReactElement {
  const { appearance, avatars } = useTerminals();
  useChanges(avatars.changed, appearance.changed); // each theme has its own colours for people
  const disc = React.useRef<HTMLSpanElement>(null);
  const { initials, color } = avatars.of(props.person);
  React.useLayoutEffect(() => {
    const node = disc.current!;
    node.style.color = isLight(getComputedStyle(node).backgroundColor) ? '#000' : '#fff';
  });
  const name = props.note ? `${nameOf(props.person)}, ${props.note}` : nameOf(props.person);
  return (
    <span
      ref={disc}
      className={`jp-Cabinet-face${props.looking ? ' jp-mod-looking' : ''}`}
      style={{ backgroundColor: color }}
      role={props.hidden ? undefined : 'img'}
      aria-hidden={props.hidden}
      aria-label={props.hidden ? undefined : name}
      title={name}
    >
      {initials}
    </span>
  );
}

/** Whether black reads better than white on this colour (`rgb(…)`), by WCAG's luminance. */
export function isLight(rgb: string): boolean {
  const [red, green, blue] = (rgb.match(/[\d.]+/g) ?? ['0', '0', '0']).map(part => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
