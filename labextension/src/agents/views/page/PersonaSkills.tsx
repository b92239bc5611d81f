/**
 * Which skills an agent gets: those of the library, and those that only its persona names.
 */
import * as React from 'react';

import { Commands } from '../../../shared/commands';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { stateLabel } from '../../../skills';
import { Refused } from '../parts';
import { withSkill } from '../../stores/page/skills';
import { type IFormProps, Theirs } from './personaControls';
import { usePage } from './services';

export function PersonaSkills({ form, whyNot }: IFormProps): React.ReactElement {
  const { page, run, trans } = usePage();
  const { skills } = page;
  useChanges(skills.changed);
  React.useEffect(() => void skills.load(), [skills]);
  const { theirs, value } = form.group('skills');
  const known = skills.value ?? [];
  const absent = (value ?? []).filter(name => !known.some(each => each.name === name));
  return (
    <fieldset className="jp-Cabinet-persona-group">
      <legend>{trans.__('Skills')}</legend>
      <Refused text={skills.problem} />
      {value === null && <p>{trans.__('The form cannot show this value. Edit it in the file.')}</p>}
      {value !== null && (
        <ul className="jp-Cabinet-persona-tools" aria-label={trans.__('Skills')}>
          {[
            ...known.map(
              skill =>
                [skill.name, `${stateLabel(skill, trans).label} · ${skill.description}`] as const
            ),
            ...(skills.value ? absent : []).map(
              name => [name, trans.__('There is no such skill.')] as const
            )
          ].map(([name, about]) => (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={value.includes(name)}
                  disabled={whyNot !== null}
                  title={whyNot ?? undefined}
                  onChange={event =>
                    form.writeGroup('skills', withSkill(value, name, event.target.checked))
                  }
                />
                <Untrusted text={name} />
                <Untrusted className="jp-Cabinet-quiet" text={about} />
              </label>
            </li>
          ))}
        </ul>
      )}
      <p>
        {skills.value && known.length === 0 ? trans.__('There are no skills yet.') : null}{' '}
        <Button link label={trans.__('Open Skills')} onClick={() => run(Commands.skills)} />
      </p>
      <Theirs text={theirs} />
    </fieldset>
  );
}
