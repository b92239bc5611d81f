/**
 * A text of an agent as Markdown, while it grows and after.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';

import { Untrusted } from '../../shared/views/Untrusted';
import { blocksOf, MAX_BLOCK } from '../stores/blocks';

/** Only what has changed is drawn again. A block that is far too long stays plain. */
export function Answer(props: {
  text: string;
  rendermime: IRenderMimeRegistry | null;
}): React.ReactElement {
  const { text, rendermime } = props;
  const blocks = React.useMemo(() => blocksOf(text), [text]);
  return (
    <div className="jp-Cabinet-answer">
      {blocks.map((block, index) => (
        <Block key={index} text={block} markdown={block.length > MAX_BLOCK ? null : rendermime} />
      ))}
    </div>
  );
}

const Block = React.memo(function Block(props: {
  text: string;
  markdown: IRenderMimeRegistry | null;
}): React.ReactElement {
  return <Untrusted block {...props} />;
});
