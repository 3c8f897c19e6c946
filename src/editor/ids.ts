/** The names under which package.json knows us; a unit test compares both. */
export const commandIds = {
  installHooks: 'turnstone.installHooks',
  removeHooks: 'turnstone.removeHooks',
  checkHooks: 'turnstone.checkHooks',
  rewindToHere: 'turnstone.rewindToHere',
  rollBackTurn: 'turnstone.rollBackTurn',
  rollBackFile: 'turnstone.rollBackFile',
  createCheckpoint: 'turnstone.createCheckpoint',
  pauseRecording: 'turnstone.pauseRecording',
  resumeRecording: 'turnstone.resumeRecording',
  undo: 'turnstone.undo',
  redo: 'turnstone.redo',
  undoOperation: 'turnstone.undoOperation',
  redoOperation: 'turnstone.redoOperation',
  openChanges: 'turnstone.openChanges',
  openAllChanges: 'turnstone.openAllChanges',
  compareWithCurrent: 'turnstone.compareWithCurrent',
  openFile: 'turnstone.openFile',
  showReport: 'turnstone.showReport',
  refresh: 'turnstone.refresh',
  showLog: 'turnstone.showLog',
} as const;

export const viewIds = { timeline: 'turnstone.timeline', review: 'turnstone.review' } as const;

/** Context keys that `when` clauses in package.json use. */
export const contextKeys = {
  /** One of `WelcomeState`: which welcome text an empty timeline shows. */
  state: 'turnstone.state',
  recorded: 'turnstone.recorded',
  canUndo: 'turnstone.canUndo',
  canRedo: 'turnstone.canRedo',
  /** Recording is paused in a folder of the window. */
  paused: 'turnstone.paused',
} as const;

/** The scheme of the read-only file system that serves recorded contents. */
export const blobScheme = 'turnstone';

export const statusItemId = 'turnstone.status';

export const settingSection = 'turnstone';

/** Settings, by their names in the section. */
export const settingIds = { writeTools: 'tools.write', mcpServer: 'mcpServer' } as const;

/** How folders are recorded, by names in the section; what they are is in `captureSettings.ts`. */
export const captureSettingIds = { exclude: 'exclude', maxFileSize: 'maxFileSize', lookBudget: 'lookBudget', copyLimit: 'copyLimit' } as const;

export const mcpProviderId = 'turnstone.mcp';
