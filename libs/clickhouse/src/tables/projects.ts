import { asText, asUInt32, asUInt64, type Table } from '../columns.js';

/** Settings of a project. The row with the greatest version wins. The column `settings` is unused; inserts cannot name it. */
export interface ProjectRow {
  project_id: string;
  /** 0 keeps calls indefinitely. */
  retention_days: number;
  /** 0 keeps feedback as long as its call. */
  feedback_retention_days: number;
  version: number;
}

export const PROJECTS: Table<ProjectRow> = {
  name: 'projects',
  columns: {
    project_id: asText,
    retention_days: asUInt32,
    feedback_retention_days: asUInt32,
    version: asUInt64,
  },
};
