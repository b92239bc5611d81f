/**
 * Says over a document what the last run has changed in it, and goes from change to change.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownIcon, caretUpIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Run } from '../../api/types';
import {
  certainFiles,
  ChangesContext,
  type IChangesServices,
  mayDecide,
  Refusal,
  WayBack
} from '../../changes/views';
import type { ChangesStore } from '../../changes';
import type { ConnectionStore } from '../../shared/connection';
import { diffIcon } from '../../shared/icons';
import { Button, Icon, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import type { ChangesInDocuments } from '../changesInDocuments';
import { changesWords, countWords, undoneWords } from '../stores/labels';
import type { IShownChanges } from '../stores/shownChanges';

export interface IChangesStripOptions {
  changed: ChangesInDocuments;
  connection: ConnectionStore;
  path: () => string | null;
  trans: TranslationBundle;
  openDocument: (path: string) => void;
  openReview: (run: Run) => void;
  /** Say something to a screen reader. */
  announce: (words: string) => void;
  /** Put the focus into the document. */
  leave: () => void;
}

/** The document has changes: `changed.has` says so. */
export function ChangesStrip(props: IChangesStripOptions): React.ReactElement {
  const { changed, connection, trans } = props;
  const changes = changed.changes!;
  useChanges(changes.changed, connection.changed);
  const path = props.path()!;
  const shown = changed.shown.of(path)!;
  const found = changes.of(shown.run);
  const file = found?.files.find(each => each.path === shown.file);
  const isReverted = file?.decision?.decision === 'reverted';
  const dismiss = () => {
    changed.dismiss(path);
    props.leave();
  };
  return (
    <ChangesContext.Provider value={servicesOf(props, changes)}>
      <div
        className="jp-Cabinet-changes-strip"
        role="group"
        aria-label={trans.__('Changes of the last run')}
      >
        <Strip
          icon={<Icon icon={diffIcon} />}
          actions={
            <>
              {!isReverted && <Steps {...props} shown={shown} />}
              {found && certainFiles(found).length > 0 && mayDecide(shown.run, connection) && (
                <WayBack run={shown.run} found={found} />
              )}
              <Button link label={trans.__('Dismiss')} onClick={dismiss} />
            </>
          }
        >
          {isReverted ? undoneWords(trans) : changesWords(shown, trans)}
        </Strip>
        <Refusal run={shown.run} />
      </div>
    </ChangesContext.Provider>
  );
}

function Steps(props: IChangesStripOptions & { shown: IShownChanges }): React.ReactElement {
  const { changed, shown, trans } = props;
  return (
    <>
      <span className="jp-Cabinet-quiet jp-Cabinet-change-count">{countWords(shown, trans)}</span>
      <Button
        className="jp-Cabinet-change-step"
        icon={caretUpIcon}
        label={trans.__('Previous')}
        title={trans.__('Previous change (Shift+F8)')}
        onClick={() => changed.go(props.path(), -1)}
      />
      <Button
        className="jp-Cabinet-change-step"
        icon={caretDownIcon}
        label={trans.__('Next')}
        title={trans.__('Next change (F8)')}
        onClick={() => changed.go(props.path(), 1)}
      />
    </>
  );
}

function servicesOf(props: IChangesStripOptions, changes: ChangesStore): IChangesServices {
  const { announce, connection, openDocument, openReview, trans } = props;
  return {
    announce,
    changes,
    mayDecide: run => mayDecide(run, connection),
    openDocument,
    openReview,
    readWhole: () => undefined, // the strip does not show the answer
    rendermime: null,
    trans
  };
}
