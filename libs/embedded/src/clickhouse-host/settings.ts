import { stringLiteral } from './sql-text.js';

const NUMBER = /^-?\d+(\.\d+)?$/;

export function settingsList(settings: ReadonlyMap<string, string>): string {
  const assignments = [...settings].map(([name, value]) => `${name} = ${settingValue(value)}`);
  return assignments.join(', ');
}

export function settingsClause(settings: ReadonlyMap<string, string>): string {
  return settings.size === 0 ? '' : `\nSETTINGS ${settingsList(settings)}`;
}

/** Empty when there is nothing to set. */
export function setClause(settings: ReadonlyMap<string, string>): string {
  return settings.size === 0 ? '' : `SET ${settingsList(settings)}`;
}

function settingValue(value: string): string {
  return NUMBER.test(value) ? value : stringLiteral(value);
}
