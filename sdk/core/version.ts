/** Of the script and the package, which are released with the service; a test holds it to both package.json. */
export const VERSION = '0.1.0';
