// Where things are in VS Code's page. Its class names are no promise, so they are written down here and nowhere else.
import type { Locator, Page } from 'playwright-core';

export class WorkbenchParts {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * An icon of the activity bar. It is the list item that takes clicks, because a badge may cover the link in it, but
   * only the link has its label from the beginning.
   */
  viewContainer(title: string): Locator {
    const link = this.#page.locator(`a[aria-label^="${title}"]`);
    return this.#page.locator('.part.activitybar .action-item').filter({ has: link });
  }

  /** Shows a view container in the side bar, unless it is there already: a second click would hide it again. */
  async openViewContainer(title: string): Promise<void> {
    const icon = this.viewContainer(title);
    if ((await icon.getAttribute('aria-expanded')) !== 'true') await icon.click();
    // The Explorer has a view named Timeline too; only the side bar's title tells that the change has happened.
    await this.sideBarTitle().filter({ hasText: title }).waitFor();
  }

  sideBarTitle(): Locator {
    return this.#page.locator('.part.sidebar .composite.title h2');
  }

  /**
   * The header of a view in the side bar. The only view of a container has a hidden one: there the title says
   * "Container: View" instead.
   */
  viewHeader(name: string): Locator {
    const header = this.#page.locator(`.part.sidebar .pane-header[aria-label^="${name} "]`).filter({ visible: true });
    return header.or(this.sideBarTitle().filter({ hasText: `: ${name}` }));
  }

  treeRows(): Locator {
    return this.#page.locator('.part.sidebar [role=treeitem]');
  }

  treeRow(label: string): Locator {
    return this.treeRows().filter({ has: this.#page.locator('.label-name', { hasText: label }) });
  }

  /** Shows the row's inline actions, as a pointer over it does, and finds one by its title. */
  async inlineAction(row: Locator, title: string): Promise<Locator> {
    // What the pointer was over before may have put a tooltip over the row.
    await this.#page.mouse.move(0, 0);
    await row.hover({ timeout: 3000 });
    return row.locator(`.actions a[aria-label="${title}"]`);
  }

  menuItem(title: string): Locator {
    return this.#page.locator('.monaco-menu .action-label', { hasText: title });
  }

  modal(): Locator {
    return this.#page.locator('.monaco-dialog-box');
  }

  modalMessage(): Locator {
    return this.modal().locator('.dialog-message-text');
  }

  modalDetail(): Locator {
    return this.modal().locator('.dialog-message-detail');
  }

  modalButton(title: string): Locator {
    return this.modal().locator('.dialog-buttons .monaco-button', { hasText: title });
  }

  quickPickTitle(): Locator {
    return this.#page.locator('.quick-input-widget:visible .quick-input-title');
  }

  quickPickInput(): Locator {
    return this.#page.locator('.quick-input-widget:visible input[type=text]');
  }

  quickPickRow(label: string): Locator {
    return this.#page.locator('.quick-input-list .monaco-list-row').filter({ hasText: label }).first();
  }

  /** Opens the notification centre, which holds notifications also when their toasts are hidden or gone. */
  async notifications(): Promise<Locator> {
    const centre = this.#page.locator('.notifications-center.visible');
    if (!(await centre.isVisible())) await this.#page.locator('.statusbar-item[id="status.notifications"] a').click();
    return centre.locator('.notification-list-item');
  }

  toasts(): Locator {
    return this.#page.locator('.notifications-toasts .notification-list-item');
  }

  /** A status bar item of an extension: `publisher.name` and the item's own id. */
  statusItem(extension: string, item: string): Locator {
    return this.#page.locator(`.statusbar-item[id="${extension}.${item}"] a`);
  }

  /** A button in the title of the active editor, diff editors included. */
  editorAction(title: string): Locator {
    return this.#page.locator(`.editor-actions a[aria-label="${title}"]`);
  }

  diffLines(side: 'original' | 'modified'): Locator {
    return this.#page.locator(`.monaco-diff-editor .${side} .view-line`);
  }
}
