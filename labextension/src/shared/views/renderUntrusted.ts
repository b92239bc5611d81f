/**
 * The one function that puts foreign text on the screen: what a model, a tool, a file or a stranger wrote.
 * No raw HTML, no images, nothing loaded by itself; links http(s) only, with their real host beside them.
 */
import { renderMarkdown, type IRenderMime, type IRenderMimeRegistry } from '@jupyterlab/rendermime';

import { harmlessMarkdown, LESS_THAN, safeUrl, visible } from '../untrusted';

const MARKDOWN = 'jp-Cabinet-markdown';

/** How a text is drawn. */
export interface IRenderOptions {
  /** Markdown needs the application's parser; without it the text stays as it was written. */
  markdown?: IRenderMimeRegistry | null;
}

/** What each host was last asked to show: a slower answer to an earlier question comes too late. */
const wanted = new WeakMap<HTMLElement, string>();

/**
 * Show `text` in `host`. At once as plain text; as Markdown a moment later, where that is wanted. Markdown that
 * is already shown stays until the new one is ready, so that a growing text does not flicker.
 */
export async function renderUntrusted(
  host: HTMLElement,
  text: string,
  options: IRenderOptions = {}
): Promise<void> {
  const parser = options.markdown?.markdownParser;
  wanted.set(host, text);
  if (!parser || !host.classList.contains(MARKDOWN)) {
    host.textContent = visible(text);
    host.classList.remove(MARKDOWN);
  }
  if (!parser) {
    return;
  }
  const stage = document.createElement('div');
  await renderMarkdown({
    host: stage,
    source: harmlessMarkdown(text),
    trusted: false,
    sanitizer: SANITIZER,
    resolver: null,
    linkHandler: null,
    shouldTypeset: false,
    latexTypesetter: null,
    markdownParser: parser
  });
  if (wanted.get(host) === text) {
    host.replaceChildren(...Array.from(stage.childNodes));
    host.classList.add(MARKDOWN);
  }
}

/** The elements that Markdown makes, and their replacements. Others are replaced by their text. */
const KEPT: Readonly<Record<string, string>> = {
  A: 'a',
  BLOCKQUOTE: 'blockquote',
  BR: 'br',
  CODE: 'code',
  DEL: 'del',
  EM: 'em',
  HR: 'hr',
  LI: 'li',
  OL: 'ol',
  P: 'p',
  PRE: 'pre',
  STRONG: 'strong',
  TABLE: 'table',
  TBODY: 'tbody',
  TD: 'td',
  TH: 'th',
  THEAD: 'thead',
  TR: 'tr',
  UL: 'ul'
};

const SANITIZER: IRenderMime.ISanitizer = {
  sanitize,
  allowNamedProperties: false
};

/** Rebuild the tree from what is allowed, in a document without a window: nothing in it loads. */
function sanitize(html: string): string {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  const clean = parsed.createElement('div');
  copyChildren(parsed.body, clean);
  return clean.innerHTML;
}

function copyChildren(from: Node, to: Element): void {
  from.childNodes.forEach(node => {
    if (node.nodeType === Node.TEXT_NODE) {
      to.append(restored(node.textContent ?? ''));
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      copyElement(node as Element, to);
    }
  });
}

function copyElement(element: Element, to: Element): void {
  const page = to.ownerDocument;
  const attribute = (name: string) => element.getAttribute(name) ?? '';
  switch (element.tagName) {
    case 'IMG':
      to.append(...linkTo(page, attribute('src'), attribute('alt') || attribute('src')));
      break;
    case 'A':
      to.append(...linkTo(page, attribute('href'), element.textContent ?? ''));
      break;
    case 'INPUT': // a task list's box
      to.append(element.hasAttribute('checked') ? '☑ ' : '☐ ');
      break;
    default: {
      const copy = copyOf(element, page);
      copyChildren(element, copy ?? to);
      if (copy) {
        to.append(copy);
      }
    }
  }
}

/** The empty element that stands for `element`; null where only its content is kept. */
function copyOf(element: Element, page: Document): HTMLElement | null {
  const level = /^H([1-6])$/.exec(element.tagName)?.[1];
  if (level) {
    // An agent's headings have no say in the page's outline.
    const heading = page.createElement('div');
    heading.setAttribute('role', 'heading');
    heading.setAttribute('aria-level', Number(level) > 2 ? '5' : '4');
    return heading;
  }
  const name = KEPT[element.tagName];
  const copy = name ? page.createElement(name) : null;
  const start = element.getAttribute('start') ?? '';
  if (copy && name === 'ol' && /^\d{1,6}$/.test(start)) {
    copy.setAttribute('start', start);
  }
  return copy;
}

/** A link with its real host, unless its text begins with it; what is no web address is only text. */
function linkTo(page: Document, address: string, label: string): (Node | string)[] {
  const text = restored(label);
  const url = safeUrl(address);
  if (!url) {
    return [text];
  }
  const link = page.createElement('a');
  link.href = url.href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  link.textContent = text;
  const shows = safeUrl(text.trim());
  // By its characters too: the address of an international name is not what it looks like.
  const isItself = shows?.href === url.href && text.trim().startsWith(url.origin);
  return isItself ? [link] : [link, ` (${url.host})`];
}

function restored(text: string): string {
  return visible(text.split(LESS_THAN).join('<'));
}
