/**
 * The SKILL.md of a skill, to be edited.
 */
import * as React from 'react';

import type { SkillDetail } from '../../api/types';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { AreaField } from '../../shared/views/fields';
import { MAIN_FILE } from '../stores/labels';
import { useSkills, useWhyNot } from './services';

export function TextDialog({ skill }: { skill: SkillDetail }): React.ReactElement {
  const { skills, trans } = useSkills();
  const text = skill.contents.find(({ path }) => path === MAIN_FILE)?.text ?? '';
  const store = useDraft(() => ({ text }));
  const { draft, wrong } = store;
  return (
    <DraftDialog
      label={trans.__('Edit %1', skill.file)}
      button={trans.__('Save')}
      store={store}
      blocked={useWhyNot()}
      isReady={draft.text.trim() !== '' && draft.text !== text}
      send={async now => skills.take(await skills.routes.save(skill.name, now.text, skill.hash))}
      onClose={() => skills.show(null)}
      trans={trans}
    >
      <AreaField
        autoFocus
        isCode
        label={MAIN_FILE}
        hint={
          skill.state === 'approved'
            ? trans.__('The skill stays approved.')
            : trans.__('The skill has to be approved afterwards.')
        }
        rows={20}
        value={draft.text}
        wrong={wrong.text}
        onChange={written => store.write({ text: written })}
      />
    </DraftDialog>
  );
}
