/**
 * Not imported, because the face that Node makes for `import` reads every export of these modules, and so loads WebSocket
 * and fetch, which no start should wait for, and no process should hold that uses neither.
 */
export const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http')
export const { Agent: HttpsAgent, request: httpsRequest } = process.getBuiltinModule('node:https')

/** Loaded by the first answer that is compressed: several megabytes, and most servers next door send none. */
export const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib')
