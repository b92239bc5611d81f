/**
 * The strips over a terminal as elements. Which there are, and what they say, is `stores/strips.ts`.
 */
import { closeIcon, lockIcon, stopIcon } from '@jupyterlab/ui-components';
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Rejection } from '../../api/terminal';
import { Commands } from '../../shared/commands';
import {
  clockIcon,
  errorDiscIcon,
  eyeIcon,
  keyboardIcon,
  offlineIcon,
  pauseIcon,
  questionIcon,
  successIcon
} from '../../shared/icons';
import { titleText } from '../../approvals';
import { terminalStrips } from '../stores/strips';
import type { IStrip, IStripAction, StripIcon, StripVerb } from '../stores/strip';
import { isOvertaken } from '../stores/rules';
import { nameOf, refusalText } from '../stores/labels';
import { NOTICE_PAUSE_MS, type TerminalStore } from '../stores/terminal';
import { ownerOf, useShown } from '../../approvals/views';
import { Button, Icon, Ring, Strip } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import type { TerminalActions } from './actions';
import { Avatar } from './Avatar';
import { useTerminals } from './services';

const ICONS: Readonly<Record<Exclude<StripIcon, 'ring'>, LabIcon>> = {
  lock: lockIcon,
  eye: eyeIcon,
  pause: pauseIcon,
  keyboard: keyboardIcon,
  offline: offlineIcon,
  clock: clockIcon,
  success: successIcon,
  error: errorDiscIcon,
  stop: stopIcon,
  question: questionIcon
};

const CLASSES: Readonly<Partial<Record<StripVerb, string>>> = {
  play: 'jp-mod-foldable',
  request: 'jp-Cabinet-request'
};

/** What the store's state says now, moved on each second while something in it counts. */
export function useStrips(
  store: TerminalStore,
  hasCard: boolean
): { strips: IStrip[]; dismiss: () => void } {
  const { approvals, connection, trans } = useTerminals();
  useChanges(
    store.changed,
    store.socket.statusChanged,
    approvals.store.changed,
    connection.changed
  );
  const refused = useRefusal(store);
  const [dismissed, dismiss] = React.useState<Date | null>(null);
  const { state } = store;
  const counts =
    store.isLost ||
    state.requests.length > 0 ||
    state.keptUntil !== null ||
    state.refusedBy !== null ||
    state.rebuilt !== null;
  const now = useNow(counts);
  const [question] = approvals.store.waitingIn(store.terminalId);
  const strips = terminalStrips(
    {
      state,
      isLost: store.isLost,
      retryAt: store.socket.retryAt,
      gone: store.gone,
      closedBecause: store.closedBecause,
      keptForYouUntil: store.keptForYouUntil,
      replaying: store.replaying,
      refused,
      dismissed: dismissed !== null && dismissed.getTime() === state.agentEnd?.at.getTime(),
      hasCard,
      question: question && {
        id: question.approval.id,
        title: titleText(question.approval, trans),
        mayAnswer: question.may_answer,
        owner: ownerOf(question.approval),
        inTerminal: question.approval.in_terminal
      },
      now
    },
    trans
  );
  return { strips, dismiss: () => dismiss(state.agentEnd?.at ?? null) };
}

export function TerminalStrip(props: {
  strip: IStrip;
  actions: TerminalActions;
  onDismiss: () => void;
}): React.ReactElement {
  const { strip, actions } = props;
  const { run } = useTerminals();
  const act = (verb: StripVerb, to?: string) => {
    switch (verb) {
      case 'retry':
        return actions.store?.socket.retryNow();
      case 'dismiss':
        props.onDismiss();
        return actions.view.focus();
      case 'new':
        return run(Commands.newTerminal);
      case 'answer':
        return run(Commands.approvals);
      case 'type':
        return actions.view.focus();
      case 'withdraw':
        return actions.act('request');
      default:
        return actions.act(verb, to);
    }
  };
  return (
    <Strip
      tone={strip.tone}
      className={classOf(strip)}
      icon={<StripMark strip={strip} />}
      actions={
        <>
          {strip.aside && !strip.person && (
            <span className="jp-Cabinet-strip-aside" title={strip.aside}>
              {strip.aside}
            </span>
          )}
          {strip.actions
            .filter(action => !action.link)
            .map(action => (
              <StripButton key={action.verb} action={action} act={act} />
            ))}
        </>
      }
    >
      {strip.about && <Seen id={strip.about} />}
      {strip.person && <strong>{nameOf(strip.person)} </strong>}
      <span title={strip.aside ? `${strip.text}\n${strip.aside}` : strip.text}>{strip.text}</span>
      {strip.person && strip.aside && (
        <span className="jp-Cabinet-strip-ago" aria-hidden="true">
          {strip.aside}
        </span>
      )}
      {strip.actions
        .filter(action => action.link)
        .map(action => (
          <StripButton key={action.verb} action={action} act={act} />
        ))}
    </Strip>
  );
}

/** A question can be longer than the line: it unfolds over the screen. */
function classOf({ flash, icon }: IStrip): string {
  const kind = flash ? 'jp-mod-flash' : icon === 'question' ? 'jp-mod-question' : '';
  return `jp-mod-line ${kind}`.trim();
}

/** A question that is shown here needs no notification. */
function Seen({ id }: { id: string }): React.ReactElement {
  const { approvals } = useTerminals();
  const mark = React.useRef<HTMLSpanElement>(null);
  useShown(mark, id, approvals.shown);
  return <span ref={mark} className="jp-Cabinet-seen" />;
}

function StripMark({ strip }: { strip: IStrip }): React.ReactElement {
  if (strip.person) {
    return <Avatar person={strip.person} hidden />;
  }
  return strip.icon === 'ring' ? <Ring /> : <Icon icon={ICONS[strip.icon]} />;
}

function StripButton(props: {
  action: IStripAction;
  act: (verb: StripVerb, to?: string) => void;
}): React.ReactElement {
  const { action } = props;
  const { keyOf } = useTerminals();
  return (
    <Button
      label={action.label}
      filled={action.filled}
      link={action.link}
      bare={action.verb === 'dismiss'}
      className={CLASSES[action.verb]}
      icon={action.verb === 'dismiss' ? closeIcon : undefined}
      hint={(action.key && keyOf(action.key)) ?? undefined}
      onClick={() => props.act(action.verb, action.to)}
    />
  );
}

/** A refused key, for three seconds or until it would not be refused so any more; spoken at once. */
function useRefusal(store: TerminalStore): Rejection | null {
  const { announcer, trans } = useTerminals();
  const [reason, setReason] = React.useState<Rejection | null>(null);
  React.useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let then = store.state;
    const slot = (_: TerminalStore, refused: Rejection) => {
      then = store.state;
      setReason(refused);
      announcer.urgent(`${refusalText(refused, store.state, trans)}.`);
      clearTimeout(timer);
      timer = setTimeout(() => setReason(null), NOTICE_PAUSE_MS);
    };
    const onChanged = () =>
      setReason(refused => (refused && isOvertaken(refused, then, store.state) ? null : refused));
    store.refused.connect(slot);
    store.changed.connect(onChanged);
    return () => {
      clearTimeout(timer);
      store.refused.disconnect(slot);
      store.changed.disconnect(onChanged);
    };
  }, [store, announcer, trans]);
  return reason;
}
