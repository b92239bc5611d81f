/**
 * The skills, each with its state.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { SkillRow } from '../../api/types';
import { skillIcon } from '../../shared/icons';
import { Button, Card, Icon, StateMark } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { stateLabel } from '../stores/labels';
import { useSkills, useWhyNot } from './services';

export function SkillList(): React.ReactElement {
  const { skills, trans } = useSkills();
  useChanges(skills.changed);
  return (
    <section className="jp-Cabinet-library-list" aria-label={trans.__('Skills')}>
      {skills.items !== null && skills.items.length > 0 && (
        <div className="jp-Cabinet-library-tools">
          <AddButtons />
        </div>
      )}
      <Rows />
    </section>
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

function Rows(): React.ReactElement | null {
  const { skills, trans } = useSkills();
  const { items, problem, shown } = skills;
  const list = React.useRef<HTMLUListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-library-row', items?.length ?? 0);
  if (items === null) {
    return problem === null ? <Loading label={trans.__('Loading the skills')} /> : null;
  }
  if (items.length === 0) {
    return <Empty />;
  }
  return (
    <ul ref={list} className="jp-Cabinet-library-rows" onKeyDown={arrows.onKeyDown}>
      {items.map((skill, index) => (
        <Row
          key={skill.name}
          skill={skill}
          isShown={skill.name === shown}
          isCurrent={index === arrows.current}
          onFocus={() => arrows.setCurrent(index)}
        />
      ))}
    </ul>
  );
}

function Row(props: {
  skill: SkillRow;
  isShown: boolean;
  isCurrent: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { isCurrent, isShown, onFocus, skill } = props;
  const { skills, trans } = useSkills();
  const { icon, label } = stateLabel(skill, trans);
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-library-row"
        aria-current={isShown || undefined}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={onFocus}
        onClick={() => skills.choose(skill.name)}
      >
        <strong>{skill.name}</strong>
        <span className="jp-Cabinet-library-line">
          <StateMark icon={icon} />
          <span>{label}</span>
        </span>
        <Untrusted className="jp-Cabinet-library-about" text={skill.description} />
      </button>
    </li>
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
