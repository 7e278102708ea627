import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Loaded when there is YAML to read or write: it is seventy files, and few starts need any of them. */
export function yamlLibrary(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml')
}
