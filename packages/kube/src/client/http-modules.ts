/**
 * Not imported, because the face that Node makes for `import` reads every export of these modules, and so loads WebSocket
 * and fetch, which no start should wait for.
 */
export const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http')
export const { Agent: HttpsAgent, request: httpsRequest } = process.getBuiltinModule('node:https')
