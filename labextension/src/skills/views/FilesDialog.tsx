/**
 * A skill that somebody has made: a folder on the server, or a zip file of this computer.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { TextField } from '../../shared/views/fields';
import { focusMade } from '../../shared/views/focusMade';
import { FormField } from '../../shared/views/FormDialog';
import { archiveOf } from '../../shared/archive';
import { useSkills, useWhyNot } from './services';

export function FilesDialog(): React.ReactElement {
  const { skills, trans } = useSkills();
  const store = useDraft(() => ({ folder: '', archive: null as File | null }));
  const { draft, wrong } = store;
  return (
    <DraftDialog
      label={trans.__('Add a skill from files')}
      button={trans.__('Add skill')}
      icon={addIcon}
      store={store}
      blocked={useWhyNot()}
      isReady={(draft.folder.trim() !== '') !== (draft.archive !== null)}
      send={async ({ archive, folder }) => {
        await skills.take(
          await skills.routes.add(
            archive ? { archive: await archiveOf(archive) } : { folder: folder.trim() }
          )
        );
        focusMade('.jp-Cabinet-library .jp-Cabinet-pane-head h2');
      }}
      onClose={() => skills.show(null)}
      trans={trans}
    >
      <p>
        {trans.__(
          'The folder or the zip file contains SKILL.md. It is copied, and no agent gets it until you have approved its files.'
        )}
      </p>
      <TextField
        autoFocus
        label={trans.__('Folder on the server')}
        hint={trans.__('Its path below the folder of JupyterLab, such as notes/weekly-report.')}
        value={draft.folder}
        wrong={wrong.folder}
        onChange={folder => store.write({ folder })}
      />
      <FormField
        label={trans.__('Or a zip file of this computer')}
        wrong={wrong.archive ?? null}
        hint={trans.__('At most 3 MB.')}
      >
        {given => (
          <input
            {...given}
            type="file"
            accept=".zip,.skill"
            onChange={event => store.write({ archive: event.target.files?.[0] ?? null })}
          />
        )}
      </FormField>
    </DraftDialog>
  );
}
