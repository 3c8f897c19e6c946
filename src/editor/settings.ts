import * as vscode from 'vscode';
import { settingIds, settingSection } from './ids.ts';

/** Whether something that is off by default was switched on. Both are the machine's: no workspace can do it for its user. */
export function isOn(setting: keyof typeof settingIds): boolean {
  return vscode.workspace.getConfiguration(settingSection).get<boolean>(settingIds[setting]) === true;
}

export function affects(event: vscode.ConfigurationChangeEvent, setting: keyof typeof settingIds): boolean {
  return event.affectsConfiguration(`${settingSection}.${settingIds[setting]}`);
}
