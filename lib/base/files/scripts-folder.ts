/** Folder in the data folder with every version of the scripts that customers' pages may refer to by hash. */
export const SCRIPTS_FOLDER = 'scripts';
