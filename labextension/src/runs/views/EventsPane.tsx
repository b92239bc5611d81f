/**
 * A run's events as a list: texts, folded tool calls, questions. Virtual, and it follows the end until
 * somebody scrolls up.
 */
import {
  editIcon,
  fileIcon,
  refreshIcon,
  runIcon,
  textEditorIcon,
  userIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';

import type { Run } from '../../api/types';
import { questionIcon, warningIcon } from '../../shared/icons';
import { useApprovals } from '../../approvals/views';
import { Button, Icon, Ring } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import type { Row } from '../stores/output';
import type { OutputPool } from '../stores/outputPool';
import { isWorking } from '../stores/runs';
import { EventBody, type IEventProps } from './EventBody';

/** Below an `ApprovalContext`. `rendermime` draws Markdown, where it is there. */
export function EventsPane(props: {
  run: Run;
  outputs: OutputPool;
  rendermime: IRenderMimeRegistry | null;
}): React.ReactElement {
  const { outputs, rendermime, run } = props;
  const { trans } = useApprovals();
  const output = React.useMemo(() => outputs.get(run.id), [outputs, run.id]);
  useChanges(output.changed);
  const list = React.useRef<VirtuosoHandle>(null);
  const [atEnd, setAtEnd] = React.useState(true);
  const { rows, usage } = output.folded;
  const working = isWorking(run) && run.state !== 'waiting';
  const spent =
    usage !== null && usage.input_tokens + usage.output_tokens > 0
      ? trans.__(
          '%1 tokens in, %2 out',
          usage.input_tokens.toLocaleString('en'),
          usage.output_tokens.toLocaleString('en')
        )
      : '';
  return (
    <div className="jp-Cabinet-events">
      {rows.length === 0 && !working && (
        <p className="jp-Cabinet-quiet">{trans.__('This run has no events.')}</p>
      )}
      <Virtuoso
        ref={list}
        className="jp-Cabinet-events-list"
        role="list"
        aria-label={trans.__('Events')}
        data={rows as Row[]}
        computeItemKey={(_, row) => row.key}
        followOutput="auto"
        initialTopMostItemIndex={Math.max(0, rows.length - 1)}
        atBottomStateChange={setAtEnd}
        itemContent={(_, row) => <EventRow row={row} run={run} rendermime={rendermime} />}
        components={working ? WITH_RING : WITHOUT}
      />
      {(spent !== '' || !atEnd) && (
        <div className="jp-Cabinet-events-foot">
          <span>{spent}</span>
          {!atEnd && (
            <Button
              link
              label={trans.__('Follow newest')}
              onClick={() =>
                list.current?.scrollToIndex({
                  index: rows.length - 1,
                  align: 'end'
                })
              }
            />
          )}
        </div>
      )}
    </div>
  );
}

function WorkingFoot(): React.ReactElement {
  const { trans } = useApprovals();
  return (
    <div className="jp-Cabinet-event">
      <span className="jp-Cabinet-event-time" />
      <Ring />
      <span className="jp-Cabinet-event-body">{trans.__('Working')}</span>
    </div>
  );
}

const WITH_RING = { Footer: WorkingFoot };
const WITHOUT = {};

function EventRow(props: IEventProps): React.ReactElement {
  const { row } = props;
  return (
    <div className="jp-Cabinet-event" role="listitem" data-kind={row.kind}>
      <span className="jp-Cabinet-event-time">{minutes(row.at)}</span>
      <Icon icon={iconOf(row)} />
      <div className="jp-Cabinet-event-body">
        <EventBody {...props} />
      </div>
    </div>
  );
}

function iconOf(row: Row): LabIcon {
  switch (row.kind) {
    case 'started':
      return runIcon;
    case 'tool':
      return /edit|write|patch/i.test(row.tool) ? editIcon : fileIcon;
    case 'question':
      return questionIcon;
    case 'prompt':
      return userIcon;
    case 'retry':
      return refreshIcon;
    case 'warning':
      return warningIcon;
    default:
      return textEditorIcon;
  }
}

/** "1:12". */
function minutes(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
