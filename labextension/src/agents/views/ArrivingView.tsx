/**
 * What an agent brings that is imported: facts, what is missing here, what the files of another system become, permissions,
 * skills, plays and every text.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ArrivingAgent } from '../../api/types';
import { size as sizeWords } from '../../shared/size';
import { visible } from '../../shared/untrusted';
import { TextField } from '../../shared/views/fields';
import { Untrusted } from '../../shared/views/Untrusted';
import type { IImportChoice } from '../stores/agentActions';
import {
  arrivingFacts,
  arrivingPlayWords,
  arrivingSkillWords,
  convertedWords
} from '../stores/arrivingWords';
import { fieldErrorText } from '../stores/fieldErrorText';
import { checkSlug } from '../stores/newAgentRules';

export function ArrivingView(props: {
  agent: ArrivingAgent;
  /** Follows what the person enters. */
  choice: IImportChoice;
  /** Why the server has refused the last choice. Empty: it has not. */
  refusal: string;
  trans: TranslationBundle;
}): React.ReactElement {
  const { agent, choice, refusal, trans } = props;
  return (
    <div
      className="jp-Cabinet-arriving"
      role="region"
      tabIndex={0}
      aria-label={trans.__('What the file brings')}
    >
      <p>
        {trans.__(
          'It starts nothing before you have reviewed and confirmed it. Nothing on this server is overwritten.'
        )}
      </p>
      <FolderField choice={choice} refusal={refusal} trans={trans} />
      <dl>
        {arrivingFacts(agent, trans).map(([name, value]) => (
          <React.Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <Untrusted text={value} />
            </dd>
          </React.Fragment>
        ))}
      </dl>
      {agent.notes.length > 0 && (
        <ul className="jp-Cabinet-arriving-notes" aria-label={trans.__('Notes')}>
          {agent.notes.map(note => (
            <li key={note}>
              <Untrusted text={note} />
            </li>
          ))}
        </ul>
      )}
      <Converted agent={agent} trans={trans} />
      <Lines
        title={trans.__('Skills')}
        lines={agent.skills.map(skill => [skill.name, arrivingSkillWords(skill, trans)])}
      />
      <Lines
        title={trans.__('Plays')}
        lines={agent.plays.map(play => [play.new_slug, arrivingPlayWords(play, trans)])}
      />
      <details open>
        <summary>{trans.__('Permissions and instructions (%1)', agent.powers.length)}</summary>
        <table className="jp-Cabinet-difference">
          <tbody>
            {agent.powers.map(({ what, after }) => (
              <tr key={what}>
                <th scope="row">
                  <Untrusted text={what} />
                </th>
                <td>
                  <Untrusted text={after || '–'} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      <Files agent={agent} trans={trans} />
      {agent.user === 'new' && agent.may_add_user && (
        <label className="jp-Cabinet-names-check">
          <input
            type="checkbox"
            defaultChecked={choice.user}
            onChange={event => (choice.user = event.target.checked)}
          />
          {trans.__('Also add USER.md, which every agent of this server receives')}
        </label>
      )}
    </div>
  );
}

/** The folder below `.agents/`, which is also the name in commands. The server may have another agent there meanwhile. */
function FolderField(props: {
  choice: IImportChoice;
  refusal: string;
  trans: TranslationBundle;
}): React.ReactElement {
  const { choice, refusal, trans } = props;
  const [slug, setSlug] = React.useState(choice.slug);
  const [refused] = React.useState(choice.slug);
  const code = checkSlug(slug.trim());
  const wrong = code ? fieldErrorText(code, trans) : slug === refused ? refusal : '';
  const around = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    // Otherwise Enter would be the button that the dialog begins with, which is Cancel.
    const ignoreEnter = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && around.current!.contains(event.target as Node)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    window.addEventListener('keydown', ignoreEnter, true);
    return () => window.removeEventListener('keydown', ignoreEnter, true);
  }, []);
  return (
    <div ref={around} className="jp-Cabinet-arriving-folder">
      <TextField
        label={trans.__('Folder')}
        value={slug}
        wrong={wrong || undefined}
        hint={trans.__(
          'Below .agents/. It is also the name of the agent in commands and mentions.'
        )}
        onChange={typed => {
          setSlug(typed);
          choice.slug = typed;
        }}
      />
    </div>
  );
}

/** Absent without lines. Each has a name and words about it. */
function Lines(props: {
  title: string;
  lines: readonly (readonly [string, string])[];
}): React.ReactElement | null {
  const { lines, title } = props;
  return lines.length === 0 ? null : (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {lines.map(([name, words]) => (
          <li key={name}>
            <strong>{visible(name)}</strong> <Untrusted text={words} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Absent if Cabinet has exported the agent: nothing is converted then. */
function Converted(props: {
  agent: ArrivingAgent;
  trans: TranslationBundle;
}): React.ReactElement | null {
  const { agent, trans } = props;
  const rows = convertedWords(agent, trans);
  return rows.length === 0 ? null : (
    <details open>
      <summary>{trans.__('What each file becomes (%1)', rows.length)}</summary>
      <table className="jp-Cabinet-difference jp-Cabinet-arriving-converted">
        <thead>
          <tr>
            <th scope="col">{trans.__('File')}</th>
            <th scope="col">{trans.__('Becomes')}</th>
            <th scope="col">{trans.__('Note')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([path, becomes, note], at) => (
            <tr key={at}>
              <th scope="row">
                <Untrusted text={path} />
              </th>
              <td>
                <Untrusted text={becomes} />
              </td>
              <td>
                <Untrusted text={note} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Files(props: { agent: ArrivingAgent; trans: TranslationBundle }): React.ReactElement {
  const { agent, trans } = props;
  return (
    <section aria-label={trans.__('Files')}>
      <h3>{trans.__('Files (%1)', agent.files.length)}</h3>
      {agent.files.map(({ cut, path, size, text }) => (
        <details key={path}>
          <summary>
            {visible(path)} <span className="jp-Cabinet-quiet">{sizeWords(size)}</span>
          </summary>
          {text === null ? (
            <p>{trans.__('It is not shown here.')}</p>
          ) : (
            <Untrusted block className="jp-Cabinet-arriving-text" text={text} />
          )}
          {cut && <p>{trans.__('Only the beginning is shown.')}</p>}
        </details>
      ))}
    </section>
  );
}
