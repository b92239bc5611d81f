/**
 * What the file of an exported agent brings: facts, what is missing here, permissions, skills, plays and every text.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ArrivingAgent } from '../../api/types';
import { size as sizeWords } from '../../shared/size';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { arrivingFacts, arrivingPlayWords, arrivingSkillWords } from '../stores/arrivingWords';

export function ArrivingView(props: {
  agent: ArrivingAgent;
  /** Whether `USER.md` shall be added too. */
  onUser: (wanted: boolean) => void;
  trans: TranslationBundle;
}): React.ReactElement {
  const { agent, onUser, trans } = props;
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
      <Lines
        title={trans.__('Skills')}
        lines={agent.skills.map(skill => [skill.name, arrivingSkillWords(skill, trans)])}
      />
      <Lines
        title={trans.__('Plays')}
        lines={agent.plays.map(play => [play.new_slug, arrivingPlayWords(play, trans)])}
      />
      <details open>
        <summary>{trans.__('Permissions and steering texts (%1)', agent.powers.length)}</summary>
        <table>
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
          <input type="checkbox" onChange={event => onUser(event.target.checked)} />
          {trans.__('Also add USER.md, which every agent of this server receives')}
        </label>
      )}
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
