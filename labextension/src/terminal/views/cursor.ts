/**
 * Solid: you may type. Hollow: you may not. xterm draws the hollow one where it has no focus, so a
 * terminal that is locked tells its drawing part that it has none.
 */
import type { Terminal } from '@xterm/xterm';

/** What xterm's own add-ons use of it, too. */
interface ICore {
  _coreBrowserService?: { readonly isFocused: boolean };
}

/** Where xterm’s insides are others than those of 5.5 the cursor stays as it is. */
export function hollowCursorWhile(xterm: Terminal, isLocked: () => boolean): void {
  const service = (xterm as unknown as { _core: ICore })._core._coreBrowserService;
  const proto =
    service && Object.getOwnPropertyDescriptor(Object.getPrototypeOf(service), 'isFocused');
  if (service && proto?.get) {
    const isFocused = proto.get.bind(service) as () => boolean;
    Object.defineProperty(service, 'isFocused', {
      configurable: true,
      get: () => !isLocked() && isFocused()
    });
  }
}
