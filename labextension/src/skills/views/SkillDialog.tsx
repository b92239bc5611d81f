/**
 * A new skill that a person writes.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { AreaField, TextField } from '../../shared/views/fields';
import { focusMade } from '../../shared/views/focusMade';
import { useSkills, useWhyNot } from './services';

export function SkillDialog(): React.ReactElement {
  const { skills, trans } = useSkills();
  const store = useDraft(() => ({ name: '', description: '', instructions: '' }));
  const { draft, wrong } = store;
  return (
    <DraftDialog
      label={trans.__('New skill')}
      button={trans.__('Add skill')}
      icon={addIcon}
      store={store}
      blocked={useWhyNot()}
      isReady={Object.values(draft).every(text => text.trim() !== '')}
      send={async now => {
        await skills.take(await skills.routes.add({ ...now, name: now.name.trim() }));
        focusMade('.jp-Cabinet-library .jp-Cabinet-pane-head h2');
      }}
      onClose={() => skills.show(null)}
      trans={trans}
    >
      <TextField
        autoFocus
        label={trans.__('Name')}
        hint={trans.__('Lowercase letters, digits and hyphens, such as weekly-report.')}
        value={draft.name}
        wrong={wrong.name}
        onChange={name => store.write({ name })}
      />
      <TextField
        label={trans.__('Description')}
        hint={trans.__('What the skill is for, and when to use it. The agent decides by this.')}
        value={draft.description}
        wrong={wrong.description}
        onChange={description => store.write({ description })}
      />
      <AreaField
        label={trans.__('Instructions')}
        hint={trans.__('What the agent should do, in Markdown.')}
        rows={12}
        value={draft.instructions}
        wrong={wrong.instructions}
        onChange={instructions => store.write({ instructions })}
      />
    </DraftDialog>
  );
}
