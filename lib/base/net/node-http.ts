/**
 * Node's HTTP, for programs that start often or run for long: an `import` of its module also loads the browser's WebSocket,
 * which takes 13 MB and makes it five to ten times slower.
 */
export const { createServer, request } = process.getBuiltinModule('node:http');
