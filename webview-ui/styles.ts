/** The page's styles. They come as a sheet made by script, so that the content policy allows no style from elsewhere. */
export const styles = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 0 12px 12px; color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
h2 { margin: 8px 0 2px; font-size: inherit; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 0 0 8px; color: var(--vscode-descriptionForeground); }
.note { overflow-wrap: anywhere; }
.card { margin: 0 0 10px; border: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); border-radius: 4px; overflow: hidden; }
.card > header { display: flex; flex-wrap: wrap; gap: 2px 8px; align-items: baseline; padding: 4px 8px; background: var(--vscode-sideBarSectionHeader-background); }
.toggle { display: flex; gap: 4px; align-items: baseline; flex: 1 1 auto; min-width: 0; border: 0; padding: 0; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
.toggle .name { font-weight: 600; }
.toggle::before { content: "▸"; width: 1em; flex: none; }
.toggle[aria-expanded="true"]::before { content: "▾"; }
.faint { color: var(--vscode-descriptionForeground); }
.actions { display: flex; flex-wrap: wrap; gap: 4px; padding: 4px 8px; }
.actions button { border: 1px solid var(--vscode-button-secondaryBorder, transparent); border-radius: 2px; padding: 2px 8px; font: inherit; cursor: pointer; color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
.actions button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button:focus-visible, .hunks:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
.hunks { overflow-x: auto; font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); line-height: 1.4; background: var(--vscode-editor-background); }
.hunk { display: table; min-width: 100%; border-top: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); }
.line { display: block; white-space: pre; padding: 0 8px; tab-size: 4; }
.line.added { background: var(--vscode-diffEditor-insertedLineBackground, rgba(80, 160, 80, 0.2)); }
.line.removed { background: var(--vscode-diffEditor-removedLineBackground, rgba(200, 70, 70, 0.2)); }
[hidden] { display: none; }
`;
