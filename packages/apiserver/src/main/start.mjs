import { enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Stripping types and compiling is most of what a start costs, in time and in memory, so the results are kept: in a folder
// of the user's own, since whoever can write there decides what runs. Where there is none the server starts as ever.
// JavaScript, because even one file of TypeScript makes Node load its stripper.
const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
enableCompileCache(join(caches, 'agents', 'compiled'))
await import('./apiserver.ts')
// At the end would be too late for a process that is killed.
setTimeout(flushCompileCache, 2_000).unref()
