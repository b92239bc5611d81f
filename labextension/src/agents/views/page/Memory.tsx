/**
 * What the agent remembers: its files, their sizes, what found no room any more, and one of them to edit.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AgentDetail, AgentFileInfo, MemoryMatch } from '../../../api/types';
import { size } from '../../../shared/size';
import { fullTime, isoTime, when } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { useChanges } from '../../../shared/views/hooks';
import { isDailyLog, MEMORY, memoryFiles } from '../../stores/page/memoryFiles';
import { Nothing, Refused } from '../parts';
import { Mentions } from './Mentions';
import { MemoryMatches, MemorySearchField } from './MemorySearchField';
import { usePage, useWhyNot } from './services';
import { TextEditor } from '../TextEditor';

/** The server writes these from what its directives say. */
const KEPT_BY_SERVER = /\.json$/;

export function Memory({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { page, trans } = usePage();
  const { files, memorySearch: search } = page;
  useChanges(files.changed, search.changed);
  const [chosen, setChosen] = React.useState<string | null>(null);
  const [match, setMatch] = React.useState<MemoryMatch | null>(null);
  const list = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => void search.repeat(), [files.value]);
  const choose = (path: string) => {
    setMatch(null);
    setChosen(path);
  };
  const open = (found: MemoryMatch) => {
    setMatch({ ...found }); // another object each time, so that the line is shown again
    setChosen(found.path);
  };
  const focusOn = (selector: string) => list.current!.querySelector<HTMLElement>(selector)?.focus();
  const { all, archived, current, days } = memoryFiles(files.value ?? []);
  const groups = [
    { label: trans.__('Daily logs'), files: days },
    { label: trans.__('Archive'), files: archived }
  ].filter(group => group.files.length > 0);
  const file = all.find(({ path }) => path === chosen) ?? null;
  return (
    <div className="jp-Cabinet-page-split">
      <div className="jp-Cabinet-page-list" ref={list}>
        <Refused text={files.problem} />
        {all.length > 0 && (
          <MemorySearchField onOpen={open} onDown={() => focusOn('.jp-Cabinet-page-row')} />
        )}
        {files.value !== null && all.length === 0 && (
          <Nothing>
            {trans.__('No memory yet. What the agent learns in its runs appears here.')}
          </Nothing>
        )}
        {search.q && <MemoryMatches chosen={match} onOpen={open} onUp={() => focusOn('input')} />}
        {!search.q && (
          <Files label={trans.__('Memory')} files={current} chosen={chosen} onChoose={choose} />
        )}
        {!search.q &&
          groups.map(group => (
            <React.Fragment key={group.label}>
              <h3 className="jp-Cabinet-page-group">{group.label}</h3>
              <Files {...group} chosen={chosen} onChoose={choose} />
            </React.Fragment>
          ))}
      </div>
      <div className="jp-Cabinet-page-beside">
        {file === null ? (
          <Nothing>{trans.__('Select a file to read or change it.')}</Nothing>
        ) : (
          <File key={file.path} file={file} agent={agent} place={match} />
        )}
      </div>
    </div>
  );
}

function Files(props: {
  label: string;
  files: AgentFileInfo[];
  chosen: string | null;
  onChoose: (path: string) => void;
}): React.ReactElement {
  const { trans } = usePage();
  return (
    <ul className="jp-Cabinet-plain-list" aria-label={props.label}>
      {props.files.map(file => {
        const time = isoTime(file.modified);
        return (
          <li key={file.path}>
            <button
              type="button"
              className="jp-Cabinet-page-row"
              aria-current={file.path === props.chosen || undefined}
              onClick={() => props.onChoose(file.path)}
            >
              <span className="jp-Cabinet-page-row-title">
                {visible(file.path.slice(MEMORY.length))}
              </span>
              <span className="jp-Cabinet-page-figure">{size(file.size)}</span>
              <span className="jp-Cabinet-page-figure" title={fullTime(time)}>
                {when(time, new Date(), trans)}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function File(props: {
  file: AgentFileInfo;
  agent: AgentDetail;
  place: MemoryMatch | null;
}): React.ReactElement {
  const { agent, file, place } = props;
  const { page, trans } = usePage();
  const why = useWhyNot(agent);
  const text = page.file(file.path);
  useChanges(text.changed);
  return (
    <>
      <TextEditor
        text={text}
        label={visible(file.path)}
        whyNot={why ?? whyReadOnly(file, trans)}
        version={`${file.modified} ${file.size}`}
        place={place}
      />
      <Mentions text={text.draft ?? ''} />
    </>
  );
}

/** Null: it can be changed. */
function whyReadOnly(file: AgentFileInfo, trans: TranslationBundle): string | null {
  if (isDailyLog(file)) {
    return trans.__(
      'A daily log is a record of what happened on that day. It cannot be changed here.'
    );
  }
  return KEPT_BY_SERVER.test(file.path)
    ? trans.__('The server maintains this file and changes it when the agent acts.')
    : null;
}
