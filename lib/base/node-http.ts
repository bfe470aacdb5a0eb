/**
 * Node's HTTP, for programs that start often or serve for long: to `import` its module loads the WebSocket of browsers, too,
 * which is 13 MB and five to ten times as long.
 */
export const { createServer, request } = process.getBuiltinModule('node:http');
