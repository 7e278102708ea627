import { methodNotAllowed } from './api-error.ts'
import { jsonResponse, type PlainHandler } from './plain-handler.ts'

/** The API level that is served, as `kubectl version` shows it. */
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

/** Indented, as upstream has it: people look at it with curl. */
const text = JSON.stringify(version, undefined, 2)

export const versionHandler: PlainHandler = ({ path, method }) => {
  if (path !== '/version' && path !== '/version/') return undefined
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
  return { ...jsonResponse(version), body: text }
}
