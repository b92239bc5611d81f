/**
 * The small parts all panels are made of: buttons, cards, strips, state icons.
 */
import { LabIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import {
  clockIcon,
  errorDiscIcon,
  questionIcon,
  skipIcon,
  successIcon,
  warningIcon
} from '../icons';
import type { StateIcon } from '../stateIcon';
import { visible } from '../untrusted';

/** The one thing that moves, while work is in progress. It is still if people prefer reduced motion. */
export function Ring(): React.ReactElement {
  return <span className="jp-Cabinet-ring" aria-hidden="true" />;
}

export function Icon(props: { icon: LabIcon; className?: string }): React.ReactElement {
  return (
    <span className={`jp-Cabinet-icon ${props.className ?? ''}`} aria-hidden="true">
      <props.icon.react tag="span" width="16px" height="16px" />
    </span>
  );
}

const STATE_ICONS: Readonly<Record<Exclude<StateIcon, 'ring'>, LabIcon>> = {
  clock: clockIcon,
  question: questionIcon,
  success: successIcon,
  error: errorDiscIcon,
  square: stopIcon,
  warning: warningIcon,
  skip: skipIcon
};

export function StateMark(props: { icon: StateIcon }): React.ReactElement {
  return props.icon === 'ring' ? <Ring /> : <Icon icon={STATE_ICONS[props.icon]} />;
}

export function Button(props: {
  label: string;
  onClick: (event: React.MouseEvent<HTMLButtonElement>) => void;
  icon?: LabIcon;
  filled?: boolean;
  /** Only the icon is shown; the label is its name and tooltip. */
  bare?: boolean;
  link?: boolean;
  /** Without a ground, for toolbars. */
  quiet?: boolean;
  disabled?: boolean;
  /** Without effect while its work is in progress; unlike a disabled button it keeps the focus. */
  busy?: boolean;
  /** Why it cannot be used now. It keeps its place in the order of focus, so that the reason can be read. */
  blocked?: string | null;
  tabIndex?: number;
  pressed?: boolean;
  /** Whether what it unfolds is there. */
  expanded?: boolean;
  title?: string;
  /** The key that does the same. */
  hint?: string;
  className?: string;
  iconClass?: string;
  /** Shown after the label. */
  after?: LabIcon;
  hasMenu?: boolean;
}): React.ReactElement {
  const kinds = ['filled', 'link', 'bare', 'quiet'] as const;
  const kind = kinds.find(name => props[name]) ?? 'plain';
  const blocked = reasonOf(props);
  const kept = useKeptWhileFocused(props.disabled);
  const isDead = [props.busy, props.blocked, kept.isKept].some(Boolean);
  const named = ['bare', 'quiet'].includes(kind) ? props.label : undefined;
  return (
    <button
      {...kept.attributes}
      type="button"
      className={`jp-Cabinet-button jp-mod-${kind} ${props.className ?? ''}`.trim()}
      aria-haspopup={props.hasMenu ? 'menu' : undefined}
      tabIndex={props.tabIndex}
      aria-disabled={isDead || undefined}
      aria-description={blocked}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      aria-label={props.bare ? props.label : undefined}
      aria-keyshortcuts={props.hint}
      title={blocked ?? props.title ?? named}
      onClick={event => isDead || props.onClick(event)}
    >
      {props.icon && <Icon icon={props.icon} className={props.iconClass} />}
      {!props.bare && <span className="jp-Cabinet-button-label">{props.label}</span>}
      {props.after && <Icon icon={props.after} />}
      {props.hint && (
        <span className="jp-Cabinet-key" aria-hidden="true">
          {props.hint}
        </span>
      )}
    </button>
  );
}

/** Why a button cannot be used; it may repeat what a file says. */
/**
 * A disabled button cannot have the focus: one that becomes disabled under the person’s key, as *Save* does, would throw
 * the focus out of the panel. It is only without effect, until the person leaves it.
 */
function useKeptWhileFocused(disabled: boolean | undefined): {
  attributes: React.ButtonHTMLAttributes<HTMLButtonElement> &
    React.RefAttributes<HTMLButtonElement>;
  isKept: boolean;
} {
  const ref = React.useRef<HTMLButtonElement>(null);
  const [, drawAgain] = React.useReducer((count: number) => count + 1, 0);
  const isKept = !!disabled && ref.current !== null && ref.current === document.activeElement;
  const attributes = isKept ? { ref, onBlur: drawAgain } : { ref, disabled };
  return { attributes, isKept };
}

function reasonOf({ blocked }: { blocked?: string | null }): string | undefined {
  return blocked ? visible(blocked) : undefined;
}

/** A state with nothing else to show: what it is, why, one next step. */
export function Card(props: {
  icon?: React.ReactNode;
  title: React.ReactNode;
  children?: React.ReactNode;
  actions?: React.ReactNode;
  className?: string;
}): React.ReactElement {
  return (
    <section className={`jp-Cabinet-card ${props.className ?? ''}`.trim()}>
      {props.icon && <div className="jp-Cabinet-card-icon">{props.icon}</div>}
      <h3 className="jp-Cabinet-card-title">{props.title}</h3>
      {props.children && <div className="jp-Cabinet-card-text">{props.children}</div>}
      {props.actions && <div className="jp-Cabinet-card-actions">{props.actions}</div>}
    </section>
  );
}

/** One line over a panel, a terminal or a document. */
export function Strip(props: {
  icon?: React.ReactNode;
  tone?: 'neutral' | 'brand' | 'warning';
  children: React.ReactNode;
  actions?: React.ReactNode;
  className?: string;
}): React.ReactElement {
  const tone = props.tone ?? 'neutral';
  return (
    <div className={`jp-Cabinet-strip jp-mod-${tone} ${props.className ?? ''}`.trim()}>
      {props.icon}
      <span className="jp-Cabinet-strip-text">{props.children}</span>
      {props.actions && <span className="jp-Cabinet-strip-actions">{props.actions}</span>}
    </div>
  );
}

/** Tabs with one tab stop: arrows move, Home and End jump. */
export function Tabs<T extends string>(props: {
  label: string;
  tabs: { id: T; label: string }[];
  current: T;
  panelId: string;
  onSelect: (id: T) => void;
}): React.ReactElement {
  const { tabs, current } = props;
  const onKeyDown = (event: React.KeyboardEvent<HTMLDivElement>) => {
    const index = tabs.findIndex(tab => tab.id === current);
    const next = {
      ArrowRight: (index + 1) % tabs.length,
      ArrowLeft: (index - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      props.onSelect(tabs[next].id);
      (event.currentTarget.children[next] as HTMLElement).focus();
    }
  };
  return (
    <div className="jp-Cabinet-tabs" role="tablist" aria-label={props.label} onKeyDown={onKeyDown}>
      {tabs.map(tab => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          className="jp-Cabinet-tab"
          aria-selected={tab.id === current}
          aria-controls={props.panelId}
          tabIndex={tab.id === current ? 0 : -1}
          onClick={() => props.onSelect(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
