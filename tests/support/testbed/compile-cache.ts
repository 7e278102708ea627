import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The variable by which programs that do not inherit the environment share compiled code with the other tests: a
 * service then starts with less than half of the work.
 */
export function compileCacheVariable(): Readonly<Record<string, string>> {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }
}
