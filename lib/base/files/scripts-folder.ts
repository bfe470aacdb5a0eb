/** Folder in the data folder with every version of the scripts that customers' pages may name by its hash. */
export const SCRIPTS_FOLDER = 'scripts';
