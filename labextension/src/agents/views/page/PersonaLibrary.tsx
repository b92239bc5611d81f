/**
 * Which skills and tool servers an agent gets: those of the library, and those that only its persona names.
 */
import * as React from 'react';

import { Commands } from '../../../shared/commands';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { serverLabel, stateLabel } from '../../../skills';
import { Refused } from '../parts';
import { withName } from '../../stores/page/nameList';
import { type IFormProps, Theirs } from './personaControls';
import { usePage } from './services';

export function PersonaSkills(props: IFormProps): React.ReactElement {
  const { page, trans } = usePage();
  const { skills } = page;
  useChanges(skills.changed);
  React.useEffect(() => void skills.load(), [skills]);
  return (
    <PersonaNames
      {...props}
      group="skills"
      legend={trans.__('Skills')}
      known={
        skills.value?.map(skill => [
          skill.name,
          `${stateLabel(skill, trans).label} · ${skill.description}`
        ]) ?? null
      }
      problem={skills.problem}
      none={trans.__('There are no skills yet.')}
      absent={trans.__('There is no such skill.')}
    />
  );
}

export function PersonaToolServers(props: IFormProps): React.ReactElement {
  const { page, trans } = usePage();
  const { toolServers } = page;
  useChanges(toolServers.changed);
  React.useEffect(() => void toolServers.load(), [toolServers]);
  return (
    <PersonaNames
      {...props}
      group="tool_servers"
      legend={trans.__('Tool servers')}
      known={
        toolServers.value?.map(server => [server.name, serverLabel(server, trans).label]) ?? null
      }
      problem={toolServers.problem}
      none={trans.__('There are no tool servers yet.')}
      absent={trans.__('There is no such tool server.')}
    />
  );
}

function PersonaNames(
  props: IFormProps & {
    group: 'skills' | 'tool_servers';
    legend: string;
    /** Each name with what is known of it; null until the first answer. */
    known: (readonly [name: string, about: string])[] | null;
    problem: string | null;
    none: string;
    absent: string;
  }
): React.ReactElement {
  const { absent, form, group, known, legend, none, problem, whyNot } = props;
  const { run, trans } = usePage();
  const { theirs, value } = form.group(group);
  const missing = (value ?? []).filter(name => !known?.some(([each]) => each === name));
  return (
    <fieldset className="jp-Cabinet-persona-group">
      <legend>{legend}</legend>
      <Refused text={problem} />
      {value === null && <p>{trans.__('The form cannot show this value. Edit it in the file.')}</p>}
      {value !== null && (
        <ul className="jp-Cabinet-persona-tools" aria-label={legend}>
          {[...(known ?? []), ...(known ? missing : []).map(name => [name, absent] as const)].map(
            ([name, about]) => (
              <li key={name}>
                <label>
                  <input
                    type="checkbox"
                    checked={value.includes(name)}
                    disabled={whyNot !== null}
                    title={whyNot ?? undefined}
                    onChange={event =>
                      form.writeGroup(group, withName(value, name, event.target.checked))
                    }
                  />
                  <Untrusted text={name} />
                  <Untrusted className="jp-Cabinet-quiet" text={about} />
                </label>
              </li>
            )
          )}
        </ul>
      )}
      <p>
        {known?.length === 0 ? none : null}{' '}
        <Button
          link
          label={trans.__('Open Skills and Tools')}
          onClick={() => run(Commands.skills)}
        />
      </p>
      <Theirs text={theirs} />
    </fieldset>
  );
}
