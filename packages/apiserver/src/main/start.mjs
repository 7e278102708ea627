import { enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Type stripping and compilation take most of the time and memory of a start, so the results are cached: in a folder of
// the user, since anyone who can write there controls what runs. The server also starts without the cache. This file is
// JavaScript, because a single TypeScript file makes Node load its type stripper.
const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
enableCompileCache(join(caches, 'agents', 'compiled'))
await import('./apiserver.ts')
// Flushed early, because a process that is killed does not flush at exit.
setTimeout(flushCompileCache, 2_000).unref()
