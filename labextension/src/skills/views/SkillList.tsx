/**
 * The skills, each with its state.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { skillIcon } from '../../shared/icons';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { stateLabel } from '../stores/labels';
import { LibraryList } from './LibraryList';
import { useSkills, useWhyNot } from './services';

export function SkillList(): React.ReactElement {
  const { skills, trans } = useSkills();
  useChanges(skills.changed);
  return (
    <LibraryList
      label={trans.__('Skills')}
      loading={trans.__('Loading the skills')}
      store={skills}
      rows={
        skills.items?.map(skill => ({
          name: skill.name,
          about: skill.description,
          ...stateLabel(skill, trans)
        })) ?? null
      }
      adding={<AddButtons />}
      empty={<Empty />}
    />
  );
}

function AddButtons({ isFilled }: { isFilled?: boolean }): React.ReactElement {
  const { skills, trans } = useSkills();
  const blocked = useWhyNot();
  return (
    <>
      <Button
        filled={isFilled}
        icon={addIcon}
        label={trans.__('New skill…')}
        blocked={blocked}
        onClick={() => skills.show({ kind: 'new' })}
      />
      <Button
        label={trans.__('Add from files…')}
        blocked={blocked}
        onClick={() => skills.show({ kind: 'files' })}
      />
    </>
  );
}

function Empty(): React.ReactElement {
  const { trans } = useSkills();
  return (
    <Card
      icon={<Icon icon={skillIcon} />}
      title={trans.__('No skills yet')}
      actions={<AddButtons isFilled />}
    >
      <p>
        {trans.__(
          'A skill is a folder with instructions for one kind of work, such as writing your weekly report, and the files that belong to it.'
        )}
      </p>
      <p>
        {trans.__(
          'Agents get the skills that their persona lists, exactly as a person has approved them, in every CLI.'
        )}
      </p>
    </Card>
  );
}
