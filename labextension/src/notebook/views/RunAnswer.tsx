/**
 * What a run says, with what it does folded between its texts. Drawn again at most some times a second.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { isFinal, type Section, sectionsOf, toolGist, toolsOf } from '../../runs';
import { Answer, EventBody, Fold } from '../../runs/views';
import { duration } from '../../shared/time';
import { Untrusted } from '../../shared/views/Untrusted';
import { useCells } from './services';
import { useFolded } from './useRun';

export function RunAnswer({ run }: { run: Run }): React.ReactElement | null {
  const { rendermime } = useCells();
  const folded = useFolded(run);
  // all warnings are shown above, also those that do not come from the CLI
  const rows = React.useMemo(() => folded?.rows.filter(row => row.kind !== 'warning'), [folded]);
  const sections = React.useMemo(() => sectionsOf(rows ?? []), [rows]);
  const says = sections.some(({ kind }) => kind === 'text');
  const answer = isFinal(run) && !says ? (run.result?.text ?? '') : '';
  return (
    <>
      {sections.map(section => (
        <SectionView key={section.key} section={section} run={run} />
      ))}
      {answer && <Answer text={answer} rendermime={rendermime} />}
    </>
  );
}

function SectionView({ section, run }: { section: Section; run: Run }): React.ReactElement {
  const { rendermime } = useCells();
  switch (section.kind) {
    case 'text':
      return <Answer text={section.text} rendermime={rendermime} />;
    case 'work':
      return <Work section={section} run={run} />;
    case 'note':
      return (
        <div className="jp-Cabinet-quiet">
          <EventBody row={section.row} run={run} rendermime={rendermime} />
        </div>
      );
  }
}

/** "2 tool calls  Read df.csv, Python"; unfolded, each with its result. */
function Work(props: { section: Section & { kind: 'work' }; run: Run }): React.ReactElement {
  const { run, section } = props;
  const { rendermime, trans } = useCells();
  const { rows, seconds } = section;
  const calls = toolsOf(rows).length;
  const title = calls
    ? trans._n('%1 tool call', '%1 tool calls', calls)
    : rows.some(({ kind }) => kind === 'thinking')
      ? trans.__('Thinking')
      : trans.__('Work');
  return (
    <Fold
      head={
        <>
          <strong>{title}</strong> <Untrusted className="jp-Cabinet-code" text={toolGist(rows)} />
        </>
      }
      note={seconds === null ? '' : duration(seconds, trans)}
      body={() => (
        <div className="jp-Cabinet-run-calls">
          {rows.map(row => (
            <EventBody key={row.key} row={row} run={run} rendermime={rendermime} />
          ))}
        </div>
      )}
    />
  );
}
