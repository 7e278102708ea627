import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Loads the library on first use: it has seventy files, and few servers ever need it. */
export function yamlLibrary(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml')
}
