/**
 * Which tools an agent may use: a set, or each by itself.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Untrusted } from '../../../shared/views/Untrusted';
import {
  allowedIn,
  listedTools,
  TOOL_SETS,
  type ToolSet,
  withSet,
  withTool
} from '../../stores/page/tools';
import { toolSetWords, toolWords } from '../../stores/page/toolWords';
import { type IFormProps, Labelled, Select } from './personaControls';
import { usePage } from './services';

export function PersonaTools({ form, whyNot }: IFormProps): React.ReactElement {
  const { trans } = usePage();
  const { before, theirs, value } = form.group('tools');
  return (
    <fieldset className="jp-Cabinet-persona-group">
      <legend>{trans.__('Tools')}</legend>
      <Labelled form={form} name="tools" label={trans.__('Allowed tools')} theirs={theirs}>
        {given => (
          <Select<ToolSet>
            given={given}
            options={TOOL_SETS.map(each => [each, toolSetWords(each, trans)])}
            value={value?.set ?? ''}
            whyNot={whyNot}
            isShown={value !== null}
            onChoose={set => value && form.writeGroup('tools', withSet(value, set))}
          />
        )}
      </Labelled>
      {value && before && (
        <ul className="jp-Cabinet-persona-tools" aria-label={trans.__('Tools')}>
          {listedTools(before, value).map(tool => (
            <Tool
              key={tool}
              tool={tool}
              isOn={allowedIn(value).includes(tool)}
              whyNot={whyNot}
              trans={trans}
              onChange={isOn => form.writeGroup('tools', withTool(value, tool, isOn, before))}
            />
          ))}
        </ul>
      )}
    </fieldset>
  );
}

function Tool(props: {
  tool: string;
  isOn: boolean;
  whyNot: string | null;
  trans: TranslationBundle;
  onChange: (isOn: boolean) => void;
}): React.ReactElement {
  const { isOn, onChange, tool, trans, whyNot } = props;
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={isOn}
          disabled={whyNot !== null}
          title={whyNot ?? undefined}
          onChange={event => onChange(event.target.checked)}
        />
        <Untrusted text={tool} />
        <span className="jp-Cabinet-quiet">{toolWords(tool, trans)}</span>
      </label>
    </li>
  );
}
