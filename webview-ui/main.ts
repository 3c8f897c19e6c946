import { parseToPage, type FromPage, type ToPage } from '../src/protocol.ts';
import { cardOf, type CardActions } from './card.ts';
import { element } from './dom.ts';
import { styles } from './styles.ts';

interface PageState {
  readonly shown: unknown;
  /** Cards that the user has closed; all others are open. */
  readonly closed: readonly string[];
}

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void; getState(): PageState | undefined; setState(state: PageState): void };

const editor = acquireVsCodeApi();
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets = [sheet];

const page = document.getElementById('review');
let state: PageState = editor.getState() ?? { shown: undefined, closed: [] };

function keep(change: Partial<PageState>): void {
  state = { ...state, ...change };
  editor.setState(state);
}

function actionsFor({ root, turn }: { readonly root: string; readonly turn: string }): CardActions {
  const key = (path: string): string => `${turn} ${path}`;
  return {
    openChanges: path => editor.postMessage({ type: 'openChanges', root, turn, path }),
    rollBack: path => editor.postMessage({ type: 'rollBackFile', root, turn, path }),
    isOpen: path => !state.closed.includes(key(path)),
    setOpen: (path, open) => keep({ closed: open ? state.closed.filter(other => other !== key(path)) : [...state.closed, key(path)] }),
  };
}

/** Draws all anew, and leaves focus and scrolling where they were: an update must not interrupt anybody. */
function show({ review, empty, labels }: ToPage): void {
  if (page === null) return;
  const focused = document.activeElement?.getAttribute('data-key');
  const scrolled = document.documentElement.scrollTop;
  if (review === undefined) {
    page.replaceChildren(element('p', {}, empty));
  } else {
    const actions = actionsFor(review);
    page.replaceChildren(
      element('h2', {}, review.title),
      element('p', {}, review.description),
      ...review.notes.map(note => element('p', { class: 'note' }, note)),
      ...review.cards.map(card => cardOf(card, labels, actions)),
    );
  }
  document.documentElement.scrollTop = scrolled;
  if (focused) document.querySelector<HTMLElement>(`[data-key=${CSS.escape(focused)}]`)?.focus();
}

function take(value: unknown): void {
  const message = parseToPage(value);
  if (message === undefined) return;
  keep({ shown: value });
  show(message);
}

// Only the extension can post into this page's window from outside its own origin's frames.
window.addEventListener('message', ({ data }: MessageEvent<unknown>) => take(data));
take(state.shown);
editor.postMessage({ type: 'ready' });
