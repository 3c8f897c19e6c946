import type { ReviewCard, ReviewHunk, ToPage } from '../src/protocol.ts';
import { button, element } from './dom.ts';

export interface CardActions {
  readonly openChanges: (path: string) => void;
  readonly rollBack: (path: string) => void;
  readonly isOpen: (path: string) => boolean;
  readonly setOpen: (path: string, open: boolean) => void;
}

function lineOf(text: string): HTMLElement {
  const kind = text.startsWith('+') ? 'line added' : text.startsWith('-') ? 'line removed' : 'line';
  return element('span', { class: kind }, text);
}

function hunkOf(hunk: ReviewHunk): HTMLElement {
  const place = element('span', { class: 'line faint' }, `@@ −${hunk.oldStart} +${hunk.newStart} @@`);
  return element('div', { class: 'hunk' }, place, ...hunk.lines.map(lineOf));
}

/** One file of the turn: its head, what can be done, and its changes with some lines around them. */
export function cardOf(card: ReviewCard, labels: ToPage['labels'], actions: CardActions): HTMLElement {
  const id = `hunks-${card.path}`;
  const hunks = element('div', { class: 'hunks', id, role: 'group', tabindex: '0', 'aria-label': labels.hunks.replace('{0}', card.path) }, ...card.hunks.map(hunkOf));
  hunks.hidden = !actions.isOpen(card.path);
  const toggle = element('button', { type: 'button', class: 'toggle', 'aria-expanded': String(!hunks.hidden), 'aria-controls': id, 'data-key': `toggle ${card.path}` });
  toggle.append(element('span', { class: 'name' }, card.name));
  if (card.folder !== '') toggle.append(element('span', { class: 'faint' }, card.folder));
  toggle.addEventListener('click', () => {
    hunks.hidden = !hunks.hidden;
    toggle.setAttribute('aria-expanded', String(!hunks.hidden));
    actions.setOpen(card.path, !hunks.hidden);
  });
  const words = [card.counts, card.statusWord, card.stateWord].filter(word => word !== undefined && word !== '').join(' · ');
  const head = element('header', {}, toggle, element('span', { class: 'faint' }, words));
  const row = element('div', { class: 'actions' });
  row.append(button(labels.openChanges, { 'aria-label': `${labels.openChanges}: ${card.path}`, 'data-key': `open ${card.path}` }, () => actions.openChanges(card.path)));
  if (card.canRollBack) row.append(button(labels.rollBack, { 'aria-label': `${labels.rollBack}: ${card.path}`, 'data-key': `back ${card.path}` }, () => actions.rollBack(card.path)));
  const made = element('section', { class: 'card', 'aria-label': `${card.path}, ${words}` }, head, row);
  if (card.note !== undefined) made.append(element('p', { class: 'actions note' }, card.note));
  if (card.hunks.length > 0) made.append(hunks);
  return made;
}
