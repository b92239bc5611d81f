/**
 * Small parts of the tab of channels: the mark of a state, a link to a bot, a choice of agents.
 */
import { launchIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { offlineIcon } from '../../shared/icons';
import { safeUrl, visible } from '../../shared/untrusted';
import { Icon, StateMark } from '../../shared/views/components';
import { ChoiceField } from '../../shared/views/fields';
import { useChanges } from '../../shared/views/hooks';
import { type ChannelIcon, noAgentsHint } from '../stores/labels';
import { onServer } from '../stores/platforms';
import { useChannels } from './services';

export function ChannelMark({ icon }: { icon: ChannelIcon }): React.ReactElement {
  return icon === 'off' ? <Icon icon={offlineIcon} /> : <StateMark icon={icon} />;
}

/** To a page of the platform, such as where people write to a bot. That of a web chat is on this server. */
export function BotLink(props: { address: string; label?: string }): React.ReactElement | null {
  const { address, label } = props;
  const { serverUrl, trans } = useChannels();
  const url = address ? safeUrl(onServer(address, serverUrl)) : null;
  return url ? (
    <a
      className="jp-Cabinet-channel-link"
      href={url.href}
      target="_blank"
      rel="noopener noreferrer"
      title={trans.__('Opens a new tab')}
    >
      {label ?? visible(url.href)} <Icon icon={launchIcon} />
    </a>
  ) : null;
}

/** One of the agents. `none`: what the choice of none is called. */
export function AgentField(props: {
  label: string;
  none: string;
  hint: string;
  value: string;
  wrong?: string;
  onChange: (slug: string) => void;
}): React.ReactElement {
  const { none, value, ...rest } = props;
  const { agents, trans } = useChannels();
  useChanges(agents.changed);
  const options = (agents.rows ?? []).map(({ name, slug }): [string, string] => [
    slug,
    visible(name)
  ]);
  if (value && !options.some(([slug]) => slug === value)) {
    options.unshift([value, visible(value)]);
  }
  const hint = agents.rows?.length === 0 ? noAgentsHint(trans) : props.hint;
  return <ChoiceField {...rest} hint={hint} value={value} options={[['', none], ...options]} />;
}
