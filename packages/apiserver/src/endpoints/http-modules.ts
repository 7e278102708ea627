/**
 * Not imported, because the face that Node makes for `import` reads every export of these modules, and so loads WebSocket
 * and fetch: a fifth of what a start costs.
 */
export const { createServer } = process.getBuiltinModule('node:http')
export const { createServer: createTlsServer } = process.getBuiltinModule('node:https')
