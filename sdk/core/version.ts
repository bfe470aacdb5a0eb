/** Version of the script and the package, which are released with the service; a test compares it with both package.json. */
export const VERSION = '0.1.0';
