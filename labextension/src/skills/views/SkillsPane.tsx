/**
 * The list of skills and the one that is shown. In a narrow tab, one after the other.
 */
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { Problem } from '../../shared/views/Problem';
import { FilesDialog } from './FilesDialog';
import { useSkills } from './services';
import { SkillDialog } from './SkillDialog';
import { SkillList } from './SkillList';
import { SkillPage } from './SkillPage';
import { TextDialog } from './TextDialog';

const FOCUS: IFocusTargets = {
  parts: [['.jp-Cabinet-skill-page', '']],
  places: [".jp-Cabinet-skill-row[tabindex='0']", '.jp-Cabinet-skill-page']
};

export function SkillsPane(): React.ReactElement {
  const { connection, skills, trans } = useSkills();
  useChanges(skills.changed, connection.changed);
  const { chosen, detail, problem, problems, refusal } = skills;
  const content = React.useRef<HTMLDivElement>(null);
  useKeptFocus(content, FOCUS);
  React.useLayoutEffect(() => {
    const { activeElement } = document;
    if (content.current?.contains(activeElement) && !activeElement?.checkVisibility()) {
      const next = chosen ? '.jp-Cabinet-skill-page' : '.jp-Cabinet-skill-row[aria-current]';
      content.current.querySelector<HTMLElement>(next)?.focus(); // in a narrow tab, only one of both is seen
    }
  }, [chosen]);
  React.useEffect(() => {
    if (skills.items === null) {
      void skills.refresh();
    }
  }, [skills]);
  return (
    <>
      <div
        ref={content}
        className={`jp-Cabinet-skills ${chosen ? 'jp-mod-open' : ''}`.trim()}
        tabIndex={-1}
        data-first-focus
      >
        <OfflineStrip connection={connection} trans={trans} />
        {[...(problem === null ? [] : [problem]), ...problems].map(text => (
          <Problem
            key={text}
            trans={trans}
            text={text}
            action={<Button label={trans.__('Reload')} onClick={() => void skills.reload()} />}
          />
        ))}
        {refusal !== null && (
          <Problem trans={trans} text={refusal} onDismiss={() => skills.dismissRefusal()} />
        )}
        <div className="jp-Cabinet-skill-columns">
          <SkillList />
          {detail && <SkillPage key={detail.name} skill={detail} />}
        </div>
      </div>
      <Form />
    </>
  );
}

/** The form that a person has opened over the tab. */
function Form(): React.ReactElement | null {
  const { form } = useSkills().skills;
  switch (form?.kind) {
    case 'new':
      return <SkillDialog />;
    case 'files':
      return <FilesDialog />;
    case 'text':
      return <TextDialog skill={form.skill} />;
    default:
      return null;
  }
}
