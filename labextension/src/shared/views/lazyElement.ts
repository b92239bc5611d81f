/**
 * A React component whose code is loaded when it is first drawn; nothing is shown until then.
 */
import * as React from 'react';

/** Gives a function that makes an element of the component with its properties. */
export function lazyElement<P extends object>(
  load: () => Promise<React.ComponentType<P>>
): (props: P) => React.ReactElement {
  const Loaded = React.lazy(async () => ({ default: await load() })) as unknown as React.FC<P>;
  return props =>
    React.createElement(React.Suspense, { fallback: null }, React.createElement(Loaded, props));
}
