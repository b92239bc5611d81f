/**
 * In which run an agent has sent a message, and who or what had started that run.
 */
import * as React from 'react';

import type { Run } from '../../../api/types';
import { startedBy } from '../../../runs';
import { visible } from '../../../shared/untrusted';
import { runIdIn } from '../../stores/page/sentInRun';
import { usePage } from './services';

/** Nothing for a message of a person, and where the run is not this person's to see. */
export function SentInRun({ origin }: { origin: string }): React.ReactElement | null {
  const { connection, page, trans } = usePage();
  const id = runIdIn(origin);
  const [run, setRun] = React.useState<Run | null>(null);
  React.useEffect(() => {
    let isShown = true;
    setRun(null);
    if (id !== null) {
      const show = (found: Run | null) => void (isShown && setRun(found));
      page.runs.read(id).then(show, () => show(null));
    }
    return () => {
      isShown = false;
    };
  }, [id, page]);
  return run ? (
    <p className="jp-Cabinet-quiet">
      {trans.__(
        'Sent in run %1, started %2.',
        run.number,
        visible(startedBy(run, connection.username, trans))
      )}
    </p>
  ) : null;
}
