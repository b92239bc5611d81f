/**
 * A list that is being read: nothing at first, then its skeleton and a word.
 */
import * as React from 'react';

import { Ring } from './components';
import { useAfter } from './hooks';

const SKELETON_AFTER_MS = 300;

export function Loading({ label }: { label: string }): React.ReactElement | null {
  if (!useAfter(SKELETON_AFTER_MS)) {
    return null;
  }
  return (
    <div className="jp-Cabinet-loading" role="status">
      {[60, 45, 65, 32].map(width => (
        <div key={width} className="jp-Cabinet-skeleton" aria-hidden="true">
          <span className="jp-Cabinet-skeleton-disc" />
          <span className="jp-Cabinet-skeleton-line" style={{ width: `${width}%` }} />
        </div>
      ))}
      <div className="jp-Cabinet-loading-label">
        <Ring /> {label}
      </div>
    </div>
  );
}
