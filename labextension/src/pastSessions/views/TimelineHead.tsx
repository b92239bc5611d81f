/**
 * The title of a session, its facts, its tags, and what can be done with it.
 */
import { closeIcon, downloadIcon, runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ExportFormat } from '../../api/pastSessionRoutes';
import { cost } from '../../runs';
import { fullTime, isoTime } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { saveFile } from '../../shared/views/saveFile';
import { Untrusted } from '../../shared/views/Untrusted';
import { branchText, lengthText, titleOf, whyNotContinued } from '../stores/labels';
import type { TimelineStore } from '../stores/timeline';
import { usePastSessions, useRuntimeTitle } from './services';
import { GradeMark } from './SessionRow';
import { StarButton } from './StarButton';

export function TimelineHead(props: {
  timeline: TimelineStore;
  onContinue: () => void;
  onDetails: () => void;
}): React.ReactElement {
  const { onContinue, onDetails, timeline } = props;
  const { connection, sessions, trans } = usePastSessions();
  const runtimeTitle = useRuntimeTitle();
  const { outline, session } = timeline;
  const facts = [
    runtimeTitle(session.runtime),
    session.models.map(visible).join(', '),
    session.started_at !== null && fullTime(isoTime(session.started_at)),
    lengthText(session, trans),
    cost(session.cost_usd),
    outline && outline.branches > 1 && branchText(outline.branch, outline.branches, trans)
  ].filter(Boolean);
  const why = connection.mayRun
    ? whyNotContinued(session, trans)
    : trans.__('You can view sessions on this server, but not run agents.');
  const { archived } = session.marks;
  return (
    <header className="jp-Cabinet-past-head">
      <Button
        link
        className="jp-Cabinet-past-back"
        label={trans.__('Back to the list')}
        onClick={() => sessions.open(null)}
      />
      <div className="jp-Cabinet-past-head-line">
        <h2>
          <Untrusted text={titleOf(session, trans)} />
        </h2>
        <GradeMark session={session} />
        <StarButton session={session} />
      </div>
      <p className="jp-Cabinet-quiet">{facts.join(' · ')}</p>
      {session.cwd && (
        <p>
          <Untrusted className="jp-Cabinet-quiet jp-Cabinet-code" text={session.cwd} />
        </p>
      )}
      <Tags timeline={timeline} />
      {session.marks.note && (
        <Untrusted block className="jp-Cabinet-past-text" text={session.marks.note} />
      )}
      <Findings timeline={timeline} />
      <div className="jp-Cabinet-past-actions">
        <Button
          filled
          icon={runIcon}
          label={trans.__('Continue…')}
          blocked={why}
          disabled={!connection.online}
          onClick={onContinue}
        />
        <Button
          label={archived ? trans.__('Unarchive') : trans.__('Archive')}
          disabled={!connection.online}
          onClick={() => void sessions.mark(session, { archived: !archived })}
        />
        <Button
          label={trans.__('Name and note…')}
          disabled={!connection.online}
          onClick={onDetails}
        />
        <span className="jp-Cabinet-spring" />
        <Exports timeline={timeline} />
      </div>
    </header>
  );
}

function Exports({ timeline }: { timeline: TimelineStore }): React.ReactElement {
  const { connection, trans } = usePastSessions();
  const { native_id, runtime } = timeline.session;
  const formats: [ExportFormat, string, string][] = [
    ['md', trans.__('Markdown'), trans.__('Export as Markdown')],
    ['ipynb', trans.__('Notebook'), trans.__('Export as a notebook')],
    ['json', trans.__('JSON'), trans.__('Export as JSON')]
  ];
  const name = `${runtime}-${native_id}`.replace(/[^\w.-]+/g, '-').slice(0, 80);
  return (
    <span className="jp-Cabinet-past-exports" role="group" aria-label={trans.__('Export')}>
      {formats.map(([format, label, title]) => (
        <Button
          key={format}
          quiet
          icon={downloadIcon}
          label={label}
          title={title}
          busy={timeline.isExporting}
          disabled={!connection.online}
          onClick={async () => saveFile(await timeline.export(format), `${name}.${format}`)}
        />
      ))}
    </span>
  );
}

/** Why it has its grade. */
function Findings({ timeline }: { timeline: TimelineStore }): React.ReactElement | null {
  const { trans } = usePastSessions();
  const findings = timeline.outline?.health?.findings ?? [];
  return findings.length === 0 ? null : (
    <ul className="jp-Cabinet-past-findings" aria-label={trans.__('Why it has this grade')}>
      {findings.map(({ kind, message }, index) => (
        <li key={`${kind}-${index}`}>
          <Untrusted text={message} />
        </li>
      ))}
    </ul>
  );
}

function Tags({ timeline }: { timeline: TimelineStore }): React.ReactElement {
  const { sessions, trans } = usePastSessions();
  const { session } = timeline;
  const [draft, setDraft] = React.useState('');
  const list = React.useId();
  const { tags } = session.marks;
  const add = () => {
    const tag = draft.trim();
    if (tag) {
      setDraft('');
      void sessions.mark(session, { add_tags: [tag] });
    }
  };
  return (
    <div className="jp-Cabinet-past-tags">
      {tags.map(tag => (
        <span key={tag} className="jp-Cabinet-past-tag">
          <Untrusted text={tag} />
          <Button
            bare
            icon={closeIcon}
            label={trans.__('Remove the tag “%1”', visible(tag))}
            onClick={() => void sessions.mark(session, { remove_tags: [tag] })}
          />
        </span>
      ))}
      <input
        type="text"
        className="jp-Cabinet-input"
        list={list}
        aria-label={trans.__('Add a tag')}
        placeholder={trans.__('Add a tag')}
        value={draft}
        onChange={event => setDraft(event.target.value)}
        onKeyDown={event => event.key === 'Enter' && !event.nativeEvent.isComposing && add()}
        onBlur={add}
      />
      <datalist id={list}>
        {(sessions.projects?.tags ?? [])
          .filter(tag => !tags.includes(tag))
          .map(tag => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </div>
  );
}
