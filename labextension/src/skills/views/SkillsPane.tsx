/**
 * The list of skills and the one that is shown. In a narrow tab, one after the other.
 */
import * as React from 'react';

import { FilesDialog } from './FilesDialog';
import { LibraryProblems } from './LibraryList';
import { useSkills } from './services';
import { SkillDialog } from './SkillDialog';
import { SkillList } from './SkillList';
import { SkillPage } from './SkillPage';
import { TextDialog } from './TextDialog';

export function SkillsPane(): React.ReactElement {
  const { skills } = useSkills();
  const { detail } = skills;
  React.useEffect(() => {
    if (skills.items === null) {
      void skills.refresh();
    }
  }, [skills]);
  return (
    <>
      <LibraryProblems store={skills} reload={() => skills.reload()} />
      <div className="jp-Cabinet-pane-columns">
        <SkillList />
        {detail && <SkillPage key={detail.name} skill={detail} />}
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
