import { asText, asUInt32, asUInt64, type Table } from '../row-binary.js';

/** What is set for a project as a whole. The greatest version counts. `settings` is not used, and a word that an insert cannot name. */
export interface ProjectRow {
  project_id: string;
  /** 0 keeps calls for ever. */
  retention_days: number;
  version: number;
}

export const PROJECTS: Table<ProjectRow> = {
  name: 'projects',
  columns: {
    project_id: asText,
    retention_days: asUInt32,
    version: asUInt64,
  },
};
