/**
 * The one function that puts foreign text on the screen: what a model, a tool, a file or a stranger wrote.
 * No raw HTML, no images, nothing loaded by itself; links http(s) only, with their real host beside them.
 */
import { renderMarkdown, type IRenderMime, type IRenderMimeRegistry } from '@jupyterlab/rendermime';

import { harmlessMarkdown, LESS_THAN, safeUrl, visible } from '../../state/untrusted';

export interface IRenderOptions {
  /** Markdown needs the application's parser; without it the text stays as it was written. */
  markdown?: IRenderMimeRegistry | null;
}

/** Show `text` in `host`. At once as plain text; as Markdown a moment later, where that is wanted. */
export async function renderUntrusted(
  host: HTMLElement,
  text: string,
  options: IRenderOptions = {}
): Promise<void> {
  host.textContent = visible(text);
  const parser = options.markdown?.markdownParser;
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
  if (host.textContent === visible(text)) {
    host.replaceChildren(...Array.from(stage.childNodes));
    host.classList.add('jp-Cabinet-markdown');
  }
}

/** Elements Markdown makes, and what becomes of them. What is not here becomes its text. */
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
  // An agent's headings have no say in the page's outline.
  const name = /^H[1-6]$/.test(element.tagName) ? 'div' : KEPT[element.tagName];
  if (element.tagName === 'IMG') {
    const text = element.getAttribute('alt') || element.getAttribute('src') || '';
    to.append(...linkTo(to.ownerDocument, element.getAttribute('src') ?? '', restored(text)));
  } else if (element.tagName === 'INPUT') {
    to.append(element.hasAttribute('checked') ? '☑ ' : '☐ ');
  } else if (element.tagName === 'A') {
    const text = restored(element.textContent ?? '');
    to.append(...linkTo(to.ownerDocument, element.getAttribute('href') ?? '', text));
  } else if (!name) {
    copyChildren(element, to);
  } else {
    const copy = to.ownerDocument.createElement(name);
    if (name === 'div') {
      copy.setAttribute('role', 'heading');
      copy.setAttribute('aria-level', String(4 + Number(element.tagName[1] > '2')));
    }
    if (name === 'ol' && /^\d{1,6}$/.test(element.getAttribute('start') ?? '')) {
      copy.setAttribute('start', element.getAttribute('start')!);
    }
    copyChildren(element, copy);
    to.append(copy);
  }
}

/** A link with its real host, unless its text is its address; what is no web address is only text. */
function linkTo(page: Document, address: string, text: string): (Node | string)[] {
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
  return shows && shows.href === url.href ? [link] : [link, ` (${url.host})`];
}

function restored(text: string): string {
  return visible(text.split(LESS_THAN).join('<'));
}
