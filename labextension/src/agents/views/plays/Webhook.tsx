/**
 * Signed requests from outside that start the play: where they go, and the secret that they are signed with.
 */
import { URLExt } from '@jupyterlab/coreutils';
import * as React from 'react';

import type { PlayDetail } from '../../../api/types';
import { Copy } from '../../../shared/views/Copy';
import { SAMPLE_BODY, signedRequestCommand } from '../../stores/plays/words';
import { useAsking } from '../hooks';
import { MayButton, Refused, Section } from '../parts';
import { usePlays } from './services';

export function Webhook(props: { play: PlayDetail; whyNot: string | null }): React.ReactElement {
  const { play, whyNot } = props;
  const { playbook, plays, showRun, trans } = usePlays();
  const { ask, isBusy, refusal } = useAsking();
  const [isSent, setSent] = React.useState(false);
  const [secret, setSecret] = React.useState<string | null>(null);
  const make = () => void ask(async () => setSecret(await playbook.makeSecret(play.slug)));
  const address = URLExt.join(playbook.baseUrl, 'cabinet/api/hooks/plays', play.slug);
  const command = signedRequestCommand(address);
  const test = () =>
    void ask(async () => {
      setSent(false);
      const run = await playbook.sendTestRequest(play.slug, SAMPLE_BODY);
      setSent(true);
      if (!plays) {
        showRun(run.id);
      }
    });
  const why = whyNot ?? (play.has_secret ? null : trans.__('Create a secret first.'));
  return (
    <Section title={trans.__('Webhook')}>
      <div className="jp-Cabinet-page-text">
        <p>{trans.__('This webhook starts the play. Its requests must be signed:')}</p>
        <code className="jp-Cabinet-code">{address}</code>
        <p>{trans.__('In a shell where SECRET holds the secret:')}</p>
        <div>
          <pre className="jp-Cabinet-code" tabIndex={0}>
            {command}
          </pre>
          <Copy text={command} label={trans.__('Copy the command')} trans={trans} />
        </div>
        {!play.has_secret && (
          <p>{trans.__('There is no secret yet, so requests cannot be signed.')}</p>
        )}
      </div>
      {secret !== null && (
        <div className="jp-Cabinet-page-text" role="status">
          <p>{trans.__('The secret, which is shown only once:')}</p>
          <code className="jp-Cabinet-code">{secret}</code>
          <Copy bare text={secret} label={trans.__('Copy the secret')} trans={trans} />
        </div>
      )}
      <Refused text={refusal} />
      {isSent && (
        <p role="status" className="jp-Cabinet-page-text">
          {trans.__('The test request was accepted, and the play has started.')}
        </p>
      )}
      <div className="jp-Cabinet-page-bar">
        <MayButton
          label={play.has_secret ? trans.__('New secret') : trans.__('Create a secret')}
          whyNot={whyNot}
          busy={isBusy}
          onClick={make}
        />
        <MayButton
          label={trans.__('Send test request')}
          whyNot={why}
          busy={isBusy}
          onClick={test}
        />
        {play.has_secret && (
          <span className="jp-Cabinet-quiet">
            {trans.__('If you create a new secret, the current one stops working.')}
          </span>
        )}
      </div>
    </Section>
  );
}
