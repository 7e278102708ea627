/**
 * Loaded with `require`, because an `import` reads every export of these modules and so loads WebSocket and fetch,
 * which takes a fifth of the start-up time.
 */
export const { createServer } = process.getBuiltinModule('node:http')
export const { createServer: createTlsServer } = process.getBuiltinModule('node:https')
