/**
 * A dialog in which a person makes an agent. It stays open, with all that was written, until the agent is there.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { AgentTemplate } from '../../../api/types';
import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { focusMade } from '../../../shared/views/focusMade';
import { FormDialog, FormField, type IControl } from '../../../shared/views/FormDialog';
import { Loading } from '../../../shared/views/Loading';
import { scheduleWords } from '../../stores/boardWords';
import type { NewAgentStore } from '../../stores/newAgent';
import type { Field } from '../../stores/newAgentRules';
import { fieldErrorText } from '../../stores/fieldErrorText';
import { useBoard } from './services';

/** `template`: its name; empty: the person chooses. */
export function NewAgentDialog(props: {
  template: string;
  onClose: () => void;
}): React.ReactElement {
  const { onClose, template } = props;
  const { board, newAgent, trans } = useBoard();
  const store = React.useMemo(newAgent, [newAgent]);
  useChanges(store.changed);
  React.useEffect(() => {
    void store.load().then(() => store.choose(template || (store.templates?.[0]?.name ?? '')));
    return () => store.dispose();
  }, [store, template]);
  const create = async () => {
    const made = await store.create();
    if (made) {
      board.want({ filter: 'all', search: '', department: '', tag: '' });
      focusMade(`.jp-Cabinet-board-item[data-agent="${made.slug}"]`);
      onClose();
    }
  };
  return (
    <FormDialog
      label={trans.__('New agent')}
      refusal={store.refusal}
      isBusy={store.isBusy}
      onClose={onClose}
      onEnter={() => void create()}
      buttons={
        <>
          <Button label={trans.__('Cancel')} onClick={onClose} />
          <Button
            filled
            icon={addIcon}
            label={trans.__('Create agent')}
            busy={store.isBusy}
            disabled={!store.templates || Object.keys(store.wrong).length > 0}
            onClick={() => void create()}
          />
        </>
      }
    >
      {store.templates ? <Fields store={store} /> : <Loading label={trans.__('Loading')} />}
    </FormDialog>
  );
}

function Fields({ store }: { store: NewAgentStore }): React.ReactElement {
  const { runtimes, trans } = useBoard();
  useChanges(runtimes.changed);
  const { draft } = store;
  const templates = store.templates ?? [];
  const chosen = templates.find(({ name }) => name === draft.template);
  return (
    <div className="jp-Cabinet-form-fields">
      <Labelled
        store={store}
        field="template"
        label={trans.__('Template')}
        hint={chosen && visible(chosen.description)}
      >
        {given => (
          <select
            {...given}
            value={draft.template}
            onChange={event => store.choose(event.target.value)}
          >
            {templates.map(({ name, title }) => (
              <option key={name} value={name}>
                {visible(title)}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Text store={store} field="name" label={trans.__('Name')} autoFocus />
      <Labelled store={store} field="runtime" label={trans.__('Runtime')}>
        {given => (
          <select
            {...given}
            value={draft.runtime}
            onChange={event => store.write({ runtime: event.target.value })}
          >
            <option value="">
              {trans.__('Default (%1)', visible(runtimes.default?.title ?? '–'))}
            </option>
            {runtimes.found.map(({ name, title }) => (
              <option key={name} value={name}>
                {visible(title)}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <More store={store} chosen={chosen} />
    </div>
  );
}

/**
 * What the template or the server decides unless the person does. It is closed at first, and opens by itself where it
 * holds back the agent.
 */
function More(props: { store: NewAgentStore; chosen?: AgentTemplate }): React.ReactElement {
  const { chosen, store } = props;
  const { trans } = useBoard();
  const { draft } = store;
  const [isOpen, open] = React.useState(false);
  const { needsMore } = store;
  React.useEffect(() => open(was => was || needsMore), [needsMore]);
  return (
    <details
      className="jp-Cabinet-form-more"
      open={isOpen}
      onToggle={event => open(event.currentTarget.open)}
    >
      <summary>{trans.__('More')}</summary>
      <div className="jp-Cabinet-form-fields">
        <Text
          store={store}
          field="slug"
          label={trans.__('Folder')}
          hint={trans.__('Its folder in .agents/, and its name after @.')}
        />
        <Text
          store={store}
          field="heartbeat"
          label={trans.__('Heartbeat')}
          hint={
            chosen && draft.heartbeat === chosen.heartbeat
              ? scheduleWords(chosen, trans)
              : trans.__('A cron expression, @daily, or every 4h.')
          }
        />
        <label className="jp-Cabinet-form-check">
          <input
            type="checkbox"
            checked={draft.heartbeatEnabled}
            onChange={event => store.write({ heartbeatEnabled: event.target.checked })}
          />
          {trans.__('Start it on its schedule. Otherwise it runs only when somebody starts it.')}
        </label>
        <Text
          store={store}
          field="budget"
          label={trans.__('Budget')}
          hint={trans.__('Heartbeats per month.')}
        />
        <Text
          store={store}
          field="dailyCost"
          label={trans.__('Cost per day')}
          hint={trans.__('In USD. If empty, the limit of this server applies.')}
        />
        <Labelled store={store} field="visibility" label={trans.__('Visible to')}>
          {given => (
            <select
              {...given}
              value={draft.visibility}
              onChange={event =>
                store.write({ visibility: event.target.value as typeof draft.visibility })
              }
            >
              <option value="">{trans.__('Server default')}</option>
              <option value="private">{trans.__('Me')}</option>
              <option value="server">{trans.__('Everyone on this server')}</option>
            </select>
          )}
        </Labelled>
      </div>
    </details>
  );
}

function Text(props: {
  store: NewAgentStore;
  field: 'name' | 'slug' | 'heartbeat' | 'budget' | 'dailyCost';
  label: string;
  hint?: string;
  autoFocus?: boolean;
}): React.ReactElement {
  const { autoFocus, field, store } = props;
  return (
    <Labelled {...props}>
      {given => (
        <input
          {...given}
          type="text"
          autoFocus={autoFocus}
          autoComplete="off"
          spellCheck={field === 'name'}
          value={store.draft[field]}
          onChange={event => store.write({ [field]: event.target.value })}
        />
      )}
    </Labelled>
  );
}

function Labelled(props: {
  store: NewAgentStore;
  field: Field;
  label: string;
  hint?: string;
  children: (given: IControl) => React.ReactElement;
}): React.ReactElement {
  const { field, store } = props;
  const { trans } = useBoard();
  const wrong = store.wrong[field];
  return <FormField {...props} wrong={wrong ? fieldErrorText(wrong, trans) : null} />;
}
