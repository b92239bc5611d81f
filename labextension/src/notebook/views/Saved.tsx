/**
 * What was saved in the notebook, where the thing itself cannot be shown; and why.
 */
import * as React from 'react';

import { Answer } from '../../runs/views';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import type { RunProblem } from '../stores/problems';
import type { ISaved } from '../stores/shownOutput';
import { useCells } from './services';

export function Saved({ saved, words }: { saved: ISaved; words: string }): React.ReactElement {
  const { rendermime } = useCells();
  return (
    <div className="jp-Cabinet-cell-saved">
      <p className="jp-Cabinet-quiet">{words}</p>
      {saved.markdown ? (
        <Answer text={saved.markdown} rendermime={rendermime} />
      ) : (
        saved.plain && <Untrusted block className="jp-Cabinet-code" text={saved.plain} />
      )}
    </div>
  );
}

/** Not there, not for this person, out of reach, or not here yet: each in its own words. */
export function NotShown(props: {
  problem: RunProblem | null;
  saved: ISaved;
  absent: string;
  forbidden: string;
  loading: string;
}): React.ReactElement {
  const { problem, saved } = props;
  const { trans } = useCells();
  switch (problem) {
    case 'absent':
      return <Saved saved={saved} words={props.absent} />;
    case 'forbidden':
      return <Saved saved={saved} words={props.forbidden} />;
    case 'offline':
      return (
        <Saved
          saved={saved}
          words={trans.__('The server cannot be reached. This is the saved state.')}
        />
      );
    default:
      return <Loading label={props.loading} />;
  }
}
