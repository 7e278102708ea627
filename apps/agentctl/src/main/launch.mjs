// Runs the source named by the first argument with the compile cache that agentctl.mjs uses.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
enableCompileCache(join(caches, 'agents', 'compiled'))
const [source = ''] = process.argv.splice(2, 1)
process.argv[1] = source
await import(pathToFileURL(source).href)
flushCompileCache()
