/**
 * The strip over a document that an agent edits or has changed, or whose file is newer than the unsaved changes.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { Run } from '../../api/types';
import { warningIcon } from '../../shared/icons';
import type { DocumentFollower } from '../stores/follower';
import { othersWorkText, type OthersWork } from '../stores/othersWork';
import { Button, Icon, Ring, StateMark, Strip } from '../../shared/views/components';
import { when } from '../../shared/time';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import type { UnsavedTexts } from '../unsavedTexts';
import { ChangesStrip, type IChangesStripOptions } from './ChangesStrip';

import '../../../style/shared.css';

export interface IDocumentStripOptions extends IChangesStripOptions {
  follower: DocumentFollower;
  isNotebook: boolean;
  unsaved: UnsavedTexts;
  others: OthersWork;
  showRun: (run: Run) => void;
}

export function createDocumentStrip(options: IDocumentStripOptions): Widget {
  const widget = ReactWidget.create(<DocumentStrip {...options} />);
  widget.addClass('jp-Cabinet-document-strip');
  followHeight(widget);
  return widget;
}

/** Lumino's boxes give a widget the height it asks for in its style, not that of its content. */
function followHeight(widget: Widget): void {
  const observer = new ResizeObserver(() => {
    const height = widget.node.firstElementChild?.getBoundingClientRect().height ?? 0;
    widget.node.style.minHeight = `${Math.ceil(height)}px`;
    widget.parent?.fit();
  });
  const children = new MutationObserver(() => {
    observer.disconnect();
    Array.from(widget.node.children).forEach(child => observer.observe(child));
  });
  children.observe(widget.node, { childList: true });
  widget.disposed.connect(() => {
    children.disconnect();
    observer.disconnect();
  });
}

/** One line about other people's agents, which needs no answer; below it, the strip about this person's own work. */
function DocumentStrip(props: IDocumentStripOptions): React.ReactElement {
  const { others, trans } = props;
  useChanges(others.changed);
  const work = others.in(props.path());
  return (
    <div>
      {work.length > 0 && (
        <Strip icon={<Ring />}>
          <Untrusted text={othersWorkText(work, trans)} />
        </Strip>
      )}
      <OwnStrip {...props} />
    </div>
  );
}

function OwnStrip(props: IDocumentStripOptions): React.ReactElement | null {
  const { changed, follower, trans, unsaved } = props;
  useChanges(follower.changed, changed.shown.changed, unsaved.changed);
  const path = props.path();
  if (follower.isUnreadable(path)) {
    return (
      <Strip
        tone="warning"
        icon={<Icon icon={warningIcon} />}
        actions={<Button label={trans.__('Keep mine')} onClick={() => follower.keepMine(path!)} />}
      >
        {props.isNotebook
          ? trans.__(
              'The file on disk is not a valid notebook any more. Have it fixed or reverted, or keep your version and save it.'
            )
          : trans.__(
              'The file on disk is not UTF-8 text any more. Have it fixed or reverted, or keep your version and save it.'
            )}
      </Strip>
    );
  }
  if (follower.conflict(path)) {
    return (
      <Strip
        tone="warning"
        icon={<Icon icon={warningIcon} />}
        actions={
          <>
            <Button
              label={trans.__('Load the version on disk')}
              onClick={() => void follower.takeTheirs(path!)}
            />
            <Button label={trans.__('Keep mine')} onClick={() => follower.keepMine(path!)} />
          </>
        }
      >
        {follower.hasUnsaved(path)
          ? trans.__(
              'The file changed on disk while you have unsaved changes. Nothing is saved until you choose a version.'
            )
          : trans.__('The file changed on disk. Nothing is saved until you choose a version.')}
      </Strip>
    );
  }
  if (unsaved.of(path)) {
    return <UnsavedStrip {...props} />;
  }
  const run = follower.editing(path) ?? changed.reading(path);
  if (!run) {
    return changed.has(path) ? <ChangesStrip {...props} /> : null;
  }
  return (
    <Strip
      tone="brand"
      icon={run.state === 'waiting' ? <StateMark icon="question" /> : <Ring />}
      actions={<Button link label={trans.__('Open run')} onClick={() => props.showRun(run)} />}
    >
      <Untrusted text={words(props, run)} />
    </Strip>
  );
}

/** What was typed before the page was closed. */
function UnsavedStrip(props: IDocumentStripOptions): React.ReactElement {
  const { leave, trans, unsaved } = props;
  const path = props.path()!;
  const { at } = unsaved.of(path)!;
  const restore = () => {
    void unsaved.restore(path);
    leave();
  };
  const discard = () => {
    unsaved.discard(path);
    leave();
  };
  return (
    <Strip
      tone="warning"
      icon={<Icon icon={warningIcon} />}
      actions={
        <>
          <Button label={trans.__('Restore')} onClick={restore} />
          <Button label={trans.__('Discard')} onClick={discard} />
        </>
      }
    >
      {trans.__(
        'You left unsaved changes in this file (%1), while an agent was working.',
        when(new Date(at).toISOString(), new Date(), trans)
      )}
    </Strip>
  );
}

function words(options: IDocumentStripOptions, run: Run): string {
  const { follower, isNotebook, path, trans } = options;
  if (run.state === 'waiting') {
    return run.trigger.username === options.connection.username
      ? trans.__('%1 is waiting for you.', run.runtime_title)
      : trans.__('%1 is waiting for %2.', run.runtime_title, run.trigger.display_name);
  }
  const edits = isNotebook
    ? trans.__('%1 is editing this notebook.', run.runtime_title)
    : trans.__('%1 is editing this file.', run.runtime_title);
  return follower.savedFirst(path())
    ? trans.__('%1 Your unsaved changes were saved first.', edits)
    : edits;
}
