/**
 * The options of a list of who may work: runtimes, and below them agents. Their values are `runtime:NAME` and `agent:SLUG`.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { visible } from '../untrusted';

export function WorkerOptions(props: {
  runtimes: readonly { name: string; title: string }[];
  agents: readonly { slug: string; name: string; emoji: string }[];
  trans: TranslationBundle;
}): React.ReactElement {
  const { agents, runtimes, trans } = props;
  return (
    <>
      <optgroup label={trans.__('Runtimes')}>
        {runtimes.map(({ name, title }) => (
          <option key={name} value={`runtime:${name}`}>
            {visible(title)}
          </option>
        ))}
      </optgroup>
      {agents.length > 0 && (
        <optgroup label={trans.__('Agents')}>
          {agents.map(({ emoji, name, slug }) => (
            <option key={slug} value={`agent:${slug}`}>
              {visible([emoji, name].filter(Boolean).join(' '))}
            </option>
          ))}
        </optgroup>
      )}
    </>
  );
}
