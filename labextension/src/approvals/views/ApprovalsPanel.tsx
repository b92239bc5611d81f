/**
 * All questions of agents: those that wait for this person with everything needed to decide, those that wait for
 * others, and how the rest were answered.
 */
import { lockIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Approval } from '../../api/types';
import { Commands } from '../../shared/commands';
import { approvalIcon } from '../../shared/icons/start';
import { errorDiscIcon, eyeIcon } from '../../shared/icons';
import { answeredText, summaryText, titleText } from '../stores/labels';
import { Loading } from '../../shared/views/Loading';
import { Button, Card, Icon, Strip } from '../../shared/views/components';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { ApprovalCard } from './ApprovalCard';
import { ReviewRows, Reviews } from './Reviews';
import { ClosedRow, OthersRow } from './rows';
import { useApprovals, useShown } from './services';

export function ApprovalsPanel(): React.ReactElement {
  const { connection, reviews, shown, store, trans } = useApprovals();
  useChanges(store.changed, reviews.changed, connection.changed);
  const root = React.useRef<HTMLDivElement>(null);
  useShown(root, null, shown);
  const { mine, others } = store;
  return (
    <div ref={root} className="jp-Cabinet-approvals">
      <header className="jp-Cabinet-header">
        <h2 className="jp-Cabinet-header-title">{trans.__('Approvals')}</h2>
        <span className="jp-Cabinet-header-document">
          {summaryText(
            mine.length + reviews.mine.length,
            others.length + reviews.others.length,
            trans
          )}
        </span>
      </header>
      <StateStrip />
      <div className="jp-Cabinet-body jp-Cabinet-approvals-list">
        <Body />
      </div>
      <Spoken />
    </div>
  );
}

function StateStrip(): React.ReactElement | null {
  const { connection, store, trans } = useApprovals();
  if (connection.status === 'offline') {
    return <OfflineStrip connection={connection} trans={trans} />;
  }
  return connection.health && !connection.mayRun && !store.forbidden ? (
    <Strip icon={<Icon icon={eyeIcon} />}>{trans.__('View only')}</Strip>
  ) : null;
}

function Body(): React.ReactElement {
  const { reviews, run, store, trans } = useApprovals();
  if (store.forbidden) {
    return (
      <Card
        icon={<Icon icon={lockIcon} />}
        title={trans.__('You do not have permission to view approvals')}
      >
        {trans.__('Ask the owner of this server for permission.')}
      </Card>
    );
  }
  if (!store.loaded) {
    return store.problem ? <Problem /> : <Loading label={trans.__('Loading approvals')} />;
  }
  const { mine, others } = store;
  return (
    <>
      <Refusals />
      {mine.length + reviews.mine.length === 0 && <NothingWaits />}
      {mine.map(({ approval }) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      <Reviews />
      {others.length + reviews.others.length > 0 && (
        <section aria-label={trans.__('For others')}>
          <h3 className="jp-Cabinet-group">{trans.__('For others')}</h3>
          {others.map(item => (
            <OthersRow key={item.approval.id} item={item} />
          ))}
          {reviews.others.length > 0 && <ReviewRows items={reviews.others} />}
        </section>
      )}
      <Closed />
      <p className="jp-Cabinet-group-note">
        <Button
          link
          label={trans.__('Approval rules')}
          onClick={() => run(Commands.approvalRules)}
        />
      </p>
    </>
  );
}

function NothingWaits(): React.ReactElement {
  const { trans } = useApprovals();
  return (
    <Card icon={<Icon icon={approvalIcon} />} title={trans.__('Nothing is waiting for you')}>
      {trans.__(
        'Agents in the mode “Ask first” ask here before they run commands or edit files. You choose the mode below the instruction.'
      )}
    </Card>
  );
}

function Problem(): React.ReactElement {
  const { store, trans } = useApprovals();
  return (
    <Card
      icon={<Icon icon={errorDiscIcon} />}
      title={trans.__('Could not load the approvals')}
      actions={<Button label={trans.__('Try again')} onClick={() => void store.load()} />}
    >
      <Untrusted text={store.problem ?? ''} />
    </Card>
  );
}

/** Answers that came too late: their question has left the list. */
function Refusals(): React.ReactElement {
  const { store, trans } = useApprovals();
  const waiting = new Set(store.mine.map(({ approval }) => approval.id));
  const late = [...store.refusals].filter(([id]) => !waiting.has(id));
  return (
    <>
      {late.map(([id, message]) => (
        <Strip
          key={id}
          tone="warning"
          icon={<Icon icon={errorDiscIcon} />}
          actions={<Button label={trans.__('Dismiss')} onClick={() => store.dismiss(id)} />}
        >
          <Untrusted text={message} />
        </Strip>
      ))}
    </>
  );
}

function Closed(): React.ReactElement | null {
  const { store, trans } = useApprovals();
  const [all, setAll] = React.useState(false);
  const { closed } = store;
  const today = closed.filter(isOfToday);
  const shown = all ? closed : today;
  if (!closed.length) {
    return null;
  }
  const title = all ? trans.__('Answered') : trans.__('Answered today');
  return (
    <section aria-label={title}>
      <div className="jp-Cabinet-group">
        <h3>{title}</h3>
        <span className="jp-Cabinet-spring" />
        <Button
          link
          label={all ? trans.__('Today') : trans.__('All')}
          onClick={() => setAll(!all)}
        />
      </div>
      {shown.length === 0 && (
        <p className="jp-Cabinet-group-note">{trans.__('Nothing has been answered today.')}</p>
      )}
      {shown.map(approval => (
        <ClosedRow key={approval.id} approval={approval} />
      ))}
      {all && store.older && (
        <div className="jp-Cabinet-more">
          <Button label={trans.__('Show older')} onClick={() => void store.loadOlder()} />
        </div>
      )}
    </section>
  );
}

function isOfToday({ asked_at, closed_at }: Approval): boolean {
  return new Date(closed_at ?? asked_at).toDateString() === new Date().toDateString();
}

/** The outcome of a question that was shown here. The application announces new questions. */
function Spoken(): React.ReactElement {
  const { connection, store, trans } = useApprovals();
  const [text, setText] = React.useState('');
  React.useEffect(() => {
    const slot = (_: unknown, approval: Approval) => {
      const you = connection.username;
      setText(`${titleText(approval, trans)}. ${answeredText(approval, you, trans)}`);
    };
    store.over.connect(slot);
    return () => void store.over.disconnect(slot);
  }, [connection, store, trans]);
  return (
    <div className="jp-Cabinet-spoken" role="status" aria-live="polite">
      {text}
    </div>
  );
}
