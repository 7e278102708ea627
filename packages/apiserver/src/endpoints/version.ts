import { methodNotAllowed } from '../status/api-error.ts'
import { jsonResponse, type PlainRequest, type PlainResponse } from './plain-handler.ts'

/** The Kubernetes version of the API, as shown by `kubectl version`. */
const version = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.4+agents',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
}

/** Indented like upstream. */
const text = JSON.stringify(version, undefined, 2)

export function versionHandler({ path, method }: PlainRequest): PlainResponse | undefined {
  if (path !== '/version' && path !== '/version/') return undefined
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
  return { ...jsonResponse(version), body: text }
}
