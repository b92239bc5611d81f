/**
 * Foreign text as a React element. It only calls `renderUntrusted`; nothing else shows foreign text.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';

import { renderUntrusted } from './renderUntrusted';

export function Untrusted(props: {
  text: string;
  markdown?: IRenderMimeRegistry | null;
  block?: boolean;
  className?: string;
}): React.ReactElement {
  const { text, markdown } = props;
  const host = React.useRef<HTMLElement>(null);
  React.useLayoutEffect(() => {
    void renderUntrusted(host.current!, text, { markdown });
  }, [text, markdown]);
  const className = `jp-Cabinet-untrusted ${props.className ?? ''}`.trim();
  return props.block ? (
    <div ref={host as React.RefObject<HTMLDivElement>} className={className} />
  ) : (
    <span ref={host} className={className} />
  );
}
