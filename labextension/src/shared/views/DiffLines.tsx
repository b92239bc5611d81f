/**
 * Lines that go and come, each with its sign.
 */
import * as React from 'react';

import type { IDiffLine } from '../lineDiff';
import { Untrusted } from './Untrusted';

const SIGNS = { ' ': ' ', '+': '+', '-': '−' } as const;
const KINDS = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

export function DiffLines(props: {
  lines: readonly IDiffLine[];
  label: string;
  /** However many they are, all are shown at once. */
  whole?: boolean;
}): React.ReactElement {
  return (
    <div
      className={`jp-Cabinet-diff-lines ${props.whole ? 'jp-mod-whole' : ''}`.trim()}
      role="group"
      tabIndex={props.whole ? undefined : 0}
      aria-label={props.label}
    >
      {props.lines.map(({ sign, text }, index) => (
        <div key={index} className={`jp-Cabinet-diff-line jp-mod-${KINDS[sign]}`}>
          <span className="jp-Cabinet-diff-sign">{SIGNS[sign]}</span>
          <Untrusted text={text} />
        </div>
      ))}
    </div>
  );
}
