/**
 * Not imported: the ESM wrapper of Node reads every export of these modules and so loads WebSocket and fetch, which
 * cost startup time and memory and are not used.
 */
export const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http')
export const { Agent: HttpsAgent, request: httpsRequest } = process.getBuiltinModule('node:https')

/** Loaded by the first compressed response: the module takes several megabytes, and local servers send none. */
export function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib')
}
